#include "results/figures.h"

#include <math.h>
#include <stdio.h>

tb_time_unit tb_unit_for(double ns)
{
    static const tb_time_unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    int i = 0;
    while (i < 3 && ns < units[i].ns)
        i++;
    return units[i];
}

static int decimals(double value)
{
    return value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
}

static tb_figure show(double value, const char *end)
{
    tb_figure f = {"-"};
    if (!isnan(value))
        snprintf(f.text, sizeof f.text, value < 1e6 ? "%.*f%s" : "%.*e%s", value < 1e6 ? decimals(value) : 1, value, end);
    return f;
}

tb_figure tb_show_time(double ns, tb_time_unit unit)
{
    return show(ns / unit.ns, "");
}

tb_figure tb_show_ratio(double ratio)
{
    return show(ratio, "");
}

tb_figure tb_show_interval(tb_interval interval)
{
    tb_figure f = {"-"};
    if (!isnan(interval.low))
        snprintf(f.text, sizeof f.text, "[%.12s, %.12s]", show(interval.low, "").text, show(interval.high, "").text);
    return f;
}

tb_figure tb_show_p(double p)
{
    tb_figure f = {"-"};
    if (p < 1e-6)
        snprintf(f.text, sizeof f.text, "<1e-6");
    else if (p < 0.001)
        snprintf(f.text, sizeof f.text, "%.1e", p);
    else if (!isnan(p))
        snprintf(f.text, sizeof f.text, "%.2g", p);
    return f;
}

tb_figure tb_show_percent(double share)
{
    tb_figure f = {"-"};
    if (!isnan(share))
        snprintf(f.text, sizeof f.text, share < 100 ? "%.1f%%" : "%.1e%%", 100 * share);
    return f;
}

tb_figure tb_interval_title(const tb_comparison *comparison)
{
    tb_figure f = {"interval"};
    if (!comparison->options.repeated)
        snprintf(f.text, sizeof f.text, "%g %% interval", 100 * comparison->options.how.level);
    return f;
}
