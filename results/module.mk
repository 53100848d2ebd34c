CMD_SRC += $(wildcard results/*.c)
