/* Want of memory while a zone is loaded: it is told, nothing is left behind, and a zone that was there is still there. */
#include "tap.h"

#include <timerbench/zone.h>

#include "bench/failing_malloc.h"

int main(void)
{
    tb_zone zone = {.width = 77};
    tb_time_error error;
    int wrong = 0, failures = 0, refused = 0;
    if (!tb_zone_load("Europe/Paris", &zone, &error)) {
        skip(2, "no time zone database");
        return tap_done();
    }
    tb_zone_free(&zone);
    zone.width = 77;
    for (long k = 1;; k++) {
        fail_allocation(k);
        bool loaded = tb_zone_load("Europe/Paris", &zone, &error);
        if (!allocation_failed()) {
            wrong += !loaded;
            break;
        }
        failures++;
        /* The C library reads on without a buffer of its own. */
        if (loaded)
            tb_zone_free(&zone);
        else
            wrong += zone.width != 77 || error.at != 0 || strcmp(error.reason, "out of memory") != 0;
        refused += !loaded;
        zone.width = 77;
    }
    diag("%d allocations failed, %d loads were refused", failures, refused);
    none_of(wrong, "GB-04 want of memory is told, and leaves the zone as it was");
    ok(tb_zone_at_seconds(&zone, 1782864000).offset == 7200, "GB-04 with memory the zone is there");
    tb_zone_free(&zone);
    return tap_done();
}
