# The command: bench/command/main.c is its main, one file a subcommand beside it.
CMD_MAIN := bench/command/main.c
CMD_SRC  += $(filter-out $(CMD_MAIN),$(wildcard bench/*.c bench/*.cc bench/command/*.c))
CMD_LIBS += -lbenchmark -ljansson -llzma
ifeq ($(SAN),)
CMD_LIBS += -ljemalloc
endif

# The recorded traces are found beside the command, in the tree as after `make install`.
$(BUILD)/traces: $(wildcard bench/traces/*)
	@mkdir -p $(BUILD)
	@ln -sfn $(abspath bench/traces) $@
