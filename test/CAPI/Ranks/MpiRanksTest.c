/* An application that has an MPI of its own, and hands communicators over: to
 * be run by mpirun, with 4 ranks for "split" and "null", 1 for the others. Exit
 * code 0 if all is well. */
#include "../Check.h"
#include "mpc-c/Ranks.h"

#include <mpi.h>

static const mpc_ranks_api *api;

static mpc_code join(const MPI_Comm *comm, size_t bytes, mpc_ranks **ranks) {
  MPC_STRUCT(mpc_ranks_options, options);
  options.mpi_comm = comm;
  options.mpi_comm_bytes = bytes;
  return api->join(&options, ranks, &status);
}

static double sum(mpc_ranks *ranks, double own) {
  MPC_STRUCT(mpc_collective, all);
  all.type = MPC_F64;
  all.count = 1;
  all.source = all.result = &own;
  CHECK(api->run(ranks, &all, &status) == MPC_OK);
  return own;
}

static void end(mpc_ranks *ranks) {
  CHECK(api->leave(ranks, &status) == MPC_OK);
  api->release(ranks);
}

/* Even ranks and odd ones, the latter the other way round; all beside them; and
 * the application goes on with its own. */
static void split(int world) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, world % 2, world % 2 ? -world : world, &half);
  MPI_Comm everybody = MPI_COMM_WORLD;
  mpc_ranks *ranks, *all;
  CHECK(join(&half, sizeof half, &ranks) == MPC_OK);
  MPI_Comm_free(&half);
  CHECK(join(&everybody, sizeof everybody, &all) == MPC_OK);
  MPC_STRUCT(mpc_ranks_info, info);
  CHECK(api->info(ranks, &info) == MPC_OK);
  uint32_t rank = (uint32_t)(world % 2 ? (3 - world) / 2 : world / 2);
  CHECK(info.rank == rank && info.size == 2);
  CHECK(info.local_rank == rank && info.local_size == 2);
  CHECK(info.launcher == MPC_LAUNCHER_APPLICATION);
  CHECK(strcmp(info.engine, "mpi") == 0);
  for (int i = 0; i < 100; ++i) {
    CHECK(sum(ranks, world) == (world % 2 ? 1 + 3 : 0 + 2));
    CHECK(sum(all, world) == 6);
    double own = world;
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(own == 6);
  }
  end(ranks);
  CHECK(sum(all, 1) == 4);
  end(all);
}

static void expectRefusal(const MPI_Comm *comm, size_t bytes,
                          const char *words) {
  mpc_ranks *ranks;
  CHECK(join(comm, bytes, &ranks) == MPC_INVALID_ARGUMENT);
  CHECK(strstr(status.message, words));
}

static void refuses(int world) {
  MPI_Comm none = MPI_COMM_NULL;
  expectRefusal(&none, sizeof none,
                "expected a communicator, but got MPI_COMM_NULL");
  MPI_Comm all = MPI_COMM_WORLD;
  expectRefusal(&all, sizeof all + 1, "but got one of 9");
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, world / 2, world, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world / 2 ? 0 : 2, 1, &both);
  expectRefusal(&both, sizeof both, "but got one between two groups");
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
  MPC_STRUCT(mpc_ranks_options, options);
  options.mpi_comm = &all;
  options.mpi_comm_bytes = sizeof all;
  options.engine = "gloo";
  mpc_ranks *ranks;
  CHECK(api->join(&options, &ranks, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strstr(status.message,
               "expected engine 'mpi' for a communicator of MPI, but got "
               "'gloo'"));
}

/* After MPI_Finalize no group begins, and one that is left does not end badly.
 */
static void isOver(void) {
  MPI_Comm all = MPI_COMM_WORLD;
  mpc_ranks *ranks;
  CHECK(join(&all, sizeof all, &ranks) == MPC_OK);
  MPI_Finalize();
  expectRefusal(&all, sizeof all, "MPI has been finalized in this process");
  if (sum(ranks, 2) != 2) /* of one rank: no message */
    exit(1);
  end(ranks);
}

int main(int argc, char **argv) {
  const char *what = argc == 2 ? argv[1] : "";
  api = mpc_get_ranks_api(MPC_RANKS_API_VERSION);
  int wanted =
      strcmp(what, "funneled") ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
  int level = 0, world = 0;
  MPI_Init_thread(&argc, &argv, wanted, &level);
  CHECK(level == wanted);
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm all = MPI_COMM_WORLD;
  if (strcmp(what, "split") == 0)
    split(world);
  else if (strcmp(what, "refuses") == 0)
    refuses(world);
  else if (strcmp(what, "funneled") == 0)
    expectRefusal(&all, sizeof all,
                  "expected an application that has called MPI_Init_thread "
                  "with MPI_THREAD_MULTIPLE");
  else if (strcmp(what, "over") == 0)
    return isOver(), 0;
  else
    return 1;
  MPI_Finalize();
  return 0;
}
