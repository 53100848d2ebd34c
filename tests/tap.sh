# tap.sh: what test scripts share. Sourced from the root of the project, before any cd.
count=0 failed=0

# result STATUS DESCRIPTION [REMARK]
result() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        failed=$((failed + 1))
        [ -z "${3:-}" ] || printf '%s\n' "$3" | sed 's/^/# /'
    fi
}
# is GOT WANTED DESCRIPTION
is() {
    [ "$1" = "$2" ]
    result $? "$3"
    [ "$1" = "$2" ] || printf '%s\n' "got:  $1" "want: $2" | sed 's/^/# /'
}
# has TEXT PART DESCRIPTION
has() {
    case $1 in
    *"$2"*) result 0 "$3" ;;
    *) result 1 "$3"; printf '%s\n' "lacks: $2" "$1" | head -n 30 | sed 's/^/# /' ;;
    esac
}
# narrow FILE: no line has more than 80 characters
narrow() {
    python3 -c 'import sys; sys.exit(any(len(l.rstrip("\n")) > 80 for l in open(sys.argv[1], encoding="utf-8")))' "$1"
}
