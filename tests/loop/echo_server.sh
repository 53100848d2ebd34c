#!/bin/sh
# The echo server of docs/loop.md, built as a user builds it, and driven by clients. Prints TAP.
set -u
BUILD=${BUILD:-build}
folder=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' docs/loop.md >"$folder/echo.c"
# A sanitizer build's library needs its runtime.
flags=$(sed -n 3p "$BUILD/flags" 2>/dev/null)
if ! ${CC:-gcc} -std=c17 -O1 -Wall -Wextra -Wpedantic -Werror -Iinclude "$folder/echo.c" "$BUILD/libtimerbench.a" $flags -pthread \
    -o "$folder/echo" 2>"$folder/err"; then
    echo "not ok 1 - OPS-02 the program of docs/loop.md builds without a warning"
    sed 's/^/# /' "$folder/err"
    echo 1..1
    exit 1
fi
echo "ok 1 - OPS-02 the program of docs/loop.md builds without a warning"
# A port that is free now; another is tried when somebody was faster.
for _ in 1 2 3 4 5; do
    port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
    "$folder/echo" "tcp:127.0.0.1:$port" &
    server=$!
    sleep 0.5
    kill -0 "$server" 2>/dev/null && break
done
perl -e '
    use strict; use warnings; use IO::Socket::INET; use Time::HiRes qw(time);
    my $port = shift;
    my $n = 1; my $failed = 0;
    sub ok { my ($good, $what) = @_; $n++; $failed++ if !$good; print $good ? "" : "not ", "ok $n - $what\n"; }
    my @s = map { IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port) } 1 .. 50;
    ok(50 == grep({ defined } @s), "OPS-02 50 clients connect");
    my $echoed = 0;
    for my $i (0 .. $#s) { syswrite $s[$i], "client $i"; }
    for my $i (0 .. $#s) { my $got = ""; sysread $s[$i], $got, 100; $echoed++ if $got eq "client $i"; }
    ok($echoed == 50, "OPS-02 each gets its own bytes back");
    my $begin = time; my $closed = 0;
    for my $s (@s) { my $got = ""; my $r = sysread $s, $got, 100; $closed++ if defined $r && $r == 0; }
    ok($closed == 50, "IOD-02 who sends no further request is closed");
    ok(time - $begin < 60, "IOD-02 by its deadline");
    my $t = time; my $quiet = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port);
    my $got = ""; my $r = sysread $quiet, $got, 1;
    ok(defined $r && $r == 0 && time - $t >= 5, "IOD-02 not before it");
    my $large = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port);
    my ($sent, $back) = (0, "");
    for (1 .. 200) { $sent += syswrite $large, "x" x 4000; my $part = ""; while (length($back) < $sent) { sysread($large, $part, 65536) or last; $back .= $part; } }
    ok($back eq "x" x 800000, "OPS-02 800,000 bytes come back");
    print "1..$n\n"; exit($failed ? 1 : 0);
' "$port"
