import io
import json
import subprocess
import uuid
import zlib

import torch


@torch.compile
def reads(x: torch.Tensor):
    y = x + 1
    with open("/dev/null") as stream:  # expect: TCD408 "opens a file"
        text = stream.read()
    return y * 2, text


@torch.compile
def asks(x: torch.Tensor):
    y = x + 1
    return y, input()  # expect: TCD408


@torch.compile
def parses(x: torch.Tensor):
    return (x + 1) * json.loads(json.dumps({"a": 2}))["a"]  # expect: TCD408, TCD408


@torch.compile
def runs(x: torch.Tensor):
    y = x + 1
    return y, subprocess.run(["true"]).returncode  # expect: TCD408


@torch.compile
def saves(x: torch.Tensor):
    y = x + 1
    buffer = io.BytesIO()  # expect: TCD408
    torch.save(y, buffer)  # expect: TCD408
    return y


@torch.compile
def names(x: torch.Tensor):
    return (x + 1) * (len(str(uuid.uuid4())) > 0)  # expect: TCD408


@torch.compile
def sums(x: torch.Tensor):
    return (x + 1) * (zlib.crc32(b"ab") % 7)  # expect: TCD408


def probe_asks():
    return asks, (torch.ones(2, 3),)


def probe_parses():
    return parses, (torch.ones(2, 3),)


def probe_sums():
    return sums, (torch.ones(2, 3),)
