/* plugin.c: loading implementations from shared objects. */
#include "bench/plugin.h"

#include "bench/peers/peer.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { most = 256 }; /* implementations of all plugins */

static const tb_impl *plugged[most];
static size_t plugged_count;

size_t tb_every_impl_count(void) { return tb_impl_count() + plugged_count; }

const tb_impl *tb_every_impl_at(size_t index)
{
    size_t ours = tb_impl_count();
    return index < ours ? tb_impl_at(index) : index - ours < plugged_count ? plugged[index - ours] : NULL;
}

bool tb_impl_is_plugged(const tb_impl *impl)
{
    for (size_t i = 0; i < plugged_count; i++)
        if (plugged[i] == impl)
            return true;
    return false;
}

bool tb_impl_is_raw(const tb_impl *impl) { return impl->make == tb_raw_make; }

/* ---- what is wrong with it ----------------------------------------------------------------------------------------------- */

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    return name && name[0] && strlen(name) < 64 && name[strspn(name, letters)] == '\0';
}

static const char *missing_operation(const tb_structure *s)
{
    const struct {
        bool there;
        const char *what;
    } needed[] = {
        {s->open, "its operation open is null"},
        {s->close, "its operation close is null"},
        {s->reserve, "its operation reserve is null"},
        {s->insert, "its operation insert is null"},
        {s->remove, "its operation remove is null"},
        {s->next, "its operation next is null"},
        {s->take, "its operation take is null"},
        {s->check, "its operation check is null"},
        {s->late_bound || !(s->traits & TB_RELAXED), "it says TB_RELAXED, and late_bound is null"},
        {s->cascades || !(s->traits & TB_CASCADES), "it says TB_CASCADES, and cascades is null"},
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!needed[i].there)
            return needed[i].what;
    return NULL;
}

const char *tb_plugin_inspect(const tb_impl *impl)
{
    if (impl->abi != TB_ABI || impl->size != sizeof *impl)
        return "its tb_impl is of another ABI";
    const tb_structure *s = impl->structure;
    if (!s)
        return "its structure is null";
    if (s->abi != TB_ABI || s->size != sizeof *s)
        return "its tb_structure is of another ABI";
    if (!impl->make)
        return "its make is null";
    if (!is_name(s->name))
        return "its name is not of a-z 0-9 _ . (at most 63)";
    if (!s->family || !s->summary || !s->publication || !s->cost_insert || !s->cost_cancel || !s->cost_expire)
        return "one of its texts (family, summary, publication, costs) is null";
    return missing_operation(s);
}

static bool is_peer(const char *name)
{
    for (size_t i = 0; i < tb_peer_library_count(); i++)
        for (const tb_peer *peer = tb_peer_library_at(i)->entries; peer && peer->name; peer++)
            if (strcmp(peer->name, name) == 0)
                return true;
    return false;
}

/* Cells are known by the names of who takes part. */
static bool is_taken(const char *name)
{
    if (is_peer(name))
        return true;
    for (size_t i = 0; i < tb_every_impl_count(); i++)
        if (strcmp(tb_impl_name(tb_every_impl_at(i)), name) == 0)
            return true;
    return false;
}

static bool add(const char *path, const tb_impl *impl, size_t index, tb_error_text *error)
{
    const char *wrong = tb_plugin_inspect(impl);
    const char *name = impl->abi == TB_ABI && impl->structure && is_name(impl->structure->name) ? impl->structure->name : NULL;
    if (wrong && name)
        tb_error_set(error, "%s: implementation %s: %s", path, name, wrong);
    else if (wrong)
        tb_error_set(error, "%s: implementation %zu: %s", path, index + 1, wrong);
    else if (is_taken(name))
        tb_error_set(error, "%s: implementation %s: there is another of that name", path, name);
    else if (plugged_count == most)
        tb_error_set(error, "%s: more than %d implementations in plugins", path, most);
    else {
        plugged[plugged_count++] = impl;
        return true;
    }
    return false;
}

static bool add_all(const char *path, const tb_plugin *plugin, tb_error_text *error)
{
    if (plugin->abi != TB_ABI) {
        tb_error_set(error, "%s: a plugin for ABI %u: expected %u, compile it with this version's headers", path, plugin->abi, TB_ABI);
        return false;
    }
    if (plugin->size != sizeof *plugin || !plugin->impls || !plugin->impls[0]) {
        tb_error_set(error, "%s: its %s lists no implementations: expected one made by TB_PLUGIN", path, TB_PLUGIN_SYMBOL);
        return false;
    }
    size_t before = plugged_count;
    for (size_t i = 0; plugin->impls[i]; i++)
        if (!add(path, plugin->impls[i], i, error)) {
            plugged_count = before;
            return false;
        }
    return true;
}

/* ---- loading ------------------------------------------------------------------------------------------------------------- */

/* What the loader says, without the path that it begins with. */
static const char *loader_says(const char *path)
{
    const char *text = dlerror();
    size_t length = strlen(path);
    if (!text)
        return "cannot be loaded";
    return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2 : text;
}

bool tb_plugin_load(const char *path, tb_error_text *error)
{
    char local[TB_ERROR_TEXT_SIZE];
    struct stat about;
    int wrong = stat(path, &about) != 0 ? errno : S_ISREG(about.st_mode) ? 0 : S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    if (wrong) {
        tb_error_set(error, "%s: %s", path, strerror(wrong));
        return false;
    }
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path); /* else it is looked for elsewhere */
    void *handle = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        tb_error_set(error, "%s: not a plugin: %s", path, loader_says(local));
        return false;
    }
    const tb_plugin *plugin = dlsym(handle, TB_PLUGIN_SYMBOL);
    if (!plugin)
        tb_error_set(error, "%s: not a plugin: it has no symbol %s (TB_PLUGIN makes one)", path, TB_PLUGIN_SYMBOL);
    if (plugin && add_all(path, plugin, error))
        return true;
    dlclose(handle);
    return false;
}

bool tb_plugins_load(const tb_string_list *paths, tb_error_text *error)
{
    for (size_t i = 0; i < paths->count; i++)
        if (!tb_plugin_load(paths->items[i], error))
            return false;
    return true;
}
