#!/bin/sh
# measure.sh: measures the peers and the floor beside ours, and makes of it the tables in docs/peers.md, the plots beside that
# page, and a comparison with reference figures. On a quiet machine: about an hour.
#
# usage: results/peers/measure.sh [RESULT.json]      with a result: only the tables and the plots of it
set -eu
cd "$(dirname "$0")/../.."
timerbench=${TIMERBENCH:-build/timerbench}
result=${1:-}
if [ -z "$result" ]; then
    result=${OUT:-build/peers.json}
    "$timerbench" doctor || true
    "$timerbench" run --peer '*' --impl "${IMPLS:-wheel_6x64,heap4}" --floor --size "${SIZES:-1000,10000,100000,1000000}" \
        --workload 'arm,cancel,churn-random,churn-random-touched,churn-random-cold,churn-fifo,rearm-later,expire' \
        --processes "${PROCESSES:-7}" --out "$result"
fi
python3 results/peers/table.py "$result" docs/peers.md build/peers-data
command -v gnuplot >/dev/null || { echo 'measure.sh: no gnuplot: no plots' >&2; exit 0; }
for workload in churn-random churn-fifo expire; do
    [ -s "build/peers-data/$workload.dat" ] || continue
    gnuplot -e "data='build/peers-data/$workload.dat'; workload='$workload'; out='docs/peers-$workload.svg'" results/peers/plot.gp
done
