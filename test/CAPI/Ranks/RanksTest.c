/* Groups of ranks from C: what one process sees of them. Exit code 0 if all is
 * well; else the line of the failed check. */
#include "mpc-c/Ranks.h"
#include "../Check.h"

#include <arpa/inet.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const mpc_api *mpc;
static const mpc_ranks_api *api;
static uint32_t port; /* the first of those that are for this test */
static mpc_program *line;

#define HAS_LEFT "expected a group that this rank is of, but it has left"

/* What is refused, in which words. */
static void expectRefusal(const mpc_ranks_options *options,
                          const char *message) {
  mpc_ranks *ranks = (mpc_ranks *)&status;
  CHECK(api->join(options, &ranks, &status) == MPC_INVALID_ARGUMENT);
  CHECK(ranks == NULL);
  CHECK(strcmp(status.message, message) == 0);
}

static void refuses(void) {
  MPC_STRUCT(mpc_ranks_place, place);
  MPC_STRUCT(mpc_ranks_options, options);
  options.place = &place;
  expectRefusal(&options, "expected a size of 1 rank or more, but got 0");
  place.size = place.rank = 2;
  expectRefusal(&options, "expected a rank below the size, 2, but got 2");
  place.rank = 1;
  place.local_size = 3;
  expectRefusal(&options,
                "expected a local size of at most the size, 2, but got 3");
  place.local_size = place.local_rank = 1;
  expectRefusal(&options,
                "expected a local rank below the local size, 1, but got 1");
  place.local_size = place.local_rank = 0;
  expectRefusal(&options,
                "rank 1 of 2: expected an address and a port, where rank 0 can "
                "be reached, since the application does not say it");
  place.port = 65536;
  expectRefusal(&options, "expected a port from 1 to 65535, but got 65536");
  options.engine = "smoke";
  expectRefusal(&options, "expected engine 'gloo' or 'mpi', but got 'smoke'");
  options.engine = NULL;
  options.program = options.program_data = "x";
  expectRefusal(&options,
                "expected a program's file or its bytes, but got both");
  options.program = options.program_data = NULL;
  options.program_bytes = 1;
  expectRefusal(&options, "expected the bytes of the program, but got null");
  options.program_bytes = 0;
  options.mpi_comm = &place;
  expectRefusal(&options,
                "expected a place or a communicator of MPI, but got both");
  options.mpi_comm = options.place = NULL;
  options.mpi_comm_bytes = 8;
  expectRefusal(&options, "expected a place where a communicator of MPI lies, "
                          "but got null");
  options.struct_size = 8;
  mpc_ranks *ranks;
  CHECK(api->join(&options, &ranks, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "mpc_ranks_options: expected struct_size of"));
  CHECK(api->join(NULL, NULL, &status) == MPC_INVALID_ARGUMENT);
  MPC_STRUCT(mpc_ranks_options, missing);
  missing.program = "/nowhere/p.mpcx";
  CHECK(api->join(&missing, &ranks, &status) == MPC_NOT_FOUND);
  CHECK(strcmp(status.message,
               "program '/nowhere/p.mpcx': cannot be opened: No such file or "
               "directory") == 0);
  char pipe[64];
  snprintf(pipe, sizeof pipe, "/tmp/mpc-ranks-test-%d", (int)getpid());
  CHECK(mkfifo(pipe, 0600) == 0);
  const char *others[][2] = {
      {"/dev/zero", "device"}, {"/tmp", "directory"}, {pipe, "pipe"}};
  for (int i = 0; i < 3; ++i) {
    missing.program = others[i][0];
    CHECK(api->join(&missing, &ranks, &status) == MPC_INVALID_ARGUMENT);
    char message[200];
    snprintf(message, sizeof message,
             "program '%s': expected a regular file, but got a %s",
             others[i][0], others[i][1]);
    CHECK(strcmp(status.message, message) == 0);
  }
  unlink(pipe);
}

/* MPI is not there: the handle is of a size that is none, or nobody has begun
 * it. */
static void refusesForeignRanks(void) {
  char handle[8] = {0};
  MPC_STRUCT(mpc_ranks_options, options);
  options.mpi_comm = handle;
  options.mpi_comm_bytes = sizeof handle;
  mpc_ranks *ranks;
  CHECK(api->join(&options, &ranks, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "engine 'mpi': expected the MPI of the "
                               "communicator to have begun"));
}

/* Where others listen at all ports that rank 0 may take. */
static void findsNoPort(void) {
  int sockets[16];
  struct sockaddr_in at = {.sin_family = AF_INET};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (uint32_t i = 0; i < 16; ++i) {
    at.sin_port = htons((uint16_t)(port + 32 + i));
    sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(sockets[i], (struct sockaddr *)&at, sizeof at) == 0);
    CHECK(listen(sockets[i], 1) == 0);
  }
  MPC_STRUCT(mpc_ranks_place, place);
  place.size = 2;
  place.address = "127.0.0.1";
  place.port = port + 32;
  MPC_STRUCT(mpc_ranks_options, options);
  options.place = &place;
  mpc_ranks *ranks;
  CHECK(api->join(&options, &ranks, &status) == MPC_IO_ERROR);
  char expected[200];
  snprintf(expected, sizeof expected,
           "rank 0 of 2: expected a free port for rank 0 from %u to %u, but "
           "all are in use; MASTER_PORT, or the application, says where they "
           "begin",
           port + 32, port + 47);
  CHECK(strcmp(status.message, expected) == 0);
  for (uint32_t i = 0; i < 16; ++i)
    close(sockets[i]);
}

/* Who does not come, within the timeout. */
static void missesRanks(void) {
  MPC_STRUCT(mpc_ranks_place, place);
  place.size = 3;
  place.address = "127.0.0.1";
  place.port = port;
  MPC_STRUCT(mpc_ranks_options, options);
  options.place = &place;
  options.timeout_ms = 200;
  mpc_ranks *ranks;
  CHECK(api->join(&options, &ranks, &status) == MPC_COLLECTIVE_TIMED_OUT);
  CHECK(strcmp(status.message, "rank 0 of 3: expected 3 ranks, but ranks 1 and "
                               "2 did not come") == 0);
}

static void refusesNull(mpc_ranks *ranks) {
  MPC_STRUCT(mpc_ranks_info, info);
  MPC_STRUCT(mpc_rank_group, group);
  MPC_STRUCT(mpc_collective, all);
  uint64_t ticket = 0;
  uint32_t done = 0;
  CHECK(api->read_launch(NULL, &status) == MPC_INVALID_ARGUMENT);
  CHECK(api->info(NULL, &info) == MPC_INVALID_ARGUMENT);
  CHECK(api->session_group(ranks, NULL) == MPC_INVALID_ARGUMENT);
  CHECK(api->session_group(NULL, &group) == MPC_INVALID_ARGUMENT);
  CHECK(api->run(NULL, &all, &status) == MPC_INVALID_ARGUMENT);
  CHECK(api->start(ranks, &all, NULL, &status) == MPC_INVALID_ARGUMENT);
  CHECK(api->finish(NULL, 1, &status) == MPC_INVALID_ARGUMENT);
  CHECK(api->is_done(ranks, 0, &done, &status) == MPC_INVALID_ARGUMENT);
  CHECK(api->finish(ranks, 1000, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message,
               "expected a ticket of this group, but got 1000") == 0);
  CHECK(api->compare(ranks, NULL, "x", 1, &status) == MPC_INVALID_ARGUMENT);
  CHECK(api->compare_states(ranks, NULL, NULL, NULL, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(api->compare_states(ranks, mpc, NULL, NULL, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(api->nccl_unique_id(ranks, mpc, NULL, NULL, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(api->failure(NULL, &status) == MPC_INVALID_ARGUMENT);
  CHECK(api->give_up(ranks, NULL, &status) == MPC_INVALID_ARGUMENT);
  CHECK(api->leave(NULL, &status) == MPC_INVALID_ARGUMENT);
  api->release(NULL);
  /* None of that was the end of it. */
  CHECK(api->start(ranks, &all, &ticket, &status) == MPC_OK);
  CHECK(api->finish(ranks, ticket, &status) == MPC_OK);
}

/* What a session of another library, or a faulty one, might ask. */
static void refusesBuckets(mpc_ranks *ranks) {
  MPC_STRUCT(mpc_rank_group, group);
  CHECK(api->session_group(ranks, &group) == MPC_OK);
  float x[2] = {1, 2};
  uint64_t ticket = 0;
  mpc_reduced tensor = {x, x, 2};
  MPC_STRUCT(mpc_bucket, bucket);
  bucket.type = MPC_F32;
  bucket.num_tensors = 1;
  CHECK(group.start(ranks, NULL, &ticket) == MPC_INVALID_ARGUMENT);
  CHECK(group.start(ranks, &bucket, &ticket) == MPC_INVALID_ARGUMENT);
  bucket.tensors = &tensor;
  CHECK(group.start(NULL, &bucket, &ticket) == MPC_INVALID_ARGUMENT);
  CHECK(group.start(ranks, &bucket, NULL) == MPC_INVALID_ARGUMENT);
  bucket.type = (mpc_type)99;
  CHECK(group.start(ranks, &bucket, &ticket) == MPC_INVALID_ARGUMENT);
  bucket.type = MPC_F32;
  bucket.kind = (mpc_reduce)9;
  CHECK(group.start(ranks, &bucket, &ticket) == MPC_INVALID_ARGUMENT);
  bucket.kind = MPC_SUM;
  CHECK(group.finish(ranks, 1 << 20) == MPC_INVALID_ARGUMENT);
  CHECK(group.finish(NULL, 1) == MPC_INVALID_ARGUMENT);
  CHECK(group.start(ranks, &bucket, &ticket) == MPC_OK);
  CHECK(group.finish(ranks, ticket) == MPC_OK && x[1] == 2);
}

/* Where what is written is still to be read. */
static void refusesOverlaps(mpc_ranks *ranks) {
  float x[4] = {1, 2, 3, 4};
  MPC_STRUCT(mpc_collective, all);
  all.type = MPC_F32;
  all.count = 3;
  all.source = x;
  all.result = x + 1;
  const mpc_collective_kind kinds[] = {MPC_ALL_REDUCE, MPC_REDUCE_SCATTER,
                                       MPC_ALL_GATHER, MPC_BROADCAST};
  for (int i = 0; i < 4; ++i) {
    all.kind = kinds[i];
    CHECK(api->run(ranks, &all, &status) == MPC_INVALID_ARGUMENT);
    CHECK(strstr(status.message, "expected a source that is the result, or "
                                 "apart from it, but they overlap"));
  }
  all.count = 1;
  CHECK(api->run(ranks, &all, &status) == MPC_OK && x[1] == 1);
}

/* A process that was forked has no threads of the group: nothing waits. */
static void isOfItsProcess(mpc_ranks *ranks) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    MPC_STRUCT(mpc_collective, all);
    all.kind = MPC_BARRIER;
    uint64_t ticket;
    uint32_t done;
    MPC_STRUCT(mpc_rank_group, group);
    CHECK(api->session_group(ranks, &group) == MPC_OK);
    CHECK(api->run(ranks, &all, &status) == MPC_INVALID_ARGUMENT);
    CHECK(strstr(status.message, "expected the process that has joined"));
    CHECK(api->start(ranks, &all, &ticket, &status) == MPC_INVALID_ARGUMENT);
    CHECK(api->is_done(ranks, 1, &done, &status) == MPC_INVALID_ARGUMENT);
    CHECK(api->finish(ranks, 1, &status) == MPC_INVALID_ARGUMENT);
    CHECK(group.finish(ranks, 1) == MPC_INVALID_ARGUMENT);
    CHECK(group.failure(ranks, &status) == MPC_INVALID_ARGUMENT);
    CHECK(strstr(status.message, "expected the process that has joined"));
    CHECK(api->compare(ranks, "x", "x", 1, &status) == MPC_INVALID_ARGUMENT);
    CHECK(api->failure(ranks, &status) == MPC_INVALID_ARGUMENT);
    CHECK(api->give_up(ranks, "why", &status) == MPC_INVALID_ARGUMENT);
    CHECK(api->leave(ranks, &status) == MPC_INVALID_ARGUMENT);
    api->release(ranks);
    _exit(0);
  }
  int ended = -1;
  CHECK(waitpid(child, &ended, 0) == child && ended == 0);
}

/* A collective that is none is refused, and the group goes on. */
static void refusesCollectives(mpc_ranks *ranks) {
  float x[2] = {1, 2};
  MPC_STRUCT(mpc_collective, all);
  all.type = MPC_I32;
  all.reduction = MPC_AVERAGE;
  all.count = 2;
  all.source = all.result = x;
  all.name = "counts";
  CHECK(api->run(ranks, &all, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message, "all-reduce of 2 x i32, counts: ranks do not "
                               "fold elements of this type so") == 0);
  all.type = MPC_F32;
  all.result = NULL;
  CHECK(api->run(ranks, &all, &status) == MPC_INVALID_ARGUMENT);
  all.result = x;
  all.kind = (mpc_collective_kind)5;
  CHECK(api->run(ranks, &all, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message, "expected a kind of collective, but got 5") ==
        0);
  all.kind = MPC_BROADCAST;
  all.root = 2;
  CHECK(api->run(ranks, &all, &status) == MPC_INVALID_ARGUMENT);
  CHECK(api->failure(ranks, &status) == MPC_OK);
}

static mpc_session *open(mpc_program *program, mpc_ranks *ranks) {
  MPC_STRUCT(mpc_rank_group, group);
  CHECK(api->session_group(ranks, &group) == MPC_OK);
  MPC_STRUCT(mpc_session_options, options);
  options.ranks = group.size == 1 ? &group : NULL; /* it reduces nothing */
  options.threads = 1;
  mpc_session *session;
  CHECK(mpc->session_create(program, &options, &session, &status) == MPC_OK);
  return session;
}

/* One process is a group, too: of one. */
static void isAlone(mpc_program *program, const char *file) {
  MPC_STRUCT(mpc_ranks_options, options);
  options.program = file;
  options.settings = "any";
  mpc_ranks *ranks;
  CHECK(api->join(&options, &ranks, &status) == MPC_OK);
  MPC_STRUCT(mpc_ranks_info, info);
  CHECK(api->info(ranks, &info) == MPC_OK);
  CHECK(info.rank == 0 && info.size == 1 && info.local_rank == 0);
  CHECK(info.local_size == 1 && info.launcher == MPC_LAUNCHER_NONE);
  CHECK(strcmp(info.launcher_name, "no launcher") == 0 && !*info.engine);
  CHECK(info.threads >= 1);
  float x[3] = {1, 2, 3}, y[3] = {0};
  MPC_STRUCT(mpc_collective, all);
  all.type = MPC_F32;
  all.count = 3;
  all.source = x;
  all.result = y;
  for (int kind = MPC_ALL_REDUCE; kind <= MPC_BARRIER; ++kind) {
    memset(y, 0, sizeof y);
    all.kind = (mpc_collective_kind)kind;
    CHECK(api->run(ranks, &all, &status) == MPC_OK);
    CHECK(kind == MPC_BARRIER || memcmp(x, y, sizeof x) == 0);
  }
  refusesNull(ranks);
  refusesCollectives(ranks);
  refusesBuckets(ranks);
  refusesOverlaps(ranks);
  isOfItsProcess(ranks);
  mpc_session *session = open(program, ranks);
  CHECK(mpc->session_init(session, 1, &status) == MPC_OK);
  CHECK(api->compare_states(ranks, mpc, program, session, &status) == MPC_OK);
  CHECK(api->send_states(ranks, mpc, program, session, 0, &status) == MPC_OK);
  CHECK(api->send_states(ranks, mpc, program, session, 1, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(api->compare(ranks, "options", "x", 1, &status) == MPC_OK);
  mpc->session_destroy(session);
  CHECK(api->leave(ranks, &status) == MPC_OK);
  CHECK(api->run(ranks, &all, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message, HAS_LEFT) == 0);
  CHECK(api->give_up(ranks, "why", &status) == MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message, HAS_LEFT) == 0);
  api->release(ranks);
}

/* What comes after `leave` is told, by the group and by what asks it. */
static void tellsWhoHasLeft(void) {
  mpc_ranks *ranks;
  CHECK(api->join(NULL, &ranks, &status) == MPC_OK);
  MPC_STRUCT(mpc_rank_group, group);
  CHECK(api->session_group(ranks, &group) == MPC_OK);
  float x = 1;
  mpc_reduced tensor = {&x, &x, 1};
  MPC_STRUCT(mpc_bucket, bucket);
  bucket.tensors = &tensor;
  bucket.num_tensors = 1;
  bucket.type = MPC_F32;
  uint64_t ticket;
  CHECK(api->leave(ranks, &status) == MPC_OK);
  CHECK(api->failure(ranks, &status) == MPC_OK);
  CHECK(group.failure(group.context, &status) == MPC_OK);
  CHECK(group.start(group.context, &bucket, &ticket) == MPC_INVALID_ARGUMENT);
  CHECK(api->failure(ranks, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message, HAS_LEFT) == 0);
  CHECK(group.failure(group.context, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message, HAS_LEFT) == 0);
  CHECK(group.failure(NULL, &status) == MPC_INVALID_ARGUMENT);
  api->release(ranks);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  port = (uint32_t)atoi(argv[2]);
  mpc = mpc_get_api(MPC_API_VERSION);
  api = mpc_get_ranks_api(MPC_RANKS_API_VERSION);
  CHECK(mpc && api && !mpc_get_ranks_api(0));
  CHECK(api->struct_size == sizeof(mpc_ranks_api) && api->version == 1);
  CHECK(strcmp(api->library_version, mpc->library_version) == 0);
  MPC_STRUCT(mpc_load_options, load);
  load.allow_code = 1;
  CHECK(mpc->program_load_file(argv[1], &load, &line, &status) == MPC_OK);
  refuses();
  refusesForeignRanks();
  findsNoPort();
  missesRanks();
  isAlone(line, argv[1]);
  tellsWhoHasLeft();
  mpc->program_release(line);
  return 0;
}
