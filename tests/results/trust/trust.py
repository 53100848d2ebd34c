#!/usr/bin/python3
"""Measures how far verdicts can be trusted: docs/trust.md says what and why.

    trust.py record FOLDER --binary build/timerbench [--processes 400]
    trust.py live   FOLDER --binary build/timerbench [--runs 20] [--load]
    trust.py power  FOLDER --base A/timerbench --planted cancel:5=B/timerbench ... [--runs 20]
    trust.py tables FOLDER [--resample build/tests/results/trust/resample]

Every step adds to what FOLDER holds and goes on where it was stopped; --for S stops it after about S seconds.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

TEN_CELLS = [
    "timers/arm/heap4/65536", "timers/cancel/heap4/65536", "timers/cancel/wheel_6x64/1024", "timers/churn-fifo/wheel_6x64/65536/key",
    "timers/churn-random/binary_heap/1024", "timers/churn-random/heap4/65536", "timers/churn-random/wheel_6x64/65536",
    "timers/expire/heap4/1024", "timers/expire/wheel_6x64/65536", "timers/rearm-later/wheel_6x64/65536",
]
POPULATIONS = [1024, 65536, 1048576]
PART = 20  # processes of a file


def complain(text):
    sys.exit(f"trust.py: {text}")


class Clock:
    """Says when --for is over."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds if seconds else None

    def over(self):
        return self.end is not None and time.monotonic() >= self.end


def rows(path):
    if not path.exists():
        return []
    found = []
    for line in path.read_text().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass  # cut off by an interruption: that run is made again
    return found


def append(path, row):
    with open(path, "a+") as out:
        out.seek(0, os.SEEK_END)
        if out.tell() > 0:
            out.seek(out.tell() - 1)
            if out.read(1) != "\n":
                out.write("\n")
        out.write(json.dumps(row) + "\n")
        out.flush()
        os.fsync(out.fileno())


def load_average():
    return os.getloadavg()[0]


def record(a, clock):
    """A/A, item 1: the processes that comparisons are drawn from."""
    for part in range((a.processes + PART - 1) // PART):
        path = a.folder / f"part-{part:03}.json"
        if path.exists():
            continue
        if clock.over():
            return
        begin = time.monotonic()
        subprocess.run([a.binary, "run", "--cell", ",".join(TEN_CELLS), "--processes", str(PART), "--no-tails", "--seed",
                        str(part + 1), "--out", str(path)], stdout=subprocess.DEVNULL, check=True)
        print(f"{path.name}: {time.monotonic() - begin:.0f} s, load {load_average():.1f}", flush=True)


def ab(base, new, cells, seed, threshold, budget):
    """One run of ab: its exit code, seconds, and the cells of its report."""
    begin = time.monotonic()
    done = subprocess.run([base, "ab", base, new, "--cell", ",".join(cells), "--seed", str(seed), "--threshold", threshold,
                           "--budget", str(budget), "--format", "json"], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        complain(f"ab ended with {done.returncode}")
    report = json.loads(done.stdout)
    return {"code": done.returncode, "seconds": time.monotonic() - begin, "load": load_average(), "cells": [
        {"name": c["name"], "verdict": c["verdict"], "ratio": c["ratio"], "processes": c["base"]["processes"],
         "noise_floor": c["noise_floor"]} for c in report["cells"]]}


def live(a, clock):
    """A/A, live: ab of a build with itself, with --load beside a neighbour that works on 100 MB."""
    path = a.folder / "live.jsonl"
    done = sum(1 for r in rows(path) if r["loaded"] == a.load)
    neighbour = None
    if a.load:
        neighbour = subprocess.Popen([a.binary, "run", "--workload", "churn-random", "--impl", "heap4", "--size", "1M", "--processes",
                                      "10000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for run in range(done, a.runs):
            if clock.over():
                return
            row = ab(a.binary, a.binary, TEN_CELLS, 1000 + run, a.threshold, a.budget)
            append(path, dict(row, loaded=a.load, threshold=a.threshold, budget=a.budget))
            print(f"live {run + 1}: exit code {row['code']}, {row['seconds']:.0f} s", flush=True)
    finally:
        if neighbour:
            neighbour.terminate()
            neighbour.wait()


def power(a, clock):
    """Item 2: what ab finds of planted slow-downs. --planted KIND:PERCENT=BINARY, KIND cancel or expire."""
    path = a.folder / "power.jsonl"
    planted = []
    for text in a.planted:
        name, _, binary = text.partition("=")
        kind = name.partition(":")[0]
        if kind not in ("cancel", "expire") or not binary:
            complain(f"--planted '{text}': expected cancel:5=PATH or expire:20=PATH")
        planted.append((name, kind, binary))
    for run in range(a.runs):
        for name, kind, binary in planted:
            for population in a.populations:
                found = rows(path)
                if any(r["planted"] == name and r["population"] == population and r["run"] == run for r in found):
                    continue
                if clock.over():
                    return
                cells = [f"timers/{kind}/{impl}/{population}" for impl in ("heap4", "wheel_6x64")]
                row = ab(a.base, binary, cells, 2000 + run, a.threshold, a.budget)
                append(path, dict(row, planted=name, population=population, run=run, threshold=a.threshold, budget=a.budget))
                print(f"{name} at {population}, run {run + 1}: " + ", ".join(c["verdict"] for c in row["cells"]) +
                      f", {row['seconds']:.0f} s", flush=True)


def tables(a, clock):
    parts = sorted(a.folder.glob("part-*.json"))
    if parts:
        for extra in ([], ["--adjacent"], ["--processes", "20"], ["--threshold", "2%"], ["--ab", "--comparisons", "1000"]):
            subprocess.run([a.resample, *extra, *map(str, parts)], check=True)
    for loaded in (False, True):
        found = [r for r in rows(a.folder / "live.jsonl") if r["loaded"] == loaded]
        if found:
            verdicts = [c["verdict"] for r in found for c in r["cells"]]
            print(f"live{' under load' if loaded else ''}: {len(found)} runs, {sum(r['code'] == 1 for r in found)} with a cell slower; cells: " +
                  ", ".join(f"{v} {verdicts.count(v)}" for v in ("slower", "faster", "unsure", "same")))
    found = rows(a.folder / "power.jsonl")
    if not found:
        return
    print("\n| planted | pending | cells x runs | called slower | seconds, median | processes of each, median |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in sorted({r["planted"] for r in found}, key=lambda n: (n.partition(":")[0], int(n.partition(":")[2]))):
        for population in sorted({r["population"] for r in found}):
            chosen = [r for r in found if r["planted"] == name and r["population"] == population]
            cells = [c for r in chosen for c in r["cells"]]
            if cells:
                caught = sum(c["verdict"] == "slower" for c in cells)
                print(f"| {name} % | {population:,} | {len(cells)} | {100 * caught / len(cells):.0f} % | "
                      f"{statistics.median(r['seconds'] for r in chosen):.0f} | {statistics.median(c['processes'] for c in cells):.0f} |")


def main():
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that the neighbour is ended
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["record", "live", "power", "tables"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--binary", default="build/timerbench")
    parser.add_argument("--base", default="build/timerbench")
    parser.add_argument("--resample", default="build/tests/results/trust/resample")
    parser.add_argument("--planted", nargs="*", default=[])
    parser.add_argument("--populations", nargs="*", type=int, default=POPULATIONS)
    parser.add_argument("--processes", type=int, default=400)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--budget", type=float, help="of a run of ab; default 60 for live, 300 for power")
    parser.add_argument("--threshold", help="of ab; default 5%% for live, 2%% for power")
    parser.add_argument("--load", action="store_true", help="live: beside a neighbour")
    parser.add_argument("--for", dest="seconds", type=float, help="stop after about so many seconds")
    a = parser.parse_args()
    a.budget = a.budget or (300 if a.step == "power" else 60)
    a.threshold = a.threshold or ("2%" if a.step == "power" else "5%")
    a.folder.mkdir(parents=True, exist_ok=True)
    {"record": record, "live": live, "power": power, "tables": tables}[a.step](a, Clock(a.seconds))


main()
