/* fuzz_ops.c: a libFuzzer target: the bytes are a program of operations (bench/ops_bytes.h), driven on every implementation beside
   the oracle. A difference is printed as an operation file, and aborts. */
#include "bench/ops_bytes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tb_impl *impl = NULL;
    tb_difference difference;
    tb_ops shown = {0};
    if (!tb_check_ops_bytes(data, size, &impl, &difference, &shown))
        return 0;
    char name[80];
    tb_drive_name(impl, &shown, name, sizeof name);
    fprintf(stderr, "%s\n# %s %s\n", TB_OPS_FIRST_LINE, name, difference.text);
    tb_ops_write_head(&shown, stderr);
    tb_ops_write_range(&shown, 0, shown.len, stderr);
    abort();
}
