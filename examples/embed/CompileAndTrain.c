/* Compiles a model in memory, and trains it at once:
 *
 *   ./compile-and-train line.mlir 300 precision=fp32 lr=0.1
 *
 * What follows the number of steps are options of mpc-compile. */
#include <mpc-c/Compiler.h>
#include <mpc-c/Runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 32, MOST_OPTIONS = 16 };

static int complain(const char *what, const char *message) {
  fprintf(stderr, "compile-and-train: %s: %s\n", what, message);
  return 1;
}

/* What the compiler says, with lines of the model. */
static void print(void *context, const mpc_diagnostic *diagnostic) {
  (void)context;
  const char *text = diagnostic->text;
  fprintf(stderr, "%s%s", *text ? text : diagnostic->message,
          *text ? "" : "\n");
}

/* "lr=0.1" becomes a name and a value, in place. */
static uint32_t readOptions(char **words, int count,
                            mpc_compile_option *options) {
  uint32_t found = 0;
  for (int i = 0; i < count && found < MOST_OPTIONS; ++i) {
    char *value = strchr(words[i], '=');
    if (value)
      *value++ = 0;
    options[found].name = words[i];
    options[found++].value = value;
  }
  return found;
}

static int train(const mpc_api *mpc, mpc_session *session, uint32_t entry,
                 int steps, mpc_status *status) {
  float x[POINTS], target[POINTS]; /* of the line t = 3 x - 1 */
  for (int i = 0; i < POINTS; ++i) {
    x[i] = (float)(i - POINTS / 2) / (POINTS / 2);
    target[i] = 3 * x[i] - 1;
  }
  const mpc_input inputs[] = {{x, sizeof x}, {target, sizeof target}};
  mpc_code code = mpc->session_init(session, /*seed=*/42, status);
  for (int i = 0; i < steps && code == MPC_OK; ++i)
    code = mpc->session_run(session, entry, inputs, 2, status);
  MPC_STRUCT(mpc_step_report, report);
  if (code == MPC_OK)
    code = mpc->session_step_report(session, /*age=*/0, &report, status);
  if (code == MPC_OK)
    printf("step %d loss %.6f\n", steps, report.loss);
  return code;
}

/* Of a program that was compiled: `mpc_program` has a copy of its bytes. */
static int run(const mpc_api *mpc, const void *bytes, size_t size, int steps) {
  MPC_STRUCT(mpc_load_options, load);
  load.allow_code = 1; /* we made it ourselves */
  MPC_STRUCT(mpc_session_options, options);
  mpc_program *program = NULL;
  mpc_session *session = NULL;
  mpc_status status;
  uint32_t entry;
  int failed =
      mpc->program_load_memory(bytes, size, &load, &program, &status) ||
      mpc->program_find_entry(program, "step", &entry, &status) ||
      mpc->session_create(program, &options, &session, &status) ||
      train(mpc, session, entry, steps, &status);
  mpc->session_destroy(session);
  mpc->program_release(program);
  return failed ? complain("training", status.message) : 0;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return complain("usage", "compile-and-train <model.mlir> <steps> "
                             "[<option>=<value>...]");
  const mpc_compiler_api *mpcc = mpc_get_compiler_api(MPC_COMPILER_API_VERSION);
  const mpc_api *mpc = mpc_get_api(MPC_API_VERSION);
  if (!mpcc || !mpc)
    return complain("library", "expected one that knows this interface");
  mpc_status status;
  mpc_file *file;
  if (mpc->file_read(argv[1], &file, &status))
    return complain("reading", status.message);
  size_t bytes;
  const void *model = mpc->file_data(file, &bytes);

  mpc_compile_option chosen[MOST_OPTIONS];
  MPC_STRUCT(mpc_compile_options, options);
  options.name = argv[1];
  options.options = chosen;
  options.num_options = readOptions(argv + 3, argc - 3, chosen);
  options.diagnose = print;
  mpc_compiled *compiled;
  mpc_code code = mpcc->compile(model, bytes, &options, &compiled, &status);
  mpc->file_release(file);
  if (code != MPC_OK)
    return complain(mpcc->code_name(code), status.message);

  size_t size;
  const void *program = mpcc->program(compiled, &size);
  int failed = run(mpc, program, size, atoi(argv[2]));
  mpcc->release(compiled);
  return failed;
}
