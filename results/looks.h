/* looks.h: looking at figures while they still come in, without being wrong more often for it.

   Whoever looks again and again at growing samples, and stops at the first verdict, is wrong far more often than the level of a
   single look says (P. Armitage, C. K. McPherson and B. C. Rowe, "Repeated significance tests on accumulating data", Journal of
   the Royal Statistical Society A 132(2), 1969: five looks at 5 % make 14 %). So the error is spent over the looks (K. K. G. Lan
   and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70(3), 1983): look k = 1, 2, 3 … may err
   with E / (k (k + 1)), which comes to E however many looks there are. Each look tests, and has its interval, at that level: the
   repeated confidence intervals of C. Jennison and B. W. Turnbull, "Interim analyses: the repeated confidence interval approach",
   Journal of the Royal Statistical Society B 51(3), 1989, which hold together whatever rule one stops by. That the errors of the
   looks may be added is Bonferroni's inequality: it asks nothing of the figures' distribution, and errs on the safe side. */
#ifndef RESULTS_LOOKS_H
#define RESULTS_LOOKS_H

#include <stddef.h>

/* After how many units of each sample look number 1, 2, 3 … is: 6, 10, 16, 24, 36, 54, 82 …, half as many more each time. */
size_t tb_look_units(size_t look);

/* What look number 1, 2, 3 … may spend of `total`. */
double tb_look_error(size_t look, double total);

#endif
