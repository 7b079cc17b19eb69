/* An application of an older header (1/mpc-c), linked with the library of
 * today: it trains, reads, saves and loads by what it knows.
 *
 *   Application line.mpcx checkpoint.safetensors */
#include "../Check.h"
#include "mpc-c/Runtime.h"

#include <math.h>

#ifndef MPC_TEST_OLD_HEADER
#error "expected the folder of the old header in front of include"
#endif

enum { POINTS = 32 };

static const mpc_api *mpc;

static float read(const mpc_session *session, const char *name, uint32_t rank) {
  const int64_t shape[] = {1, 1};
  float value = NAN;
  MPC_STRUCT(mpc_tensor, tensor);
  tensor.type = MPC_F32;
  tensor.rank = rank;
  tensor.shape = shape;
  tensor.data = &value;
  tensor.bytes = sizeof value;
  CHECK(mpc->session_get_state(session, name, &tensor, &status) == MPC_OK);
  return value;
}

static void train(mpc_session *session, uint32_t entry) {
  float x[POINTS], target[POINTS];
  for (int i = 0; i < POINTS; ++i) {
    x[i] = (float)(i - POINTS / 2) / (POINTS / 2);
    target[i] = 3 * x[i] - 1;
  }
  const mpc_input inputs[] = {{x, sizeof x}, {target, sizeof target}};
  CHECK(mpc->session_init(session, 42, &status) == MPC_OK);
  for (int i = 0; i < 300; ++i)
    CHECK(mpc->session_run(session, entry, inputs, 2, &status) == MPC_OK);
  MPC_STRUCT(mpc_step_report, report);
  CHECK(mpc->session_step_report(session, 0, &report, &status) == MPC_OK);
  CHECK((report.fields & MPC_HAS_LOSS) && report.loss < 1e-6);
  CHECK(fabsf(read(session, "w", 2) - 3) < 1e-3);
  CHECK(fabsf(read(session, "b", 1) + 1) < 1e-3);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  mpc = mpc_get_api(MPC_API_VERSION);
  CHECK(mpc && mpc->struct_size >= sizeof *mpc);
  MPC_STRUCT(mpc_load_options, load);
  load.allow_code = 1;
  mpc_program *program;
  CHECK(mpc->program_load_file(argv[1], &load, &program, &status) == MPC_OK);
  MPC_STRUCT(mpc_program_info, info);
  CHECK(mpc->program_info(program, &info) == MPC_OK && info.num_states >= 2);
  uint32_t entry;
  CHECK(mpc->program_find_entry(program, "step", &entry, &status) == MPC_OK);
  MPC_STRUCT(mpc_session_options, options);
  options.threads = 1;
  mpc_session *session;
  CHECK(mpc->session_create(program, &options, &session, &status) == MPC_OK);
  train(session, entry);
  CHECK(mpc->session_save(session, argv[2], NULL, &status) == MPC_OK);
  float w = read(session, "w", 2);
  CHECK(mpc->session_init(session, 7, &status) == MPC_OK);
  CHECK(read(session, "w", 2) != w);
  CHECK(mpc->session_load(session, argv[2], NULL, &status) == MPC_OK);
  CHECK(read(session, "w", 2) == w);
  mpc->session_destroy(session);
  mpc->program_release(program);
  return 0;
}
