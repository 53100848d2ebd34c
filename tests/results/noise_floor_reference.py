#!/usr/bin/python3
"""Writes noise_floor.txt: noise floors worked out by Python's own statistics module, for test_noise_floor.c.

    tests/results/noise_floor_reference.py > tests/results/noise_floor.txt

A line: how many units, the units, the noise floor from every split into halves; of an odd number each is left out in turn.
"""
import itertools
import math
import random
import statistics

draw = random.Random(20240402)


def floor(units):
    differences = []
    n = len(units)
    for left_out in range(n) if n % 2 else [None]:
        rest = [i for i in range(n) if i != left_out]
        for half in itertools.combinations(rest, n // 2):
            a = statistics.median(units[i] for i in half)
            b = statistics.median(units[i] for i in rest if i not in half)
            differences.append(abs(math.log(a / b)))
    # method "inclusive" is type 7 of Hyndman and Fan; the last of the 19 cut points of twentieths is the 95 % quantile
    return math.exp(statistics.quantiles(differences, n=20, method="inclusive")[18]) - 1


print("# Written by noise_floor_reference.py")
for n in (4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 18):
    for spread in (0.01, 0.1):
        units = [round(50 * math.exp(draw.gauss(0, spread)), 6) for _ in range(n)]
        if n % 2 == 0 and spread > 0.05:
            units[0] *= 1.5  # one process that was disturbed
        print(n, *units, repr(floor(units)))
print(5, *[7.0] * 5, floor([7.0] * 5))
