#!/bin/sh
# LOP-05: which parts of the loop can wait at all, by what their objects import. Prints TAP.
set -u
BUILD=${BUILD:-build}
count=0 failed=0
# only PATTERN WHERE: the loop's objects that import a name of the pattern
only() {
    count=$((count + 1))
    found=$(for object in "$BUILD"/obj/loop/*.o; do
        nm -u "$object" | grep -qE " ($1)(@|\$)" && basename "$object" .o
    done | sort | tr '\n' ' ')
    if [ "$found" = "$2" ]; then
        echo "ok $count - LOP-05 $3"
    else
        failed=$((failed + 1))
        printf 'not ok %s - LOP-05 %s\n# got:  %s\n# want: %s\n' "$count" "$3" "$found" "$2"
    fi
}
only 'epoll_wait|epoll_pwait|epoll_pwait2|syscall' 'epoll ' "the backend's wait alone waits in epoll"
only 'pthread_cond_wait|pthread_cond_timedwait' 'channel targets workers ' \
    'condition variables are waited for by receivers and workers, which are other threads'
only 'sleep|usleep|nanosleep|clock_nanosleep|select|pselect|ppoll|tb_thread_sleep|pause|sigwait|sigwaitinfo' '' 'nothing sleeps'
only 'pread|pread64|pwrite|pwrite64' 'epoll_handles ' "files are read and written by the workers' function"
count=$((count + 1))
calls=$(grep -nE '\bpoll\(' loop/epoll*.c | grep -vcE 'poll\(&p, 1, 0\)')
[ "$calls" -eq 0 ] || { failed=$((failed + 1)); printf 'not '; }
echo "ok $count - LOP-05 LOP-07 poll(2) asks, with a timeout of zero"
echo "1..$count"
[ "$failed" -eq 0 ]
