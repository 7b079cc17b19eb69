/* Groups of ranks from C: two threads, each a rank, in two groups at a
 * time. Exit code 0 if all is well; else the line of the failed check. */
#include "../Check.h"
#include "mpc-c/Ranks.h"

#include <pthread.h>
#include <unistd.h>

static const mpc_api *mpc;
static const mpc_ranks_api *api;
static uint32_t port; /* that rank 0 takes, or one behind it */
static mpc_program *line;

static mpc_ranks *joinAs(uint32_t rank, const char *name) {
  MPC_STRUCT(mpc_ranks_place, place);
  place.run = "run \xff\xc3"; /* bytes of anything, which all ranks have */
  place.rank = rank;
  place.size = 2;
  place.address = "127.0.0.1";
  place.port = port;
  MPC_STRUCT(mpc_ranks_options, options);
  options.place = &place;
  options.engine = "gloo";
  options.name = name;
  options.settings = "\x80 \xe4\n";
  mpc_ranks *ranks;
  CHECK(api->join(&options, &ranks, &status) == MPC_OK);
  return ranks;
}

static void average(mpc_ranks *ranks, double own, double expected) {
  MPC_STRUCT(mpc_collective, mean);
  mean.type = MPC_F64;
  mean.reduction = MPC_AVERAGE;
  mean.count = 1;
  mean.source = mean.result = &own;
  CHECK(api->run(ranks, &mean, &status) == MPC_OK);
  CHECK(own == expected);
}

/* Of a drift, whom and where; states from rank 1 mend it. */
static void mendStates(mpc_ranks *ranks, uint32_t rank) {
  MPC_STRUCT(mpc_session_options, options);
  options.threads = 1;
  mpc_session *session;
  CHECK(mpc->session_create(line, &options, &session, &status) == MPC_OK);
  CHECK(mpc->session_init(session, 1, &status) == MPC_OK);
  CHECK(api->compare_states(ranks, mpc, line, session, &status) == MPC_OK);
  float b = rank ? 3.0f : 0.0f;
  const int64_t shape[] = {1};
  mpc_tensor tensor = {sizeof tensor, MPC_F32, 1, shape, &b, sizeof b};
  CHECK(mpc->session_set_state(session, "b", &tensor, &status) == MPC_OK);
  CHECK(api->compare_states(ranks, mpc, line, session, &status) ==
        MPC_CHECKSUM_MISMATCH);
  CHECK(strcmp(status.message, "ranks 0 and 1 have drifted apart in 'b', and "
                               "no majority tells who is right") == 0);
  CHECK(api->send_states(ranks, mpc, line, session, 1, &status) == MPC_OK);
  CHECK(api->compare_states(ranks, mpc, line, session, &status) == MPC_OK);
  CHECK(mpc->session_get_state(session, "b", &tensor, &status) == MPC_OK);
  CHECK(b == 3.0f);
  mpc->session_destroy(session);
}

static void *beRank(void *argument) {
  uint32_t rank = *(uint32_t *)argument;
  for (int time = 0; time < 2; ++time) { /* and once more */
    mpc_ranks *a = joinAs(rank, "a"), *b = joinAs(rank, "b");
    MPC_STRUCT(mpc_ranks_info, info);
    CHECK(api->info(a, &info) == MPC_OK);
    CHECK(info.rank == rank && info.size == 2);
    CHECK(info.local_rank == rank && info.local_size == 2);
    CHECK(info.launcher == MPC_LAUNCHER_APPLICATION);
    CHECK(strcmp(info.launcher_name, "the application") == 0);
    CHECK(strcmp(info.engine, "gloo") == 0);
    average(a, rank, 0.5);
    average(b, 10.0 * rank, 5);
    CHECK(api->compare(a, "rates", "ab", 2, &status) == MPC_OK);
    CHECK(api->compare(a, "rates", rank ? "a" : "b", 1, &status) ==
          MPC_INVALID_ARGUMENT);
    CHECK(strcmp(status.message,
                 "expected the same rates on all ranks, but rank 1 has another "
                 "than rank 0") == 0);
    mendStates(a, rank);
    CHECK(api->leave(a, &status) == MPC_OK);
    api->release(a);
    average(b, 4, 4); /* a group that ends is no matter to the other */
    CHECK(api->leave(b, &status) == MPC_OK);
    api->release(b);
  }
  return NULL;
}

static void areTwo(void) {
  uint32_t numbers[] = {0, 1};
  pthread_t other;
  CHECK(pthread_create(&other, NULL, beRank, &numbers[1]) == 0);
  beRank(&numbers[0]);
  CHECK(pthread_join(other, NULL) == 0);
}

/* Of two, the others' group is what ends. */
static void *giveUpAsSecond(void *argument) {
  (void)argument;
  mpc_ranks *ranks = joinAs(1, "silent");
  average(ranks, 1, 0.5);
  CHECK(api->give_up(ranks, "", &status) == MPC_OK);
  api->release(ranks);
  ranks = joinAs(1, "early");
  CHECK(api->leave(ranks, &status) == MPC_COLLECTIVE_FAILED);
  api->release(ranks);
  return NULL;
}

/* Who says no reason is told of all the same; and who leaves meets no barrier.
 */
static void differ(void) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, giveUpAsSecond, NULL) == 0);
  mpc_ranks *ranks = joinAs(0, "silent");
  average(ranks, 0, 0.5);
  while (api->failure(ranks, &status) == MPC_OK)
    usleep(10000);
  CHECK(strcmp(status.message, "rank 1: it gave up, and does not say why") ==
        0);
  api->release(ranks);
  ranks = joinAs(0, "early");
  MPC_STRUCT(mpc_collective, all);
  all.kind = MPC_BARRIER;
  CHECK(api->run(ranks, &all, &status) == MPC_COLLECTIVE_FAILED);
  CHECK(strstr(status.message,
               "this one begins barrier, number 2, and rank 1 leave, before "
               "all go, number 2"));
  api->release(ranks);
  CHECK(pthread_join(other, NULL) == 0);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  port = (uint32_t)atoi(argv[2]);
  mpc = mpc_get_api(MPC_API_VERSION);
  api = mpc_get_ranks_api(MPC_RANKS_API_VERSION);
  CHECK(mpc && api);
  MPC_STRUCT(mpc_load_options, load);
  load.allow_code = 1;
  CHECK(mpc->program_load_file(argv[1], &load, &line, &status) == MPC_OK);
  areTwo();
  differ();
  mpc->program_release(line);
  return 0;
}
