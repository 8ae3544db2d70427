#!/usr/bin/env python3
"""PyTorch on the CPU, for comparison with `deepcfr bench cpu`: forward passes and training steps.

    python3 -m venv venv
    venv/bin/pip install torch --index-url https://download.pytorch.org/whl/cpu   # or from PyPI
    venv/bin/python benches/compare/pytorch.py
    venv/bin/python benches/compare/pytorch.py --beside target/release/deepcfr

The same networks and batches: 365 inputs, hidden layers of 512 x 3 and 1024 x 6, 22 outputs, a fifth of
the inputs set; masked squared error, clipping of the global gradient norm, Adam (fused where PyTorch has
it). Every figure is the fastest of several rounds in which threads and sizes take turns; with --beside,
`deepcfr bench cpu` has a turn in each round too, and one table holds both.
"""

import argparse
import json
import subprocess
import time

import torch

FEATURES, ACTIONS = 365, 22
SIZES = [(512, 3), (1024, 6)]
BATCHES = [1, 4, 16, 64, 256, 1024]
STEP_ROWS = 1024


def network(hidden, layers):
    widths = [FEATURES] + [hidden] * layers
    parts = []
    for inputs, outputs in zip(widths, widths[1:]):
        parts += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*parts, torch.nn.Linear(hidden, ACTIONS))


def rows(count):
    return torch.rand(count, FEATURES) * (torch.rand(count, FEATURES) < 0.2)


def seconds(work, at_least):
    """Mean seconds of a call, repeated for a while."""
    begin, calls = time.perf_counter(), 0
    while calls < 2 or time.perf_counter() - begin < at_least:
        work()
        calls += 1
    return (time.perf_counter() - begin) / calls


def forward(model, batch):
    inputs = rows(batch)

    def work():
        with torch.inference_mode():
            model(inputs)

    return work


def step(model):
    try:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    except RuntimeError:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    inputs, targets = rows(STEP_ROWS), torch.randn(STEP_ROWS, ACTIONS)
    weights = torch.full((STEP_ROWS, ACTIONS), 1.0 / STEP_ROWS)

    def work():
        optimizer.zero_grad(set_to_none=True)
        error = model(inputs) - targets
        (error * error * weights).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return work


def rates_beside(deepcfr):
    """Nanoseconds a row of each stage, by its name, as `deepcfr bench cpu` measures them once."""
    command = [deepcfr, "bench", "cpu", "--turns", "2", "--json"]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {stage["name"]: 1e9 / stage["per_second"] for stage in report["stages"] if stage["item"] == "row"}


def print_beside(best, works, ours):
    """One thread of PyTorch beside one thread of each of our engines, ns a row."""
    print(f"{'ns a row, one thread':<32} {'PyTorch':>10} {'native':>10} {'times':>6} {'burn':>10} {'times':>6}")
    for (name, threads), taken in sorted(best.items()):
        if threads != 1:
            continue
        theirs = taken / works[name][0] * 1e9
        line = f"{name:<32} {theirs:>10.0f}"
        for prefix in ("native ", "burn "):
            mine = ours.get(prefix + name, ours.get(name) if prefix == "burn " else None)
            line += f" {mine:>10.0f} {theirs / mine:>6.2f}" if mine else f" {'-':>10} {'-':>6}"
        print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--beside", metavar="DEEPCFR", help="the built command, to be measured in turns")
    parser.add_argument("--json", help="also write the figures into this file")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    works = {}
    for hidden, layers in SIZES:
        model = network(hidden, layers)
        for batch in BATCHES:
            works[f"forward {hidden}x{layers}, batch {batch}"] = (batch, forward(model, batch), 0.05)
        works[f"training step {hidden}x{layers}, batch {STEP_ROWS}"] = (STEP_ROWS, step(model), 0.5)
    best, ours = {}, {}
    for _ in range(arguments.rounds):
        for threads in arguments.threads:
            torch.set_num_threads(threads)
            for name, (batch, work, at_least) in works.items():
                key = (name, threads)
                best[key] = min(best.get(key, float("inf")), seconds(work, at_least))
        for name, taken in (rates_beside(arguments.beside) if arguments.beside else {}).items():
            ours[name] = min(ours.get(name, float("inf")), taken)
    print(f"PyTorch {torch.__version__}")
    print(f"{'':<40} {'threads':>7} {'us a call':>12} {'ns a row':>10}")
    figures = []
    for (name, threads), taken in sorted(best.items(), key=lambda entry: (entry[0][0], entry[0][1])):
        batch = works[name][0]
        print(f"{name:<40} {threads:>7} {taken * 1e6:>12.1f} {taken / batch * 1e9:>10.0f}")
        figures.append({"name": name, "threads": threads, "seconds": taken, "rows": batch})
    if ours:
        print()
        print_beside(best, works, ours)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"torch": torch.__version__, "figures": figures, "ours": ours}, file, indent=1)


if __name__ == "__main__":
    main()
