#include "bench/steal.h"

#include <stdio.h>

tb_steal tb_steal_read(void)
{
    tb_steal s = {0, -1};
    double t[8]; /* user nice system idle iowait irq softirq steal */
    FILE *f = fopen("/proc/stat", "r");
    if (!f)
        return s;
    if (fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) == 8) {
        s.stolen = t[7];
        s.all = 0;
        for (int i = 0; i < 8; i++)
            s.all += t[i];
    }
    fclose(f);
    return s;
}

double tb_steal_since(tb_steal before)
{
    tb_steal now = tb_steal_read();
    if (before.all < 0 || now.all < 0)
        return -1;
    return now.all > before.all ? (now.stolen - before.stolen) / (now.all - before.all) : 0;
}
