/* The compiler's C interface from C: the bytes of mpc-compile, what is said of
 * bad input, several threads. Exit code 0 if all is well; else the line of the
 * failed check.
 *
 *   CompilerApiTest line.mlir line.mpcx    (of mpc-compile line.mlir
 * --target=cpu)
 */
#include "../Check.h"
#include "mpc-c/Compiler.h"

#include <pthread.h>
#include <signal.h>

static const mpc_compiler_api *mpcc;

/* What a compilation has said. */
typedef struct {
  int errors, warnings, notes;
  unsigned line, column;
  char message[400], file[200], text[2000], report[20000];
} Heard;

static void hear(void *context, const mpc_diagnostic *diagnostic) {
  Heard *heard = context;
  heard->errors += diagnostic->severity == MPC_SEVERITY_ERROR;
  heard->warnings += diagnostic->severity == MPC_SEVERITY_WARNING;
  for (uint32_t i = 0; i < diagnostic->num_notes; ++i)
    heard->notes += diagnostic->notes[i]->severity == MPC_SEVERITY_NOTE;
  heard->line = diagnostic->line;
  heard->column = diagnostic->column;
  snprintf(heard->message, sizeof heard->message, "%s", diagnostic->message);
  snprintf(heard->file, sizeof heard->file, "%s", diagnostic->file);
  snprintf(heard->text, sizeof heard->text, "%s", diagnostic->text);
}

static void report(void *context, const char *text, size_t bytes) {
  Heard *heard = context;
  strncat(heard->report, text, bytes);
}

static mpc_code compile(const char *model, size_t bytes, const char *name,
                        const mpc_compile_option *chosen, uint32_t count,
                        Heard *heard, mpc_compiled **compiled) {
  MPC_STRUCT(mpc_compile_options, options);
  options.name = name;
  options.options = chosen;
  options.num_options = count;
  options.diagnose = hear;
  options.diagnose_context = heard;
  options.report = report;
  options.report_context = heard;
  memset(heard, 0, sizeof *heard);
  return mpcc->compile(model, bytes, &options, compiled, &status);
}

/* The code of a compilation that is to fail, of which nothing is left. */
static mpc_code failing(const char *model, size_t bytes,
                        const mpc_compile_option *chosen, uint32_t count,
                        Heard *heard) {
  mpc_compiled *compiled = (mpc_compiled *)heard;
  mpc_code code =
      compile(model, bytes, "m.mlir", chosen, count, heard, &compiled);
  CHECK(!compiled);
  CHECK(code != MPC_OK && heard->errors >= 1);
  CHECK(strstr(status.message, heard->message));
  return code;
}

static void testSameBytes(const char *path, Bytes model, Bytes expected) {
  const mpc_compile_option chosen[] = {{"target", "cpu"}};
  Heard heard;
  mpc_compiled *compiled;
  CHECK(compile(model.data, model.size, path, chosen, 1, &heard, &compiled) ==
        MPC_OK);
  size_t size;
  const void *program = mpcc->program(compiled, &size);
  CHECK(size == expected.size && !memcmp(program, expected.data, size));
  CHECK(heard.errors == 0 && heard.report[0] == 0);
  mpcc->release(compiled);
  mpcc->release(NULL);
  CHECK(mpcc->program(NULL, &size) == NULL && size == 0);
}

static void testBadModels(Bytes model) {
  Heard heard;
  const char *text = "func.func @m() {\n  graph.softmaxx\n}\n";
  CHECK(failing(text, strlen(text), NULL, 0, &heard) == MPC_INVALID_MODEL);
  CHECK(heard.line == 2 && heard.column == 3);
  CHECK(!strcmp(heard.file, "m.mlir"));
  CHECK(strstr(heard.message, "graph.softmaxx"));
  CHECK(strstr(heard.text, "m.mlir:2:3: error: ") &&
        strstr(heard.text, "\n  graph.softmaxx\n  ^"));
  CHECK(strstr(status.message, "m.mlir:2:3: "));
  /* Cut anywhere, it is refused, or it is the whole but for the last newline.
   */
  for (size_t i = 0; i < model.size - 2; i += 97)
    CHECK(failing(model.data, i, NULL, 0, &heard) == MPC_INVALID_MODEL);
  /* The head of a file of bytecode, and nothing that follows. */
  const char bytecode[] = "ML\xefR\x01";
  for (size_t i = 4; i < sizeof bytecode; ++i)
    CHECK(failing(bytecode, i, NULL, 0, &heard) == MPC_INVALID_MODEL);
  char *deep = malloc(1 << 20);
  CHECK(deep);
  memset(deep, '(', 1 << 20);
  CHECK(failing(deep, 1 << 20, NULL, 0, &heard) == MPC_INVALID_MODEL);
  CHECK(strstr(heard.message, "nested at most 256 deep"));
  free(deep);
}

static void testBadOptions(Bytes model) {
  static const struct {
    mpc_compile_option option;
    const char *expected;
  } wrong[] = {
      {{"precison", "bf16"}, "unknown option '--precison', did you mean"},
      {{"precision", "bf17"}, "--precision=bf17: expected"},
      {{"precision", NULL}, "expected a value for '--precision', but got none"},
      {{"inference", "yes"}, "expected no value for '--inference'"},
      {{"o", "m.mpcx"}, "unknown option '--o'"},
      {{"help", NULL}, "unknown option '--help'"},
      {{"", "1"}, "unknown option '--'"},
      {{"=", "1"}, "unknown option"},
      {{"drop-loss", NULL}, "'--drop-loss' needs '--inference'"},
      {{"arch", "sm_90"}, "'--arch' is for target cuda"},
  };
  Heard heard;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(failing(model.data, model.size, &wrong[i].option, 1, &heard) ==
          MPC_INVALID_ARGUMENT);
    if (!strstr(status.message, wrong[i].expected)) {
      fprintf(stderr, "expected '%s', but got '%s'\n", wrong[i].expected,
              status.message);
      exit(1);
    }
    CHECK(heard.line == 0 && !*heard.file && !*heard.text);
  }
  const mpc_compile_option twice[] = {{"lr", "1"}, {"lr", "2"}};
  CHECK(failing(model.data, model.size, twice, 2, &heard) ==
        MPC_INVALID_ARGUMENT);
  const mpc_compile_option file[] = {{"policy-file", "/nowhere/p.json"}};
  CHECK(failing(model.data, model.size, file, 1, &heard) == MPC_INVALID_MODEL);
  CHECK(strstr(status.message, "/nowhere/p.json: cannot be read"));
}

static void testReports(Bytes model) {
  const mpc_compile_option chosen[] = {{"print-policy", NULL}, {"time", NULL}};
  Heard heard;
  mpc_compiled *compiled;
  CHECK(compile(model.data, model.size, NULL, chosen, 2, &heard, &compiled) ==
        MPC_OK);
  CHECK(strstr(heard.report, "precision of each op of @line\n"));
  CHECK(strstr(heard.report, "graph.matmul") && strstr(heard.report, "[ 1/"));
  mpcc->release(compiled);
  MPC_STRUCT(mpc_compile_options, options);
  options.options = chosen;
  options.num_options = 1;
  CHECK(mpcc->compile(model.data, model.size, &options, &compiled, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "expected a report function"));
}

static void testArguments(Bytes model) {
  mpc_compiled *compiled = (mpc_compiled *)&status;
  CHECK(mpcc->compile(NULL, 1, NULL, &compiled, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(!compiled);
  CHECK(mpcc->compile(model.data, 1, NULL, NULL, NULL) == MPC_INVALID_ARGUMENT);
  mpc_compile_options small = {.struct_size = 4};
  CHECK(mpcc->compile(model.data, 1, &small, &compiled, &status) ==
        MPC_INVALID_ARGUMENT);
  MPC_STRUCT(mpc_compile_options, options);
  options.num_options = 1;
  CHECK(mpcc->compile(model.data, 1, &options, &compiled, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(mpcc->compile(model.data, model.size, NULL, &compiled, NULL) == MPC_OK);
  mpcc->release(compiled);
  CHECK(!mpc_get_compiler_api(MPC_COMPILER_API_VERSION + 1));
  CHECK(mpcc->struct_size == sizeof *mpcc);
  CHECK(!strcmp(mpcc->code_name(MPC_INVALID_MODEL), "invalid model"));
}

/* As the header says of `metavar`. */
#define PRECISIONS "fp32|bf16|fp16"

static void testOptions(void) {
  MPC_STRUCT(mpc_option_info, info);
  int found = 0;
  uint32_t i = 0;
  for (; mpcc->option(i, &info) == MPC_OK; ++i) {
    found +=
        !strcmp(info.name, "precision") && !strcmp(info.metavar, PRECISIONS);
    found += !strcmp(info.name, "inference") && !*info.metavar;
    CHECK(*info.help && *info.group && info.name[0] != '-');
  }
  CHECK(found == 2 && i > 20);
  CHECK(mpcc->option(i, &info) == MPC_NOT_FOUND);
}

/* A thread that compiles what it is given, over and over. */
typedef struct {
  Bytes model, expected;
  const char *path;
  int index, failed;
} Work;

static void *compileOften(void *argument) {
  Work *work = argument;
  mpc_compile_option chosen[] = {{"target", "cpu"}, {"lr", "-1"}};
  for (int i = 0; i < 10; ++i) {
    int isBad = (i + work->index) % 3 == 0;
    MPC_STRUCT(mpc_compile_options, options);
    options.name = work->path;
    options.options = chosen;
    options.num_options = isBad ? 2 : 1;
    mpc_compiled *compiled;
    mpc_code code = mpcc->compile(work->model.data, work->model.size, &options,
                                  &compiled, NULL);
    size_t size;
    const void *program = mpcc->program(compiled, &size);
    work->failed |= isBad ? code != MPC_INVALID_ARGUMENT || compiled
                          : code != MPC_OK || size != work->expected.size ||
                                memcmp(program, work->expected.data, size);
    mpcc->release(compiled);
  }
  return NULL;
}

static void testThreads(const char *path, Bytes model, Bytes expected) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  Work work[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    work[i] = (Work){model, expected, path, i, 0};
    CHECK(!pthread_create(&threads[i], NULL, compileOften, &work[i]));
  }
  for (int i = 0; i < THREADS; ++i) {
    CHECK(!pthread_join(threads[i], NULL));
    CHECK(!work[i].failed);
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  mpcc = mpc_get_compiler_api(MPC_COMPILER_API_VERSION);
  CHECK(mpcc);
  struct sigaction before, after;
  CHECK(!sigaction(SIGSEGV, NULL, &before));
  Bytes model = readAll(argv[1]), expected = readAll(argv[2]);
  testSameBytes(argv[1], model, expected);
  testBadModels(model);
  testBadOptions(model);
  testReports(model);
  testArguments(model);
  testOptions();
  testThreads(argv[1], model, expected);
  CHECK(!sigaction(SIGSEGV, NULL, &after));
  CHECK(before.sa_handler == after.sa_handler);
  free(model.data);
  free(expected.data);
  return 0;
}
