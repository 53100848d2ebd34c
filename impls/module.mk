LIB_SRC += $(wildcard impls/*.c)
