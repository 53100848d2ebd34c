/* registry.h: the implementations of the library, one line each: TB_IMPL(name) for TB_DEFINE_IMPL(name) in impls/name.c. */
TB_IMPL(unordered_list)
TB_IMPL(sorted_list)
TB_IMPL(binary_heap)
TB_IMPL(heap4)
TB_IMPL(hashed_wheel_rounds)
TB_IMPL(wheel_6x64)
TB_IMPL(null)
