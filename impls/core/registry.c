/* registry.c: finding implementations by name. The list itself is impls/registry.h. */
#include <string.h>

#include <timerbench/impl.h>

#define TB_IMPL(name) extern const tb_impl tb_##name;
#include "impls/registry.h"
#undef TB_IMPL

static const tb_impl *const all[] = {
#define TB_IMPL(name) &tb_##name,
#include "impls/registry.h"
#undef TB_IMPL
};

size_t tb_impl_count(void) { return sizeof all / sizeof *all; }
const tb_impl *tb_impl_at(size_t index) { return index < tb_impl_count() ? all[index] : NULL; }
const char *tb_impl_name(const tb_impl *impl) { return impl->structure->name; }

const tb_impl *tb_impl_find(const char *name)
{
    for (size_t i = 0; i < tb_impl_count(); i++)
        if (strcmp(tb_impl_name(all[i]), name) == 0)
            return all[i];
    return NULL;
}
