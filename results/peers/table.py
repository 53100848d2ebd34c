#!/usr/bin/env python3
"""Tables and plot data of a result with peers.

usage: table.py RESULT.json PAGE.md FOLDER
Puts the tables between the page's markers, writes a data file a workload into FOLDER, and prints how the ratios of libuv and
libevent to libev compare with reference figures.
"""
import json
import os
import statistics
import sys

# ns an operation of an earlier, separate harness (an executable for each peer, fresh processes, medians of seven) on two
# virtual CPUs of an AMD EPYC (Zen 4), Linux 6.18, gcc 12.2 -O2, at 10^3, 10^4, 10^5 and 10^6 timers.
REFERENCE_SIZES = [1000, 10000, 100000, 1000000]
REFERENCE = {
    "churn-random": {"libev": [25.1, 28.8, 41.9, 178], "libuv": [62.8, 85.8, 304, 619], "libevent": [52.4, 71.9, 215, 627]},
    "churn-fifo": {"libev": [16.3, 17.2, 24.1, 78.3], "libuv": [135, 166, 308, 406], "libevent": [26.2, 48.2, 72.8, 211]},
    "arm": {"libev": [26.6, 23.0, 23.6, 23.7], "libuv": [43.0, 48.6, 59.3, 81.1], "libevent": [37.4, 36.4, 39.3, 50.3]},
}
WITHIN = 1.25


def read(path):
    """{workload: {contender: {population: cell}}} of the cells by id, and the peers."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    cells = {}
    for cell in document["timerbench"]["cells"]:
        if cell["api"] == "id":
            cells.setdefault(cell["workload"], {}).setdefault(cell["contender"], {})[cell["population"]] = cell
    return cells, document["context"]


def processes(cell):
    """The median of each process; none when the cell has no figure."""
    return [statistics.median(samples) for samples in cell.get("samples", []) if samples]


def short(ns):
    if ns < 10:
        return f"{ns:.2f}"
    if ns < 100:
        return f"{ns:.1f}"
    if ns < 10000:
        return f"{ns:.0f}"
    return f"{ns / 1000:.0f} us" if ns < 1e7 else f"{ns / 1e6:.0f} ms"


def table(rows, sizes, marks):
    """A Markdown table, best at the largest population that most have first."""
    lines = ["| | " + " | ".join(f"{n:,}" for n in sizes) + " | bytes a timer |", "|---|" + "---:|" * (len(sizes) + 1)]
    notes = []

    def key(item):
        values = [statistics.median(processes(item[1][n])) if n in item[1] and processes(item[1][n]) else None for n in sizes]
        have = [v for v in values if v is not None]
        return (len(sizes) - len(have), have[-1] if have else 0)

    for name, row in sorted(rows.items(), key=key):
        texts, size = [], ""
        for n in sizes:
            cell = row.get(n)
            values = processes(cell) if cell else []
            if values:
                texts.append(f"{short(statistics.median(values))} ({short(min(values))}–{short(max(values))})")
                size = f"{cell['bytes_per_timer']:.0f}" if "bytes_per_timer" in cell else size
            else:
                texts.append("WRONG" if cell and cell["state"] == "wrong" else "—")
                if cell and cell.get("reason"):
                    notes.append(f"{name}: {cell['reason']}")
        label = f"{name} [{marks[name]}]" if marks.get(name) else name
        lines.append(f"| {label} | " + " | ".join(texts) + f" | {size} |")
    if notes:
        lines += ["", "—: " + "; ".join(dict.fromkeys(notes)) + "."]
    return lines


def write_data(cells, folder):
    os.makedirs(folder, exist_ok=True)
    for workload, rows in cells.items():
        with open(os.path.join(folder, workload + ".dat"), "w", encoding="utf-8") as out:
            for name, row in rows.items():
                points = [(n, processes(row[n])) for n in sorted(row) if processes(row[n])]
                if len(points) < 2:
                    continue
                out.write(f'"{name}"\n')
                for n, values in points:
                    out.write(f"{n} {statistics.median(values)} {min(values)} {max(values)}\n")
                out.write("\n\n")


def compare(cells):
    """The lines of the comparison with the reference figures."""
    lines = ["| workload | ratio | population | here | reference | here ÷ reference | |", "|---|---|---:|---:|---:|---:|---|"]
    for workload, reference in REFERENCE.items():
        for over in ("libuv", "libevent"):
            for i, n in enumerate(REFERENCE_SIZES):
                pair = [cells.get(workload, {}).get(name, {}).get(n) for name in (over, "libev")]
                if not all(cell and processes(cell) for cell in pair):
                    continue
                here = statistics.median(processes(pair[0])) / statistics.median(processes(pair[1]))
                there = reference[over][i] / reference["libev"][i]
                verdict = "within 25 %" if 1 / WITHIN <= here / there <= WITHIN else "apart"
                lines.append(f"| {workload} | {over} ÷ libev | {n:,} | {here:.2f} | {there:.2f} | {here / there:.2f} | {verdict} |")
    return lines


def replace(text, name, lines):
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    at, to = text.index(begin) + len(begin), text.index(end)
    return text[:at] + "\n" + "\n".join(lines) + "\n\n" + text[to:]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    cells, context = read(sys.argv[1])
    peers = context.get("peers", [])
    marks = {peer["name"]: peer["marks"] for peer in peers}
    lines = [f"Measured on {context.get('processor', 'unknown')}, {context.get('kernel', '')}, {context.get('compiler', '')}, "
             f"{context.get('date', '')[:10]}. ns an operation: the median of the processes (the lowest – the highest)."]
    for workload, rows in cells.items():
        sizes = sorted({n for row in rows.values() for n in row})
        unit = next(iter(next(iter(rows.values())).values()))["unit"]
        lines += ["", f"### {workload}, ns a {unit}", ""] + table(rows, sizes, marks)
    found = ["| peer | version | what the probe found |", "|---|---|---|"]
    found += [f"| {p['name']} | {p['version']} | {'; '.join(p['deviations']) or 'nothing'} |" for p in peers]
    comparison = compare(cells)
    with open(sys.argv[2], encoding="utf-8") as file:
        page = file.read()
    page = replace(replace(replace(page, "tables", lines), "peers", found), "comparison", comparison)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(page)
    write_data(cells, sys.argv[3])
    print("\n".join(comparison))


main()
