LIB_SRC += $(wildcard impls/*.c impls/core/*.c)
