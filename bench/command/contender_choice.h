/* contender_choice.h: who takes part in a run beside implementations: peers, the floor, the row that ratios are to. */
#ifndef BENCH_COMMAND_CONTENDER_CHOICE_H
#define BENCH_COMMAND_CONTENDER_CHOICE_H

#include "bench/command/measure.h"

/* Adds them to chosen[], one for each contender of the build. false: *error names the option and what there is. */
bool tb_contender_choice_beside(const tb_measure_settings *settings, bool *chosen, tb_error_text *error);

#endif
