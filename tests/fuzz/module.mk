# Fuzzing, by clang's libFuzzer with the address and undefined-behaviour sanitizers: each fuzz_NAME.c is a target, corpus-NAME
# (dashes for underscores) what it begins with. What it finds besides goes to $(BUILD)/fuzz/NAME, and stays there.
FUZZ ?= $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
TIME ?= 600
fuzz_cc    := clang -std=gnu17 -g -O1 -Iinclude -I. -D_GNU_SOURCE -DTB_DEBUG=1 -fno-omit-frame-pointer -fno-sanitize-recover=all
fuzz_parts := ops ops_% drive drive_% oracle coverage counted_memory int_map black_box error_text trace_input trace_line \
    trace_rules trace_file string_list
fuzz_src   := $(wildcard calendar/*.c impls/*.c impls/core/*.c) $(filter $(patsubst %,bench/%.c,$(fuzz_parts)),$(wildcard bench/*.c))
fuzz_obj   := $(patsubst %.c,$(BUILD)/fuzz/obj/%.o,$(fuzz_src))

# fuzz_ops: entropic's schedule takes nine tenths of the time on a target with so many features.
fuzz_flags = -max_len=4096 -timeout=10
fuzz_flags_fuzz_ops = -entropic=0 -len_control=0 -max_len=2048 -timeout=20
fuzz_flags_fuzz_rfc3339 = -dict=tests/fuzz/calendar.dict -max_len=64
fuzz_flags_fuzz_http_date = $(fuzz_flags_fuzz_rfc3339)
fuzz_flags_fuzz_date_format = -dict=tests/fuzz/calendar.dict -max_len=128
fuzz_flags_fuzz_zone = -dict=tests/fuzz/calendar.dict -max_len=600

$(BUILD)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(say) FUZZ $<
	$(Q)$(fuzz_cc) -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c $< -o $@
$(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(fuzz_obj)
	$(say) FUZZ $<
	$(Q)$(fuzz_cc) -fsanitize=fuzzer,address,undefined -o $@ $< $(fuzz_obj) -llzma -lm -pthread
.SECONDARY: $(fuzz_obj)
-include $(fuzz_obj:.o=.d)

# fuzz-run TARGET: for TIME seconds
corpus = corpus-$(subst _,-,$(patsubst fuzz_%,%,$(1)))
.PHONY: fuzz fuzz-smoke fuzz-programs $(addprefix fuzz-run-,$(FUZZ))
$(addprefix fuzz-run-,$(FUZZ)): fuzz-run-%: $(BUILD)/fuzz/%
	@mkdir -p $(BUILD)/fuzz/$(call corpus,$*)
	@$(BUILD)/fuzz/$* $(or $(fuzz_flags_$*),$(fuzz_flags)) -max_total_time=$(TIME) -print_final_stats=1 -verbosity=1 \
	    -artifact_prefix=$(BUILD)/fuzz/$*- $(BUILD)/fuzz/$(call corpus,$*) tests/fuzz/$(call corpus,$*) >$(BUILD)/fuzz/$*.log 2>&1 || \
	    { tail -n 40 $(BUILD)/fuzz/$*.log; echo "$*: FOUND something, see above"; exit 1; }
	@printf '%-20s %9s programs, nothing found in $(TIME) s\n' $* "$$(sed -n 's/^stat::number_of_executed_units: *//p' $(BUILD)/fuzz/$*.log)"
fuzz-programs: $(addprefix $(BUILD)/fuzz/,$(FUZZ))
fuzz: fuzz-programs ## fuzz every target for TIME=600 seconds each, one after the other (FUZZ='fuzz_ops' for some)
	@for target in $(FUZZ); do $(MAKE) fuzz-run-$$target TIME=$(TIME) || exit 1; done
fuzz-smoke: fuzz-programs ## fuzz every target for some seconds: a minute in all
	@for target in $(FUZZ); do $(MAKE) fuzz-run-$$target TIME=$$((60 / $(words $(FUZZ)))) || exit 1; done
