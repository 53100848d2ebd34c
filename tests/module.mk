# A test is a program (tests/<part>/*.c, built against the library; in tests/bench and tests/results also against the
# command's objects) or a script (tests/<part>/*.sh). Each prints TAP; `prove` runs them, each with a time limit.
TEST_SRC += $(wildcard tests/calendar/*.c tests/impls/*.c tests/cases/*.c tests/loop/*.c tests/bench/*.c tests/results/*.c)
# valgrind counts instructions of the program itself, not of a sanitizer's.
TEST_SRC := $(if $(SAN),$(filter-out tests/impls/test_flat_costs.c,$(TEST_SRC)),$(TEST_SRC))
TEST_SH  += $(wildcard tests/*/*.sh)
TEST_LIMIT ?= 300
include tests/counts/module.mk
include tests/fuzz/module.mk

.PHONY: fault-table
fault-table: $(BUILD)/tests/bench/test_faults ## make the table of planted faults in docs/check.md anew
	@$< --table >$(BUILD)/faults.md
	@sed -i -e '/^<!-- faults:/r $(BUILD)/faults.md' -e '/^<!-- faults:/,/^<!-- end of faults/{/^|/d}' docs/check.md
