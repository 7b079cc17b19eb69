/* An application of an older header of the compiler (1/mpc-c), linked with the
 * library of today: it lists options, compiles, and hears what is wrong.
 *
 *   CompilerApplication line.mlir */
#include "../Check.h"
#include "mpc-c/Compiler.h"

#ifndef MPC_TEST_OLD_HEADER
#error "expected the folder of the old header in front of include"
#endif

static const mpc_compiler_api *mpcc;

static void hear(void *context, const mpc_diagnostic *diagnostic) {
  CHECK(diagnostic->struct_size >= sizeof *diagnostic);
  CHECK(diagnostic->severity == MPC_SEVERITY_ERROR && diagnostic->line == 1);
  CHECK(strstr(diagnostic->text, diagnostic->message));
  ++*(int *)context;
}

static void discard(void *context, const char *text, size_t bytes) {
  (void)text;
  *(size_t *)context += bytes;
}

static void compile(const char *model, size_t bytes) {
  const mpc_compile_option chosen[] = {
      {"precision", "bf16"}, {"loss-scale", "none"}, {"time", NULL}};
  size_t reported = 0;
  int errors = 0;
  MPC_STRUCT(mpc_compile_options, options);
  options.name = "line.mlir";
  options.options = chosen;
  options.num_options = 3;
  options.diagnose = hear;
  options.diagnose_context = &errors;
  options.report = discard;
  options.report_context = &reported;
  mpc_compiled *compiled;
  CHECK(mpcc->compile(model, bytes, &options, &compiled, &status) == MPC_OK);
  size_t size;
  const char *program = mpcc->program(compiled, &size);
  CHECK(size > 1000 && !memcmp(program, "MPCX", 4));
  CHECK(reported > 0 && errors == 0);
  mpcc->release(compiled);
  mpc_code code = mpcc->compile("what", 4, &options, &compiled, &status);
  CHECK(!strcmp(mpcc->code_name(code), "invalid model")); /* a newer code */
  CHECK(errors > 0 && !compiled);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  mpcc = mpc_get_compiler_api(MPC_COMPILER_API_VERSION);
  CHECK(mpcc && mpcc->struct_size >= sizeof *mpcc);
  Bytes model = readAll(argv[1]);
  MPC_STRUCT(mpc_option_info, info);
  CHECK(mpcc->option(0, &info) == MPC_OK && *info.name && *info.help);
  compile(model.data, model.size);
  free(model.data);
  return 0;
}
