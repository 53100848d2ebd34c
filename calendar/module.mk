LIB_SRC += $(wildcard calendar/*.c)
