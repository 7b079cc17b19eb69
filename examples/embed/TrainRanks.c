/* The application of TrainInC.c on several ranks, each of which has its own
 * points of the line. Whatever starts ranks will do, or nothing:
 *
 *   mpc-compile line.mlir -o line.mpcx --target=cpu
 *   ./train-ranks line.mpcx 300 w.st
 *   mpirun -n 2 --bind-to none ./train-ranks line.mpcx 300 w.st
 *   torchrun --no-python --nproc-per-node 2 ./train-ranks line.mpcx 300 w.st
 *
 * w.st has the bits of mpc-run's ranks on the same points, in two files:
 *
 *   mpc-run train line.mpcx --input x=x.npy --input target=target.npy --ranks 2
 *     --no-shuffle --epochs 300 --seed 42 --threads 1 --save theirs.st
 */
#include <mpc-c/Ranks.h>

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 32 };

/* What this process works with; NULL where there is none yet. */
typedef struct {
  const mpc_api *mpc;
  const mpc_ranks_api *api;
  mpc_ranks *ranks;
  mpc_ranks_info info;
  mpc_program *program;
  mpc_session *session;
  uint32_t step;
} app;

static int complain(const char *what, const char *message) {
  fprintf(stderr, "train-ranks: %s: %s\n", what, message);
  return 1;
}

/* A rank that runs another program is refused here, before anything is run. */
static mpc_code join(app *app, const char *file, mpc_status *status) {
  MPC_STRUCT(mpc_ranks_options, options);
  options.program = file;
  mpc_code code = app->api->join(&options, &app->ranks, status);
  if (code != MPC_OK)
    return code;
  app->info.struct_size = sizeof app->info;
  return app->api->info(app->ranks, &app->info);
}

/* The group is handed in, and each rank takes its share of the processors. */
static mpc_code open(app *app, const char *file, mpc_status *status) {
  const mpc_api *mpc = app->mpc;
  MPC_STRUCT(mpc_load_options, load);
  load.allow_code = 1; /* the file holds machine code, which you trust */
  mpc_code code = mpc->program_load_file(file, &load, &app->program, status);
  if (code == MPC_OK)
    code = mpc->program_find_entry(app->program, "step", &app->step, status);
  MPC_STRUCT(mpc_rank_group, group);
  app->api->session_group(app->ranks, &group);
  MPC_STRUCT(mpc_session_options, options);
  options.ranks = &group;
  options.threads = app->info.threads;
  if (code == MPC_OK)
    code = mpc->session_create(app->program, &options, &app->session, status);
  if (code == MPC_OK)
    code = mpc->session_init(app->session, /*seed=*/42, status);
  if (code == MPC_OK) /* the same seed, so the same bits: are they? */
    code = app->api->compare_states(app->ranks, mpc, app->program, app->session,
                                    status);
  return code;
}

/* A loss is the mean over this rank's points: that over all is the mean of
 * these. All ranks ask for it after the same step. */
static mpc_code tell(app *app, int step, mpc_status *status) {
  MPC_STRUCT(mpc_step_report, report);
  mpc_code code =
      app->mpc->session_step_report(app->session, /*age=*/0, &report, status);
  if (code != MPC_OK)
    return code;
  MPC_STRUCT(mpc_collective, mean);
  mean.kind = MPC_ALL_REDUCE;
  mean.type = MPC_F64;
  mean.reduction = MPC_AVERAGE;
  mean.count = 1;
  mean.source = mean.result = &report.loss;
  mean.name = "the loss";
  code = app->api->run(app->ranks, &mean, status);
  if (code == MPC_OK && app->info.rank == 0)
    printf("step %d loss %g\n", step, report.loss);
  return code;
}

/* Of the line t = 3 x - 1 rank r of N has points r, r + N, r + 2 N, ... */
static mpc_code train(app *app, int steps, mpc_status *status) {
  float x[POINTS], target[POINTS];
  int all = POINTS * (int)app->info.size;
  for (int i = 0; i < POINTS; ++i) {
    int point = i * (int)app->info.size + (int)app->info.rank;
    x[i] = (float)(point - all / 2) / (float)(all / 2);
    target[i] = 3 * x[i] - 1;
  }
  const mpc_input inputs[] = {{x, sizeof x}, {target, sizeof target}};
  for (int step = 1; step <= steps; ++step) {
    mpc_code code =
        app->mpc->session_run(app->session, app->step, inputs, 2, status);
    if (code == MPC_OK && step % 100 == 0)
      code = tell(app, step, status);
    if (code != MPC_OK)
      return code;
  }
  return MPC_OK;
}

/* All have the same states, so one saves them. */
static mpc_code end(app *app, const char *checkpoint, mpc_status *status) {
  mpc_code code = app->api->compare_states(app->ranks, app->mpc, app->program,
                                           app->session, status);
  if (code == MPC_OK && app->info.rank == 0)
    code = app->mpc->session_save(app->session, checkpoint, NULL, status);
  return code == MPC_OK ? app->api->leave(app->ranks, status) : code;
}

static int use(app *app, char **argv) {
  mpc_status status = {0};
  if (join(app, argv[1], &status) != MPC_OK)
    return complain("join", status.message);
  if (app->info.rank == 0)
    printf("%u rank%s, by %s\n", app->info.size, app->info.size == 1 ? "" : "s",
           app->info.launcher_name);
  mpc_code code = open(app, argv[1], &status);
  if (code == MPC_OK)
    code = train(app, atoi(argv[2]), &status);
  if (code == MPC_OK)
    code = end(app, argv[3], &status);
  if (code == MPC_OK)
    return 0;
  /* The others hear why, if the group has not ended already; then it knows
   * more than the run that it has ended. */
  mpc_status why;
  if (app->api->failure(app->ranks, &why) == MPC_OK) {
    app->api->give_up(app->ranks, status.message, NULL);
    why = status;
  }
  return complain("training", why.message);
}

int main(int argc, char **argv) {
  if (argc != 4)
    return complain("usage", "train-ranks <model.mpcx> <steps> <checkpoint>");
  app app = {mpc_get_api(MPC_API_VERSION),
             mpc_get_ranks_api(MPC_RANKS_API_VERSION), .ranks = NULL};
  if (!app.mpc || !app.api)
    return complain("library", "expected ones that know these interfaces");
  int result = use(&app, argv);
  app.mpc->session_destroy(app.session); /* of NULL: nothing, as the others */
  app.mpc->program_release(app.program);
  app.api->release(app.ranks);
  return result;
}
