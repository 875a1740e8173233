import multiprocessing
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import torch

jobs = queue.Queue()


@torch.compile
def starts(x: torch.Tensor):
    y = x + 1
    out = []
    t = threading.Thread(target=lambda: out.append(3))  # expect: TCD308 "starts a thread"
    t.start()
    t.join()
    return y * 2


@torch.compile
def asks(x: torch.Tensor):
    y = x + 1
    y = y * len(threading.current_thread().name)  # expect: TCD308
    return y * multiprocessing.cpu_count()  # expect: TCD308


@torch.compile
def queues(x: torch.Tensor):
    y = x + 1
    jobs.put(y)  # expect: TCD308 "goes through a lock"
    return jobs.get() * 2  # expect: TCD308


@torch.compile
def maps(x: torch.Tensor):
    y = x + 1
    with ThreadPoolExecutor(1) as pool:  # expect: TCD308 "starts an executor"
        y = list(pool.map(lambda v: v * 2, [y, y]))[0]
    return y


def probe_asks():
    return asks, (torch.ones(2, 3),)
