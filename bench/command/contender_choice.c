#include "bench/command/contender_choice.h"

#include <stdlib.h>
#include <string.h>

#include "bench/floor.h"
#include "bench/peers/peer.h"
#include "bench/selection.h"

/* The peers of the list; the default is none, or with --cell all, as what is not given is as wide as that. */
static bool choose_peers(const tb_measure_settings *s, bool *chosen, tb_error_text *error)
{
    size_t n = tb_contender_count(), peers = 0;
    tb_selectable *items = calloc(n + 1, sizeof *items);
    bool *picked = calloc(n + 1, sizeof *picked), done = items && picked;
    if (!done)
        tb_error_no_memory(error);
    for (size_t i = 0; done && i < n; i++)
        if (tb_contender_at(i)->peer)
            items[peers++] = (tb_selectable){tb_contender_at(i)->name, "", s->cells.count > 0, false};
    done = done && tb_select(&s->peers, "--peer", items, peers, picked, error);
    for (size_t i = 0, at = 0; done && i < n; i++)
        if (tb_contender_at(i)->peer)
            chosen[i] = picked[at++];
    free(items);
    free(picked);
    return done;
}

static bool is_word_of(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return true;
    return false;
}

/* A peer that this build could have is better told of by its package than by what there is instead. */
static bool all_are_built(const tb_string_list *peers, tb_error_text *error)
{
    for (size_t e = 0; e < peers->count; e++)
        for (size_t i = 0; i < tb_peer_library_count(); i++) {
            const tb_peer_library *library = tb_peer_library_at(i);
            if (library->entries || !is_word_of(library->names, peers->items[e]))
                continue;
            tb_error_set(error, "--peer '%s': not in this build: expected the package %s when it was built", peers->items[e],
                         library->package ? library->package : "(none)");
            return false;
        }
    return true;
}

static bool is_chosen_by_name(const char *name, const bool *chosen)
{
    for (size_t i = 0; i < tb_contender_count(); i++)
        if (chosen[i] && strcmp(tb_contender_at(i)->name, name) == 0)
            return true;
    return false;
}

/* The row that ratios are to must be there; a yardstick needs no other naming. */
static bool add_reference(const char *name, bool *chosen, tb_error_text *error)
{
    for (size_t i = 0; i < tb_contender_count(); i++) {
        const tb_contender *c = tb_contender_at(i);
        chosen[i] |= c->hidden && strcmp(c->name, name) == 0;
    }
    if (is_chosen_by_name(name, chosen))
        return true;
    tb_error_set(error, "--ratio-to '%s': expected the name of a contender in this run, or of a floor row such as %s", name,
                 tb_floor_example);
    return false;
}

bool tb_contender_choice_beside(const tb_measure_settings *s, bool *chosen, tb_error_text *error)
{
    if (!all_are_built(&s->peers, error) || !choose_peers(s, chosen, error))
        return false;
    for (size_t i = 0; i < tb_contender_count(); i++)
        chosen[i] |= tb_contender_at(i)->floor && (s->peers.count > 0 || s->floor);
    return !s->ratio_to || add_reference(s->ratio_to, chosen, error);
}
