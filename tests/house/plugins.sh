#!/bin/sh
# What CONTRIBUTING.md says of plugins, followed literally: the commands of that section, one after the other, in a home folder of
# their own, with what `make install` put there and nothing else. Prints TAP.
set -u
BUILD=${BUILD:-build}
export BUILD
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
count=0 failed=0
result() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        failed=$((failed + 1))
        sed 's/^/# /' "$folder/log" | tail -n 20
    fi
}

HOME=$folder/home
mkdir "$HOME"
export HOME
unset TIMERBENCH_TRACES
awk '/^## / { here = /^## Trying a structure of your own/ } here && /^       [^ ]/ { print substr($0, 8) }' CONTRIBUTING.md >"$folder/commands"
[ "$(wc -l <"$folder/commands")" -gt 9 ]
result $? "CONTRIBUTING.md shows the steps as commands"
while IFS= read -r line <&3; do
    eval "$line" >"$folder/log" 2>&1
    result $? "$line"
    case $line in
    *" check "*)
        grep -q '^sorted_array .* 1000000 operations .*: same$' "$folder/log" && grep -q '^cxx_set .* 1000000 operations .*: same$' "$folder/log" &&
            [ "$(tail -n 1 "$folder/log")" = "all same" ]
        result $? "EQ-01 both examples do the same as the others" ;;
    *"list impls"*)
        grep -q '^cxx_set .*raw operations' "$folder/log"
        result $? "cxx_set is listed, as raw" ;;
    *" run "*)
        grep -q '^cxx_set (raw) ' "$folder/log" && grep -q '^sorted_array ' "$folder/log" && ! grep -q WRONG "$folder/log"
        result $? "both are in the table, and right" ;;
    *" replay "*)
        grep -q '^cxx_set (raw) ' "$folder/log" && ! grep -q WRONG "$folder/log"
        result $? "cxx_set is in the replay's table, and right" ;;
    esac
done 3<"$folder/commands"
case $(command -v timerbench) in
"$HOME"/*) result 0 "the command was the installed one" ;;
*) result 1 "the command was the installed one" ;;
esac
echo "1..$count"
[ "$failed" -eq 0 ]
