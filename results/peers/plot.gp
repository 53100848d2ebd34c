# plot.gp: ns an operation over the population, a line a contender. Wants data, workload, out; the data of table.py: a block for
# each contender, its name first, then population, median, lowest and highest process. A name that ends in .svg is drawn as SVG,
# else as PNG.
if (out[strlen(out)-3:] eq ".svg") { set terminal svg size 900,620 font "sans,12" background rgb "white" } \
else { set terminal pngcairo size 900,620 font "sans,10" }
set output out
set title workload noenhanced
set logscale xy
set xlabel "timers pending"
set ylabel "ns an operation"
set format x "10^{%L}"
set grid xtics ytics lc rgb "#dddddd"
set key outside right top noenhanced
set key autotitle columnheader
stats data using 1 nooutput
plot for [i=0:STATS_blocks-1] data index i using 1:2:3:4 with yerrorlines lw 1.5 pt (4 + i) ps 0.7 title columnheader(1)
