# A test is a program (tests/<part>/*.c, built against the library; in tests/bench and tests/results also against the
# command's objects) or a script (tests/<part>/*.sh). Each prints TAP; `prove` runs them, each with a time limit.
TEST_SRC += $(wildcard tests/calendar/*.c tests/impls/*.c tests/cases/*.c tests/bench/*.c tests/results/*.c)
TEST_SH  += $(wildcard tests/*/*.sh)
TEST_LIMIT ?= 300
