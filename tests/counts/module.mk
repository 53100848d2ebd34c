# The library with its operations counted (TB_COUNT in impl.h): objects of their own, for the programs in this folder alone.
TEST_SRC += $(wildcard tests/counts/*.c)
counted_src := $(wildcard calendar/*.c impls/*.c impls/core/*.c)
counted_obj := $(patsubst %.c,$(BUILD)/tests/counts/obj/%.o,$(counted_src))
$(BUILD)/tests/counts/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(CC) $(tb_cppflags) -DTB_COUNTING=1 $(tb_cflags) -MMD -MP -c $< -o $@
$(BUILD)/tests/counts/libcounted.a: $(counted_obj) $(BUILD)/objects
	@rm -f $@
	$(say) AR $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)
$(BUILD)/tests/counts/%: tests/counts/%.c $(BUILD)/flags $(BUILD)/tests/counts/libcounted.a
	@mkdir -p $(@D)
	$(say) TEST $<
	$(Q)$(CC) $(tb_cppflags) -DTB_COUNTING=1 -Itests $(tb_cflags) -MMD -MP -MF $@.d -MT $@ -c $< -o $@.o
	$(Q)$(CC) $(tb_ldflags) -o $@ $@.o $(BUILD)/tests/counts/libcounted.a $(tb_libs) -lm
