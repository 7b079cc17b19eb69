/* The application of Train.cpp in C:
 *
 *   mpc-compile line.mlir -o line.mpcx --target=cpu
 *   ./train-in-c line.mpcx 300 line.safetensors
 */
#include <mpc-c/Runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 32 };

static int complain(const char *what, const char *message) {
  fprintf(stderr, "train-in-c: %s: %s\n", what, message);
  return 1;
}

/* Of the metadata of a checkpoint. */
static void readSteps(void *steps, const char *key, const char *value) {
  if (strcmp(key, "steps") == 0)
    *(int *)steps = atoi(value);
}

/* Where the checkpoint ended, or a new start. */
static mpc_code begin(const mpc_api *mpc, mpc_session *session,
                      const char *checkpoint, int *done, mpc_status *status) {
  FILE *file = checkpoint ? fopen(checkpoint, "rb") : NULL;
  if (!file)
    return mpc->session_init(session, /*seed=*/42, status);
  fclose(file);
  MPC_STRUCT(mpc_restore_options, options);
  options.metadata = readSteps;
  options.metadata_context = done;
  return mpc->session_load(session, checkpoint, &options, status);
}

static mpc_code save(const mpc_api *mpc, mpc_session *session,
                     const char *checkpoint, int done, mpc_status *status) {
  char steps[16];
  snprintf(steps, sizeof steps, "%d", done);
  mpc_key_value metadata = {"steps", steps};
  MPC_STRUCT(mpc_save_options, options);
  options.metadata = &metadata;
  options.num_metadata = 1;
  return mpc->session_save(session, checkpoint, &options, status);
}

/* Steps until `steps` are done. The memory of inputs is the application's, and
 * is only read while session_run runs. */
static mpc_code train(const mpc_api *mpc, mpc_session *session, uint32_t entry,
                      int done, int steps, mpc_status *status) {
  float x[POINTS], target[POINTS]; /* of the line t = 3 x - 1 */
  for (int i = 0; i < POINTS; ++i) {
    x[i] = (float)(i - POINTS / 2) / (POINTS / 2);
    target[i] = 3 * x[i] - 1;
  }
  const mpc_input inputs[] = {{x, sizeof x}, {target, sizeof target}};
  while (done < steps) {
    mpc_code code = mpc->session_run(session, entry, inputs, 2, status);
    if (code != MPC_OK)
      return code;
    if (++done % 100 != 0)
      continue;
    MPC_STRUCT(mpc_step_report, report);
    code = mpc->session_step_report(session, /*age=*/0, &report, status);
    if (code != MPC_OK)
      return code;
    printf("step %d loss %g\n", done, report.loss);
  }
  return MPC_OK;
}

/* A copy of a parameter, into memory of the application. */
static mpc_code read(const mpc_api *mpc, mpc_session *session, const char *name,
                     const int64_t *shape, uint32_t rank, float *value,
                     mpc_status *status) {
  MPC_STRUCT(mpc_tensor, tensor);
  tensor.type = MPC_F32;
  tensor.rank = rank;
  tensor.shape = shape;
  tensor.data = value;
  tensor.bytes = sizeof *value;
  return mpc->session_get_state(session, name, &tensor, status);
}

/* All that a session does; whoever calls destroys it. */
static int use(const mpc_api *mpc, mpc_session *session, uint32_t entry,
               int steps, const char *checkpoint) {
  mpc_status status;
  int done = 0;
  if (begin(mpc, session, checkpoint, &done, &status) != MPC_OK)
    return complain("begin", status.message);
  if (done > 0)
    printf("going on after step %d\n", done);
  if (train(mpc, session, entry, done, steps, &status) != MPC_OK)
    return complain("step", status.message);
  if (checkpoint && save(mpc, session, checkpoint, done > steps ? done : steps,
                         &status) != MPC_OK)
    return complain("save", status.message);

  const int64_t shape[] = {1, 1}; /* of w; of b its end */
  float w, b;
  if (read(mpc, session, "w", shape, 2, &w, &status) != MPC_OK ||
      read(mpc, session, "b", shape, 1, &b, &status) != MPC_OK)
    return complain("state", status.message);
  printf("t = %.3f x + %.3f\n", (double)w, (double)b);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    return complain("usage", "train-in-c <model.mpcx> <steps> [<checkpoint>]");
  const mpc_api *mpc = mpc_get_api(MPC_API_VERSION);
  if (!mpc)
    return complain("library", "expected one that knows this interface");

  /* The file holds machine code, so say that you trust it. */
  MPC_STRUCT(mpc_load_options, load);
  load.allow_code = 1;
  mpc_status status;
  mpc_program *program;
  if (mpc->program_load_file(argv[1], &load, &program, &status) != MPC_OK)
    return complain("load", status.message);
  uint32_t entry;
  mpc_session *session = NULL;
  mpc_code code = mpc->program_find_entry(program, "step", &entry, &status);
  if (code == MPC_OK)
    code = mpc->session_create(program, /*options=*/NULL, &session, &status);
  mpc->program_release(program); /* the session keeps what it needs */
  int result = code == MPC_OK ? use(mpc, session, entry, atoi(argv[2]),
                                    argc == 4 ? argv[3] : NULL)
                              : complain("session", status.message);
  mpc->session_destroy(session); /* of NULL: nothing */
  return result;
}
