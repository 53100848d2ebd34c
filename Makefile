# timerbench: every command. `make help` lists them. Each folder says what it holds in its own module.mk.
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

BUILD  ?= build
PREFIX ?= /usr/local
SAN    ?=
WERROR ?=
CONFIG ?= release

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)),$(subst gcc,g++,$(CC)))
endif

VERSION := $(shell sed -n 's/^\#define TB_VERSION "\(.*\)"/\1/p' include/timerbench/version.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

# ---- flags -----------------------------------------------------------------------------------------------------------
warnings   := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla
c_warnings := $(warnings) -Wstrict-prototypes -Wmissing-prototypes
optimise   := $(if $(filter debug,$(CONFIG)),-O0 -DTB_DEBUG=1,-O2)
ifneq ($(SAN),)
comma := ,
# TB_DEBUG turns on the assertions that are too dear for a release build.
optimise := -O1 -fno-omit-frame-pointer -fsanitize=$(SAN) $(if $(findstring undefined,$(SAN)),-fno-sanitize-recover=all) -DTB_DEBUG=1
endif
# Version 4 of DWARF from clang: valgrind 3.19 (Debian 12) gives up on the version 5 that clang 14 writes by itself.
debug_info := $(if $(findstring clang,$(CC)),-gdwarf-4,-g)
CFLAGS   ?= $(debug_info)
CXXFLAGS ?= $(debug_info)
# SLOWDOWN=cancel:5 or expire:20: a library that is slower on purpose, to try comparisons on (docs/trust.md).
SLOWDOWN ?=
ifneq ($(SLOWDOWN),)
slower := $(subst :, ,$(SLOWDOWN))
ifneq ($(words $(slower))$(filter-out cancel expire,$(word 1,$(slower))),2)
$(error SLOWDOWN=$(SLOWDOWN): expected cancel:PERCENT or expire:PERCENT)
endif
slowdown := -DTB_SLOWDOWN_$(if $(filter cancel,$(word 1,$(slower))),CANCEL,EXPIRE)=$(word 2,$(slower))
endif
tb_cppflags := -Iinclude -I. -D_GNU_SOURCE $(slowdown) $(CPPFLAGS)
tb_cflags   := -std=gnu17 $(optimise) -fvisibility=hidden $(c_warnings) $(if $(WERROR),-Werror) $(CFLAGS)
tb_cxxflags := -std=gnu++17 $(optimise) -fvisibility=hidden $(warnings) $(if $(WERROR),-Werror) $(CXXFLAGS)
tb_ldflags  := $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)
tb_libs     := -pthread

# ---- what each folder adds -------------------------------------------------------------------------------------------
# LIB_SRC: the library · CMD_SRC: the timerbench command (all but its main) · CMD_LIBS: what the command links
# TEST_SRC: test programs, one a file · TEST_SH: test scripts
LIB_SRC :=
CMD_SRC :=
CMD_LIBS :=
TEST_SRC :=
TEST_SH :=
include calendar/module.mk impls/module.mk loop/module.mk bench/module.mk results/module.mk tests/module.mk

obj = $(patsubst %,$(BUILD)/obj/%.o,$(basename $(1)))
pic = $(patsubst %,$(BUILD)/pic/%.o,$(basename $(1)))
lib := $(BUILD)/libtimerbench.a
so  := $(BUILD)/libtimerbench.so.$(VERSION)
cmd := $(BUILD)/timerbench
tests := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))

.PHONY: all lib help clean test FORCE
all: lib $(cmd) $(BUILD)/traces ## build the library and the timerbench command into build/
lib: $(lib) $(so) $(BUILD)/timerbench.pc

help: ## list the commands
	@printf 'usage: make [COMMAND] [CC=gcc|clang] [SAN=address|undefined|thread] [BUILD=build] [PREFIX=/usr/local]\n\n'
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | sort | awk -F'\t' '{printf "  %-18s %s\n", $$1, $$2}'

# Short lines; `make V=1` shows the commands.
V ?=
Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-4s %s\n')

# ---- rules -----------------------------------------------------------------------------------------------------------
# Objects depend on the exact command that makes them: the stamp changes when compiler or flags do.
stamp := $(BUILD)/flags
$(stamp): FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(CC) $(tb_cppflags) $(tb_cflags)' '$(CXX) $(tb_cxxflags)' '$(tb_ldflags)' "$$($(CC) --version | head -n 1)" > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi

$(BUILD)/obj/%.o: %.c $(stamp)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(tb_cppflags) $(tb_cflags) -MMD -MP -c $< -o $@
$(BUILD)/obj/%.o: %.cc $(stamp)
	@mkdir -p $(@D)
	$(say) CXX $<
	$(Q)$(CXX) $(tb_cppflags) $(tb_cxxflags) -MMD -MP -c $< -o $@
$(BUILD)/pic/%.o: %.c $(stamp)
	@mkdir -p $(@D)
	$(say) PIC $<
	$(Q)$(CC) $(tb_cppflags) $(tb_cflags) -fPIC -MMD -MP -c $< -o $@

# An archive or a program is made anew when the list of its objects changes, too: a deleted source must not linger.
$(BUILD)/objects: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(LIB_SRC)' '$(CMD_SRC)' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi

$(lib): $(call obj,$(LIB_SRC)) $(BUILD)/objects
	@rm -f $@
	$(say) AR $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)
$(so): $(call pic,$(LIB_SRC)) $(BUILD)/objects
	$(say) LD $@
	$(Q)$(CC) -shared -Wl,-soname,libtimerbench.so.$(SOVERSION) $(tb_ldflags) -o $@ $(filter %.o,$^) $(tb_libs)
	@ln -sf $(@F) $(BUILD)/libtimerbench.so.$(SOVERSION)
	@ln -sf $(@F) $(BUILD)/libtimerbench.so
$(cmd): $(call obj,$(CMD_MAIN) $(CMD_SRC)) $(lib)
	$(say) LD $@
	$(Q)$(CXX) $(tb_ldflags) -Wl,--export-dynamic -o $@ $(filter %.o,$^) $(lib) $(CMD_LIBS) $(tb_libs)

$(BUILD)/timerbench.pc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' 'Name: timerbench' \
	    'Description: interchangeable timer data structures with one exact meaning' 'Version: $(VERSION)' \
	    'Libs: -L$${libdir} -ltimerbench' 'Libs.private: -pthread' 'Cflags: -I$${includedir}' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi

# ---- tests -----------------------------------------------------------------------------------------------------------
# Parts of the command are tested against all its objects but its main.
command_lib := $(BUILD)/libcommand.a
$(command_lib): $(call obj,$(CMD_SRC)) $(BUILD)/objects
	@rm -f $@
	$(say) AR $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)
compile_test = $(CC) $(tb_cppflags) -Itests $(tb_cflags) -MMD -MP -MF $@.d -MT $@ -c $< -o $@.o
$(BUILD)/tests/%: tests/%.c $(stamp) $(lib)
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(compile_test)
	$(Q)$(CC) $(tb_ldflags) -o $@ $@.o $(lib) $(tb_libs) -lm
$(BUILD)/tests/bench/%: tests/bench/%.c $(stamp) $(command_lib) $(lib)
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(compile_test)
	$(Q)$(CXX) $(tb_ldflags) -o $@ $@.o $(command_lib) $(lib) $(CMD_LIBS) $(tb_libs) -lm
$(BUILD)/tests/results/%: tests/results/%.c $(stamp) $(command_lib) $(lib)
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(compile_test)
	$(Q)$(CXX) $(tb_ldflags) -o $@ $@.o $(command_lib) $(lib) $(CMD_LIBS) $(tb_libs) -lm

.PHONY: test-programs check
test-programs: $(tests)
# `make test` installs what it needs first; `make check` is the same without that.
test: deps ## install what is missing, build, and run every test
	@$(MAKE) check
check: all test-programs ## build and run every test (TESTS='tests/impls/*' for some)
	@BUILD='$(BUILD)' TEST_LIMIT='$(TEST_LIMIT)' CC='$(CC)' CXX='$(CXX)' CMD_LIBS='$(CMD_LIBS)' tests/run $(if $(TESTS),$(TESTS),$(TEST_SRC) $(TEST_SH))

# ---- the main job ----------------------------------------------------------------------------------------------------
BENCH_BUDGET ?= 240
.PHONY: bench bench-main-job
bench: deps ## install what is missing, build, and rank all structures on real traces and steady workloads (5 minutes)
	@$(MAKE) all
	@$(MAKE) bench-main-job
bench-main-job:
	$(cmd) run --workload @trace,churn-random,rearm-later,expire --size 1k,64k,1M --api both \
	    --budget $(BENCH_BUDGET) --out $(BUILD)/latest.json
	@echo
	@echo 'Every figure, with each repetition, is in $(BUILD)/latest.json: Google Benchmark'"'"'s format, and what'
	@echo 'docs/results.md describes. For a report, read it with Google Benchmark'"'"'s tools;'
	@echo 'for other workloads, sizes or structures: $(cmd) run --help'

.PHONY: gate gate-update
gate: all ## compare instruction counts with results/reference/instructions.json
	$(cmd) gate
gate-update: all ## make the counts of this build the reference
	$(cmd) gate --update

# Longer than CI has time for: about half an hour.
.PHONY: night
night: ## the loop's tests over every structure, its races a thousand rounds a seed, and ten minutes of them in real time
	@LOOP_IMPLS=all RACE_ROUNDS=1000 RACE_SECONDS=600 $(MAKE) check TESTS='tests/loop/*.c tests/loop/*.sh' TEST_LIMIT=7200

.PHONY: conformance
conformance: ## list statements of the conformance list without a test or a review
	@tests/conformance

# ---- install ---------------------------------------------------------------------------------------------------------
.PHONY: install uninstall deps
dest := $(DESTDIR)$(PREFIX)
install: all ## install library, headers, command, man page and traces under PREFIX
	install -d $(dest)/bin $(dest)/lib/pkgconfig $(dest)/include/timerbench $(dest)/share/man/man1 $(dest)/share/timerbench/traces
	install -m 755 $(cmd) $(dest)/bin/timerbench
	install -m 644 $(lib) $(dest)/lib/libtimerbench.a
	install -m 755 $(so) $(dest)/lib/$(notdir $(so))
	ln -sf $(notdir $(so)) $(dest)/lib/libtimerbench.so.$(SOVERSION)
	ln -sf $(notdir $(so)) $(dest)/lib/libtimerbench.so
	install -m 644 $(BUILD)/timerbench.pc $(dest)/lib/pkgconfig/timerbench.pc
	cd include && find timerbench -name '*.h' -exec install -D -m 644 {} $(abspath $(dest))/include/{} \;
	install -m 644 docs/timerbench.1 $(dest)/share/man/man1/timerbench.1
	install -m 644 bench/traces/*.trace.xz $(dest)/share/timerbench/traces
uninstall: ## remove what `make install` put under PREFIX
	rm -f $(dest)/bin/timerbench $(dest)/lib/libtimerbench.a $(dest)/lib/libtimerbench.so* \
	    $(dest)/lib/pkgconfig/timerbench.pc $(dest)/share/man/man1/timerbench.1
	rm -rf $(dest)/include/timerbench $(dest)/share/timerbench

deps: ## install what building and testing need (Debian/Ubuntu packages, by apt)
	@.ci/deps build test

.PHONY: deps-peers
deps-peers: ## install the libraries that are measured beside ours (Debian/Ubuntu packages, by apt)
	@.ci/deps peers

clean: ## remove build/
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj $(BUILD)/pic $(BUILD)/tests -name '*.d' 2>/dev/null)
