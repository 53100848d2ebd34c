/* test_options.c: the option parser of the subcommands, and the dispatch to them. */
#include "tests/tap.h"

#include "bench/command/command.h"
#include "bench/command/options.h"
#include "tests/bench/failing_malloc.h"

#include <unistd.h>

static const char *const formats[] = {"table", "json", NULL};

/* Where the options of this test's command go. */
static struct {
    bool quick;
    int64_t seed, repetitions, offset;
    double budget, limit;
    tb_size_list sizes;
    const char *out;
    tb_string_list impls;
    int format;
} got;

static const tb_option options[] = {
    {.name = "quick", .kind = TB_OPTION_FLAG, .to.flag = &got.quick, .help = "fewer repetitions"},
    {.name = "seed", .kind = TB_OPTION_INT, .min = 0, .max = INT64_MAX, .to.integer = &got.seed, .help = "the seed"},
    {.name = "repetitions",
     .kind = TB_OPTION_INT,
     .min = 1,
     .max = 100,
     .to.integer = &got.repetitions,
     .help = "how often"},
    {.name = "offset", .kind = TB_OPTION_INT, .to.integer = &got.offset, .help = "any number, also below zero"},
    {.name = "budget", .kind = TB_OPTION_SECONDS, .to.seconds = &got.budget, .help = "how long"},
    {.name = "limit", .kind = TB_OPTION_SECONDS, .max = 60, .to.seconds = &got.limit, .help = "at most"},
    {.name = "size",
     .kind = TB_OPTION_SIZES,
     .min = 1,
     .max = 1 << 26,
     .to.sizes = &got.sizes,
     .help = "populations, which is a text that is long enough to need a second line of the help and a third as well"},
    {.name = "out", .letter = 'o', .kind = TB_OPTION_STRING, .value = "FILE", .to.string = &got.out, .help = "where"},
    {.name = "impl", .kind = TB_OPTION_STRINGS, .to.strings = &got.impls, .help = "implementations"},
    {.name = "format", .kind = TB_OPTION_CHOICE, .choices = formats, .to.choice = &got.format, .help = "how"},
};

static tb_option_table table = {
    .command = "timerbench run",
    .about = "Runs what there is to run, and this paragraph is longer than one line of eighty columns, so that it has to "
             "be wrapped.\n\nA second paragraph.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operands = "TRACE...",
    .rest = "--benchmark_...",
};

static tb_arguments arguments;
static tb_error_text error;

/* Parses the words of `line`, which are separated by one space each; "''" is the empty word. */
static tb_options_result parse(const char *line)
{
    static char text[256], *argv[64];
    tb_size_list_free(&got.sizes);
    tb_string_list_free(&got.impls);
    tb_arguments_free(&arguments);
    memset(&got, 0, sizeof got);
    error.text[0] = '\0';
    int argc = 0;
    static char name[] = "run";
    argv[argc++] = name;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *quotes = strstr(word, "''");
        if (quotes)
            *quotes = '\0';
        argv[argc++] = word;
    }
    argv[argc] = NULL;
    return tb_options_parse(&table, argc, argv, &arguments, &error);
}

static void test_values(void)
{
    is(parse("--quick --seed 7 --repetitions=3 --budget 2.5 --size 1024,65536 --out a.json --impl a,b_* --format json x"),
       TB_OPTIONS_READ, "one option of each kind is read");
    ok(got.quick, "a flag");
    is(got.seed, 7, "a number after its option");
    is(got.repetitions, 3, "a number after =");
    ok(got.budget > 2.4999 && got.budget < 2.5001, "seconds");
    is(got.sizes.count, 2, "two sizes");
    is(got.sizes.items[1], 65536, "the second size");
    is_text(got.out, "a.json", "a string");
    is(got.impls.count, 2, "two strings");
    is_text(got.impls.items[1], "b_*", "the second string");
    is(got.format, 1, "a choice, as its index");
    is(arguments.operand_count, 1, "an operand");
    is_text(arguments.operands[0], "x", "which is what was given");
    is(parse(""), TB_OPTIONS_READ, "nothing is fine, too");
    ok(!got.quick && !got.out && got.sizes.count == 0 && arguments.operand_count == 0, "and leaves the defaults");
    is(parse("-o f1 -of2 a -"), TB_OPTIONS_READ, "the short form, with and without a space");
    is_text(got.out, "f2", "the last of a repeated option counts");
    is(arguments.operand_count, 2, "a single dash is an operand");
    parse("--impl a --impl b,c");
    is(got.impls.count, 3, "lists add up");
    parse("--offset -5");
    is(got.offset, -5, "a value may begin with a dash");
    parse("--offset=-9223372036854775807");
    is(got.offset, -INT64_MAX, "the least number there is");
    parse("--seed 9223372036854775807");
    is(got.seed, INT64_MAX, "the greatest number there is");
    parse("--limit 60 --budget 1e-3");
    ok(got.limit > 59.99 && got.budget < 0.0011 && got.budget > 0.0009, "seconds at their limit, and with an exponent");
    parse("--out -");
    is_text(got.out, "-", "a dash is a file name");
    parse("--out a=b=c");
    is_text(got.out, "a=b=c", "a value may have = in it");
}

static const char *sizes_of(const char *list)
{
    static char out[256];
    char line[128];
    snprintf(line, sizeof line, "--size %s", list);
    if (parse(line) != TB_OPTIONS_READ)
        return error.text;
    size_t used = 0;
    for (size_t i = 0; i < got.sizes.count; i++)
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%" PRId64, i ? " " : "", got.sizes.items[i]);
    return out;
}

static void test_sizes(void)
{
    static const struct {
        const char *list, *want;
    } cases[] = {
        {"1", "1"},
        {"1k,1M,64M", "1024 1048576 67108864"},
        {"5,3,5", "5 3"},
        {"64..512", "64 128 256 512"},
        {"64..500", "64 128 256"},
        {"1k..1Mx4", "1024 4096 16384 65536 262144 1048576"},
        {"7..7", "7"},
        {"1..1000x10,3", "1 10 100 1000 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_text(sizes_of(cases[i].list), cases[i].want, "the sizes %s", cases[i].list);
    static const char *const wrong[] = {"12x",  "1,,2",   "1,",    ",",       "k",      "1K",     "1kk",     "-1",
                                        "0",    "65M",    "1.5",   "8..4",    "1..8x1", "1..8x0", "1..8x",   "..8",
                                        "1..",  "1...8",  "1..8x2x2", "0..8", "+1",     "0x10",   "9999999999999999999",
                                        "99999999999999M", "1..128M"};
    int accepted = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[64];
        snprintf(line, sizeof line, "--size %s", wrong[i]);
        if (parse(line) != TB_OPTIONS_BAD || got.sizes.count != 0 || !strstr(error.text, wrong[i])) {
            diag("--size %s: %s", wrong[i], error.text);
            accepted++;
        }
    }
    none_of(accepted, "each malformed list of sizes is refused by name and leaves no sizes");
}

static void test_errors(void)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        {"--size 12x", "--size '12x': expected a list of populations such as 1024,65536 or 1k..1Mx4, each from 1 to "
                       "67108864"},
        {"--size=''", "--size '': expected a list of populations such as 1024,65536 or 1k..1Mx4, each from 1 to "
                      "67108864"},
        {"--sise 12", "unknown option '--sise' (did you mean --size?): expected one that `timerbench run --help` lists"},
        {"--fromat=json", "unknown option '--fromat' (did you mean --format?): expected one that `timerbench run "
                          "--help` lists"},
        {"--frobnicate", "unknown option '--frobnicate': expected one that `timerbench run --help` lists"},
        {"-x", "unknown option '-x': expected one that `timerbench run --help` lists"},
        {"--quic", "unknown option '--quic' (did you mean --quick?): expected one that `timerbench run --help` lists"},
        {"--quick=yes", "--quick=yes: expected no value"},
        {"--seed", "--seed: no value: expected N"},
        {"--out --quick", "--out: no value: expected FILE"},
        {"-o", "-o: no value: expected FILE"},
        {"--out ''", "--out '': expected FILE"},
        {"--seed -1", "--seed '-1': expected a whole number, 0 or more"},
        {"--seed 9223372036854775808", "--seed '9223372036854775808': expected a whole number, 0 or more"},
        {"--seed 1x", "--seed '1x': expected a whole number, 0 or more"},
        {"--seed ''", "--seed '': expected a whole number, 0 or more"},
        {"--repetitions 0", "--repetitions '0': expected a whole number from 1 to 100"},
        {"--repetitions 101", "--repetitions '101': expected a whole number from 1 to 100"},
        {"--repetitions -", "--repetitions '-': expected a whole number from 1 to 100"},
        {"--budget 0", "--budget '0': expected a number of seconds greater than 0, such as 2.5"},
        {"--budget -1", "--budget '-1': expected a number of seconds greater than 0, such as 2.5"},
        {"--budget inf", "--budget 'inf': expected a number of seconds greater than 0, such as 2.5"},
        {"--budget 1e999", "--budget '1e999': expected a number of seconds greater than 0, such as 2.5"},
        {"--budget 1s", "--budget '1s': expected a number of seconds greater than 0, such as 2.5"},
        {"--budget ''", "--budget '': expected a number of seconds greater than 0, such as 2.5"},
        {"--limit 61", "--limit '61': expected a number of seconds greater than 0, up to 60"},
        {"--format xml", "--format 'xml': expected table or json"},
        {"--format JSON", "--format 'JSON': expected table or json"},
        {"--impl a,,b", "--impl 'a,,b': expected a comma list without empty parts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool refused = parse(cases[i].line) == TB_OPTIONS_BAD;
        is_text(refused ? error.text : "(accepted)", cases[i].want, "'%s' is refused", cases[i].line);
    }
    parse("--impl a --size 1 --seed x");
    ok(got.impls.count == 0 && got.sizes.count == 0, "what was read before an error is freed");
    parse("--a\nb");
    ok(!strchr(error.text, '\n'), "an error is one line even when the option is not");
}

static void test_operands(void)
{
    is(parse("a --quick b -- --benchmark_min_time=1 x"), TB_OPTIONS_READ, "options between operands, and a rest");
    is(arguments.operand_count, 2, "two operands");
    is(arguments.rest_count, 2, "two words in the rest");
    is_text(arguments.rest[0], "--benchmark_min_time=1", "which are handed over as they are");
    ok(arguments.rest[2] == NULL && arguments.operands[2] == NULL, "both lists end with NULL");
    parse("a");
    ok(arguments.rest_count == 0 && arguments.rest[0] == NULL, "the rest is empty without --");
    const tb_option_table with_rest = table;
    table.rest = NULL;
    parse("-- --quick -o");
    ok(arguments.operand_count == 2 && !got.quick, "without a rest, what follows -- are operands");
    table.min_operands = 2;
    table.max_operands = 2;
    table.operands = "BASE NEW";
    is(parse("a b"), TB_OPTIONS_READ, "as many operands as are wanted");
    parse("a");
    is_text(error.text, "too few arguments: expected BASE NEW", "too few");
    parse("a b c");
    is_text(error.text, "unexpected argument 'c': expected BASE NEW", "too many");
    table = with_rest;
    table.operands = NULL;
    parse("c");
    is_text(error.text, "unexpected argument 'c': expected options only", "an operand where there are none");
    table = with_rest;
}

/* What `print` writes to standard output. */
static char *capture(void (*print)(void))
{
    static char text[8192];
    FILE *file = tmpfile();
    fflush(stdout);
    int saved = dup(1);
    dup2(fileno(file), 1);
    print();
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void print_help(void)
{
    tb_options_print_help(&table);
}

static size_t widest_line(const char *text)
{
    size_t widest = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        widest = length > widest ? length : widest;
        text += length + (text[length] != '\0');
    }
    return widest;
}

static void test_help(void)
{
    is(parse("--seed x --help"), TB_OPTIONS_HELP, "--help goes before all errors");
    is(parse("-h"), TB_OPTIONS_HELP, "-h is --help");
    is(parse("-- --help"), TB_OPTIONS_READ, "but not after --");
    const char *text = capture(print_help);
    ok(widest_line(text) <= 80, "the help keeps to 80 columns");
    ok(strstr(text, "usage: timerbench run [OPTION...] TRACE... [-- --benchmark_...]\n"), "it begins with the usage");
    ok(strstr(text, "\n  --format table|json  how\n"), "it names the choices");
    ok(strstr(text, "\n  -o, --out FILE       where\n"), "it names the short form and the value");
    int missing = 0;
    for (size_t i = 0; i < table.option_count; i++)
        missing += strstr(text, options[i].name) == NULL;
    none_of(missing, "it has every option of the table");
    static const char *const many[] = {"the-first-of-many-choices", "the-second-of-many-choices",
                                       "the-third-of-many-choices", NULL};
    const tb_option wide[] = {{.name = "choice", .kind = TB_OPTION_CHOICE, .choices = many, .help = "one"}};
    const tb_option_table normal = table;
    table.options = wide;
    table.option_count = 1;
    ok(widest_line(capture(print_help)) <= 80, "a label wider than a line is broken");
    table = normal;
}

static char seen[128];

static int note_call(int argc, char **argv)
{
    seen[0] = '\0';
    for (int i = 0; i < argc; i++)
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s%s", i ? " " : "", argv[i]);
    return argv[argc] == NULL ? 1 : 99;
}

static const tb_command commands[] = {{"list", "lists", note_call}, {"run", "runs", note_call}};
static const tb_command_group group = {"timerbench", "About.", commands, 2};
static int dispatch_code;
static char dispatch_line[64];

static void dispatch(void)
{
    char text[64], *argv[16] = {text};
    int argc = 0;
    snprintf(text, sizeof text, "%s", dispatch_line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    seen[0] = '\0';
    dispatch_code = tb_dispatch(&group, argc, argv);
}

static const char *dispatched(const char *line)
{
    snprintf(dispatch_line, sizeof dispatch_line, "%s", line);
    return capture(dispatch);
}

static void test_dispatch(void)
{
    dispatched("timerbench run --size 1");
    is_text(seen, "run --size 1", "a subcommand gets its name and what follows");
    is(dispatch_code, 1, "and its exit code is handed on");
    dispatched("timerbench help run");
    is_text(seen, "run --help", "help RUN asks the subcommand");
    dispatched("timerbench help run deeper");
    is_text(seen, "run deeper --help", "and one below it");
    static const char *const overviews[] = {"timerbench --help", "timerbench -h", "timerbench help"};
    for (size_t i = 0; i < sizeof overviews / sizeof *overviews; i++) {
        const char *text = dispatched(overviews[i]);
        ok(strstr(text, "\n  list  lists\n  run   runs\n") && dispatch_code == 0, "'%s' lists the subcommands",
           overviews[i]);
    }
    static const char *const unknown[] = {"timerbench", "timerbench rnu", "timerbench help rnu", "timerbench --rnu",
                                          "timerbench list2x"};
    fflush(stderr);
    int saved = dup(2);
    if (!freopen("/dev/null", "w", stderr))
        return;
    int wrong = 0;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const char *text = dispatched(unknown[i]);
        wrong += dispatch_code != 2 || *text || *seen;
    }
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    none_of(wrong, "an unknown subcommand is exit code 2, and nothing is run or printed");
}

static void test_memory(void)
{
    int wrong = 0;
    for (long k = 1;; k++) {
        fail_allocation(k);
        tb_options_result result = parse("--size 1..8 --impl a,b --impl c x y");
        bool failed = allocation_failed();
        wrong += failed ? result != TB_OPTIONS_BAD || strcmp(error.text, "out of memory") != 0 || got.sizes.count ||
                              got.impls.count
                        : result != TB_OPTIONS_READ;
        if (!failed)
            break;
    }
    none_of(wrong, "reading options fails exactly when an allocation does, says so, and keeps no lists");
}

int main(void)
{
    test_values();
    test_sizes();
    test_errors();
    test_operands();
    test_help();
    test_dispatch();
    test_memory();
    parse("");
    tb_arguments_free(&arguments);
    return tap_done();
}
