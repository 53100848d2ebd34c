#include "results/looks.h"

size_t tb_look_units(size_t look)
{
    static const size_t first[] = {6, 10, 16, 24, 36, 54};
    enum { KNOWN = sizeof first / sizeof *first };
    if (look <= KNOWN)
        return first[look - 1];
    size_t units = first[KNOWN - 1];
    for (size_t i = KNOWN; i < look; i++)
        units = (units * 3 + 3) / 4 * 2; /* even */
    return units;
}

double tb_look_error(size_t look, double total)
{
    double k = (double)look;
    return total / (k * (k + 1));
}
