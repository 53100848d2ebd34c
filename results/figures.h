/* figures.h: how the figures of a comparison are shown. */
#ifndef RESULTS_FIGURES_H
#define RESULTS_FIGURES_H

#include "results/comparison.h"

enum { TB_FIGURE_SIZE = 32 };

typedef struct tb_figure {
    char text[TB_FIGURE_SIZE];
} tb_figure;

typedef struct tb_time_unit {
    const char *name; /* "ns", "us", "ms", "s" */
    double ns;
} tb_time_unit;

/* The largest unit of which `ns` has at least one. */
tb_time_unit tb_unit_for(double ns);

/* Four digits at least: "44.60". */
tb_figure tb_show_time(double ns, tb_time_unit unit);

/* "1.056"; fewer decimals from 100 on. NAN: "-", as in those that follow. */
tb_figure tb_show_ratio(double ratio);

/* "[1.031, 1.074]" */
tb_figure tb_show_interval(tb_interval interval);

/* "0.0031", "<1e-6" */
tb_figure tb_show_p(double p);

/* A share as "1.3%" */
tb_figure tb_show_percent(double share);

/* The title of a column of intervals: "95 % interval", or "interval" where levels differ. */
tb_figure tb_interval_title(const tb_comparison *comparison);

#endif
