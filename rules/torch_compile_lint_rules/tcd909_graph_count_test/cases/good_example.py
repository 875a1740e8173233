import torch


def double(x):
    return x * 2


class Video:
    frame_count = 3


def test_no_break():
    x = torch.ones(3)
    compiled = torch.compile(double, fullgraph=True, backend="eager")
    assert torch.equal(compiled(x), double(x))


def test_video(video: Video):
    assert video.frame_count == 3


def probe():
    test_no_break()
    return "ok"
