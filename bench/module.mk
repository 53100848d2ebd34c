# The command: bench/command/main.c is its main, one file a subcommand beside it.
CMD_MAIN := bench/command/main.c
CMD_SRC  += $(filter-out $(CMD_MAIN),$(wildcard bench/*.c bench/*.cc bench/command/*.c))
CMD_LIBS += -lbenchmark -ljansson -llzma
ifeq ($(SAN),)
CMD_LIBS += -ljemalloc
endif

include bench/peers/module.mk

# The recorded traces are found beside the command, in the tree as after `make install`.
$(BUILD)/traces: $(wildcard bench/traces/*)
	@mkdir -p $(BUILD)
	@ln -sfn $(abspath bench/traces) $@

# What a result says of its build: known to one object, made anew when it changes.
revision := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
$(BUILD)/revision: FORCE
	@mkdir -p $(BUILD)
	@echo '$(revision)' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi
$(BUILD)/obj/bench/environment.o: $(BUILD)/revision
$(BUILD)/obj/bench/environment.o: tb_cppflags += -DTB_BUILD_FLAGS='"$(strip $(optimise) $(CFLAGS) $(LDFLAGS) $(slowdown))"' \
    -DTB_BUILD_REVISION='"$(revision)"'
