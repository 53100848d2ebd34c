# Peers: each a file of this folder, built when its library is there. PEERS= builds none; PEERS='libev libuv' these alone.
peer_names := libevent libev libuv glib sd_event ace std_containers timerfd posix_timers io_uring
PEERS ?= $(peer_names)

# A library is known by pkg-config, or by a header. What is in the C or C++ library is always there.
peer_pc_libevent := libevent_core
peer_pc_libuv    := libuv
peer_pc_glib     := glib-2.0
peer_pc_sd_event := libsystemd
peer_pc_io_uring := liburing
peer_pc_ace      := ACE
peer_header_libev := ev.h
peer_libs_libev   := -lev

pkg_config ?= pkg-config
has_header = $(shell printf '\043include <%s>\n' $(1) | $(CC) $(CPPFLAGS) -E -x c - >/dev/null 2>&1 && echo yes)
peer_has = $(if $(peer_pc_$(1)),$(shell $(pkg_config) --exists $(peer_pc_$(1)) 2>/dev/null && echo yes),$(if \
    $(peer_header_$(1)),$(call has_header,$(peer_header_$(1))),yes))
peers := $(foreach p,$(PEERS),$(if $(call peer_has,$(p)),$(p)))
$(foreach p,$(filter-out $(peer_names),$(PEERS)),$(error PEERS: no peer '$(p)': expected some of: $(peer_names)))

peer_pcs := $(strip $(foreach p,$(peers),$(peer_pc_$(p))))
CMD_SRC  += bench/peers/catalogue.c bench/peers/describe.c bench/peers/probe.c $(wildcard $(foreach p,$(peers),bench/peers/$(p).c bench/peers/$(p).cc))
# libev has functions of libevent's names: libevent stands before it.
CMD_LIBS += $(if $(peer_pcs),$(shell $(pkg_config) --libs $(peer_pcs))) $(foreach p,$(peers),$(peer_libs_$(p)))
# Those that ask the system for the time get it from the synthetic clock.
ifneq ($(filter libevent libev libuv glib sd_event,$(peers)),)
CMD_SRC  += bench/peers/synthetic_clock.c
CMD_LIBS += -ldl
endif

# Which there are is known to one object, made anew when that changes.
$(BUILD)/peers: FORCE
	@mkdir -p $(BUILD)
	@echo '$(peers)' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi
$(BUILD)/obj/bench/peers/catalogue.o: $(BUILD)/peers
$(BUILD)/obj/bench/peers/catalogue.o: tb_cppflags += $(foreach p,$(peer_names),-DTB_PEER_HAVE_$(p)=$(if $(filter $(p),$(peers)),1,0))
# Versions that the library itself does not tell.
$(BUILD)/obj/bench/peers/sd_event.o: tb_cppflags += -DTB_PEER_VERSION=$(if $(filter sd_event,$(peers)),$(shell $(pkg_config) --modversion libsystemd))
$(BUILD)/obj/bench/peers/io_uring.o: tb_cppflags += -DTB_PEER_VERSION=$(if $(filter io_uring,$(peers)),$(shell $(pkg_config) --modversion liburing))
ifneq ($(filter glib,$(peers)),)
$(BUILD)/obj/bench/peers/glib.o: tb_cppflags += $(shell $(pkg_config) --cflags $(peer_pc_glib))
endif
