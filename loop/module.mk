LIB_SRC += $(wildcard loop/*.c loop/fiber/*.c)
