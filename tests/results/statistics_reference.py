#!/usr/bin/python3
"""Writes statistics.txt: what R and scipy make of samples, for test_statistics.c.

    tests/results/statistics_reference.py > tests/results/statistics.txt

needs Debian's python3-scipy and r-base-core. Where both know a figure, both must agree. The samples are drawn here, with a
fixed seed; a line of the fixture is a word and numbers.
"""
import itertools
import subprocess
import sys

import numpy
import scipy
import scipy.stats

random = numpy.random.default_rng(20240401)


def r(expression):
    """The numbers that an R expression comes to."""
    code = f"cat(format({expression}, digits = 17), sep = ' ')"
    return [float(x) for x in subprocess.check_output(["Rscript", "-e", code], text=True, stderr=subprocess.DEVNULL).split()]


def vector(values):
    return "c(" + ",".join(repr(float(v)) for v in values) + ")"


def line(word, *parts):
    out = [word]
    for part in parts:
        if isinstance(part, (list, tuple, numpy.ndarray)):
            out.append(str(len(part)))
            out.extend(repr(float(v)) for v in part)
        else:
            out.append(repr(part))
    print(*out)


def agree(a, b):
    assert abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-300), (a, b)


def mann_whitney(a, b):
    exact = len(set(a) | set(b)) == len(a) + len(b) and max(len(a), len(b)) < 50
    u, p = r(f"unlist(wilcox.test({vector(a)}, {vector(b)}, exact = {'TRUE' if exact else 'FALSE'})[c('statistic', 'p.value')])")
    other = scipy.stats.mannwhitneyu(a, b, alternative="two-sided", method="exact" if exact else "asymptotic")
    agree(u, other.statistic)
    agree(p, other.pvalue)
    line("mann-whitney", list(a), list(b), int(exact), u, p)


def processes(n, shift=1.0, spread=0.05):
    return numpy.round(50 * shift * numpy.exp(random.normal(0, spread, n)), 6)


def ratio(base, new, axis=-1):
    return numpy.median(new, axis=axis) / numpy.median(base, axis=axis)


print("# Written by statistics_reference.py with", subprocess.check_output(["R", "--version"], text=True).split("\n")[0],
      "and scipy", scipy.__version__)

print("# mann-whitney: n, a, m, b, exact, U of a, two-sided p. wilcox.test and scipy.stats.mannwhitneyu")
for n, m in [(1, 1), (1, 5), (3, 3), (4, 4), (5, 5), (5, 9), (8, 8), (10, 10), (20, 20), (49, 49), (50, 12), (120, 80)]:
    for shift in (1.0, 1.03, 1.2):
        mann_whitney(processes(n), processes(m, shift))
mann_whitney([1.0, 2, 3, 4, 5], [6.0, 7, 8, 9, 10])
for n, m in [(4, 6), (10, 10), (30, 25), (100, 100)]:  # whole numbers: many ties
    mann_whitney(numpy.round(processes(n)), numpy.round(processes(m, 1.02)))

print("# holm: n, p, n, adjusted p. p.adjust")
for p in [[0.01], [0.01, 0.04, 0.03, 0.005], [0.2, 0.9, 0.6], [0.0, 1.0, 0.02, 0.02], list(numpy.round(random.random(40) ** 3, 9))]:
    line("holm", p, r(f"p.adjust({vector(p)}, 'holm')"))

print("# quantile: n, values, q, the quantile of type 7. quantile and numpy.quantile")
for n in (1, 2, 5, 10, 101):
    values = processes(n)
    for q in (0.0, 0.025, 0.25, 0.5, 0.9, 0.99, 1.0):
        found = r(f"quantile({vector(values)}, {q}, type = 7)")[0]
        agree(found, numpy.quantile(values, q))
        line("quantile", values, q, found)

print("# enumerated: n, base, m, new, low and high of the 95 % percentile interval of the ratio of medians, from all resamples")
for n, m in [(2, 3), (3, 3), (4, 4), (5, 3)]:
    base, new = processes(n), processes(m, 1.05)
    below = [numpy.median(x) for x in itertools.product(base, repeat=n)]
    above = [numpy.median(x) for x in itertools.product(new, repeat=m)]
    # As many resamples, in proportion, as a lower or an upper tail of 2.5 % holds; both ends are far from a step.
    ratios = numpy.sort((numpy.array(above)[:, None] / numpy.array(below)[None, :]).ravel())
    ends = []
    for tail in (0.025, 0.975):
        near = [ratios[int((len(ratios) - 1) * t)] for t in (tail - 0.003, tail, tail + 0.003)]
        if near[0] == near[1] == near[2]:
            ends.append(near[1])
        else:
            ends.append(0.0)  # too close to a step to be told by drawing
    line("enumerated", base, new, *map(float, ends))

print("# bootstrap: n, base, m, new, low, high. scipy.stats.bootstrap, method percentile, 400000 resamples")
for n, m, shift in [(20, 20, 1.0), (20, 20, 1.1), (31, 24, 0.9), (60, 60, 1.02)]:
    base, new = processes(n), processes(m, shift)
    found = scipy.stats.bootstrap((base, new), ratio, n_resamples=400000, batch=20000, vectorized=True, paired=False,
                                  confidence_level=0.95, method="percentile", random_state=1).confidence_interval
    line("bootstrap", base, new, float(found.low), float(found.high))
sys.stdout.flush()
