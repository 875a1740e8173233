import torch


def run(x: torch.Tensor):
    step = torch.compile(embed, backend=BACKEND)
    for language in ["en", "de", "fr", "it"]:
        step(x, language)  # expect: TCD706 "`language` is another string in each turn"


def embed(x, language):
    return x * len(language) if language != "de" else x + 1


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    run(torch.ones(3))
    return "recompile" if len(GRAPHS) == 4 else f"ok: {len(GRAPHS)} graphs"
