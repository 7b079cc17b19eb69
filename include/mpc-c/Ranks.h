/* The C interface of libmpcranks: groups of ranks, for applications that train
 * one model in several processes.
 *
 *   const mpc_ranks_api *api = mpc_get_ranks_api(MPC_RANKS_API_VERSION);
 *   MPC_STRUCT(mpc_ranks_options, options);
 *   options.program = "line.mpcx";
 *   api->join(&options, &ranks, &status);
 *   MPC_STRUCT(mpc_rank_group, group);
 *   api->session_group(ranks, &group);
 *   session_options.ranks = &group; ... session_create, session_run ...
 *   api->leave(ranks, &status);
 *   api->release(ranks);
 *
 * It needs no libmpcrt and links none: what reads states of a session takes the
 * function table of mpc-c/Runtime.h. Engines (Gloo, MPI) are plug-ins beside
 * libmpcranks.so, or in the folder that MPC_RANKS_PLUGINS names.
 *
 * Order. A call that says "all ranks" is a collective: all ranks of the group
 * make it, in the same order, among each other and among the runs of entries
 * that reduce gradients. A thread of the group makes all calls of the
 * engine, MPI too, but for those of `join` and `release`. Ranks that make
 * different ones all fail: of those of up to 128 bytes and a group's first 256
 * with what differs (MPC_COLLECTIVE_FAILED), of others when they time out; MPI
 * tells these apart by as many bits as its tags have, 15 or more.
 *
 * Cost. Every rank is connected to every other, and sends each of them a
 * message or two in a collective: of N ranks N - 1. The bytes are the fewest
 * that can be (an all-reduce sends each rank's elements about twice); thousands
 * of ranks pay for the messages. With an MPI that the application has begun
 * they are copied once more on either side.
 *
 * Threads. Any thread may call anything of a group, several at a time, as long
 * as the order of collectives is the same on all ranks: so most applications
 * make them all by the thread that runs the session. `give_up` and `failure`
 * may come at any time. Several groups are joined one after the other, in the
 * same order on all ranks; without MPI also at a time, by threads of their own
 * under different names. `release` is the last call; sessions that have the
 * group are destroyed before.
 *
 * Forks. A group is its process'. One that was forked from it is refused
 * (MPC_INVALID_ARGUMENT) but for `info`, and `release` gives nothing back
 * there; it may join groups of its own by engine gloo. By MPI it may not, if
 * its parent had a group by MPI before (MPC_INVALID_ARGUMENT): its MPI would be
 * the parent's connections. If the parent has only called MPI_Init nobody here
 * can tell: the child says "gloo" itself, or starts another program.
 *
 * Errors. As in mpc-c/Runtime.h. A collective that nobody could do
 * (MPC_INVALID_ARGUMENT) is refused and has changed nothing. One that fails is
 * the end of the group: everything that waits or comes later fails with the
 * same message (`failure`), on every rank, within the timeout and 5 seconds.
 * MPC_COLLECTIVE_TIMED_OUT: a rank does not answer; MPC_COLLECTIVE_FAILED: one
 * was lost, or gave up. What a collective has written is then undefined.
 *
 * MPI. It begins and ends once in a process. Who has called MPI_Init_thread
 * keeps its MPI and must have asked for MPI_THREAD_MULTIPLE; groups are
 * released before MPI_Finalize. Otherwise the first group begins it, and it
 * ends with the process. After the first failure no group of the process calls
 * MPI any more, and the application should end by its exit code, or MPI_Abort:
 * MPI_Finalize waits for ranks that are gone. */
#ifndef MPC_C_RANKS_H
#define MPC_C_RANKS_H

#include "mpc-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MPC_RANKS_API_VERSION 1u

typedef struct mpc_ranks mpc_ranks; /* a group, as this rank has it */

typedef enum mpc_launcher MPC_INT {
  MPC_LAUNCHER_NONE = 0, /* one process */
  MPC_LAUNCHER_TORCHRUN,
  MPC_LAUNCHER_OPEN_MPI,
  MPC_LAUNCHER_SLURM,
  MPC_LAUNCHER_PMI,
  MPC_LAUNCHER_APPLICATION, /* mpc_ranks_place, or its MPI_Comm */
  MPC_LAUNCHER_LOCAL        /* mpc-run --ranks */
} mpc_launcher;

/* Which rank of how many, as the application says. */
typedef struct mpc_ranks_place {
  size_t struct_size;
  uint32_t rank, size;
  uint32_t local_rank, local_size; /* of those on this machine; 0 and 0: the
                                    * ranks find it out */
  const char *address; /* where rank 0 can be reached; with engine mpi NULL will
                        * do */
  uint32_t port;       /* the first of 16 that rank 0 may listen at */
  const char *run;     /* what tells this run from others at the same ports;
                        * NULL: nothing */
} mpc_ranks_place;

/* All zeros: as the environment says, which torchrun, mpirun, srun or nobody
 * has made (docs/Ranks.md). `place` or `mpi_comm`, not both. */
typedef struct mpc_ranks_options {
  size_t struct_size;
  const mpc_ranks_place *place;
  /* An MPI_Comm of the application, whose ranks the group has: where the handle
   * lies, and sizeof the handle. It is duplicated. All its ranks join. */
  const void *mpi_comm;
  size_t mpi_comm_bytes;
  const char *engine;  /* "gloo" or "mpi"; NULL: mpi where MPI has launched the
                        * ranks, or the communicator is its, else gloo */
  uint32_t timeout_ms; /* of joining, and of each collective; 0: 30 seconds */
  /* Groups that a process has at the same time may need different names; those
   * of one name meet in the order of joining, tries that have failed counted:
   * a rank that tries again alone meets nobody under it. NULL: "ranks". */
  const char *name;
  /* What all ranks must have in common, beside their number and the version of
   * this library: a file, of which a hash is compared; bytes, of which the
   * same; words of the application, 64 KiB at most, which are told if they
   * differ. NULL: nothing. */
  const char *program;
  const void *program_data;
  uint64_t program_bytes;
  const char *settings;
} mpc_ranks_options;

typedef struct mpc_ranks_info {
  size_t struct_size;
  uint32_t rank, size;
  uint32_t local_rank, local_size; /* of those on this machine */
  mpc_launcher launcher;
  const char *launcher_name; /* "torchrun"; "the application" */
  const char *engine;        /* "gloo", "mpi"; "": one rank, and no messages */
  uint32_t threads; /* this rank's share of the processors that it may run on,
                     * for mpc_session_options */
} mpc_ranks_info;

typedef enum mpc_collective_kind MPC_INT {
  MPC_ALL_REDUCE = 0, /* `count` elements of each rank to `count` on each */
  MPC_REDUCE_SCATTER, /* `count` times the ranks; rank r gets the r-th part */
  MPC_ALL_GATHER,     /* `count` of each; rank r's are the r-th part */
  MPC_BROADCAST,      /* `count` of `root` to all */
  MPC_BARRIER         /* nothing; all have come */
} mpc_collective_kind;

/* `source` may be `result`, or the rank's own part of it, and must not overlap
 * it otherwise, which is refused; of a broadcast only the root has one, and it
 * may be NULL there, too: `result` is sent then. MPC_MAX of 0 and -0 has the
 * sign of the rank that comes first. Sums are made in the order of the ranks,
 * of f16 and bf16 in f32, and rounded once: all ranks get the same bits, by
 * whichever engine. Elements that are reduced are f64, f32, f16, bf16, i64, i32
 * or, by MPC_MAX, i1. */
typedef struct mpc_collective {
  size_t struct_size;
  mpc_collective_kind kind;
  mpc_type type;
  mpc_reduce reduction;
  uint64_t count;
  const void *source;
  void *result;
  uint32_t root;
  const char *name; /* for messages; NULL: none */
} mpc_collective;

typedef struct mpc_ranks_api {
  size_t struct_size;
  uint32_t version;
  const char *library_version; /* "0.1.0" */

  /* What launched this process, and which rank it is, before anything is
   * joined; the engine is the one that join would take. MPC_INVALID_ARGUMENT:
   * the environment contradicts itself. No collective. */
  mpc_code (*read_launch)(mpc_ranks_info *info, mpc_status *status);
  /* All ranks: waits until all have come and agree. MPC_INVALID_ARGUMENT, on
   * every rank: what they do not agree in. MPC_COLLECTIVE_TIMED_OUT: who has
   * not come. MPC_DEVICE_UNSUPPORTED: the engine's plug-in is not there. NULL
   * options: zeros. */
  mpc_code (*join)(const mpc_ranks_options *options, mpc_ranks **ranks,
                   mpc_status *status);
  mpc_code (*info)(const mpc_ranks *ranks, mpc_ranks_info *info);
  /* Fills in a group for mpc_session_options, which lives as long as `ranks`.
   * Runs of entries that reduce gradients are collectives then: all ranks. */
  mpc_code (*session_group)(mpc_ranks *ranks, mpc_rank_group *group);

  /* All ranks: begins with a collective, whose memory belongs to the group
   * until `finish` of the ticket, which waits for it, and may come again.
   * `is_done`: whether that would not wait. `run`: both at once. */
  mpc_code (*start)(mpc_ranks *ranks, const mpc_collective *collective,
                    uint64_t *ticket, mpc_status *status);
  mpc_code (*is_done)(const mpc_ranks *ranks, uint64_t ticket, uint32_t *done,
                      mpc_status *status);
  mpc_code (*finish)(mpc_ranks *ranks, uint64_t ticket, mpc_status *status);
  mpc_code (*run)(mpc_ranks *ranks, const mpc_collective *collective,
                  mpc_status *status);

  /* All ranks: whether they have the same bytes (a hash is exchanged), which
   * `what` is known by. MPC_INVALID_ARGUMENT, on every rank: one has others.
   * The group goes on. */
  mpc_code (*compare)(mpc_ranks *ranks, const char *what, const void *data,
                      uint64_t bytes, mpc_status *status);
  /* All ranks: whether all states of the session are alike, by hashes; each is
   * read once. MPC_CHECKSUM_MISMATCH, on every rank: who has others, in which
   * state. The group goes on. After session_init or session_load (before them
   * all are zeros, and so alike), and now and then. A state that cannot be read
   * is this rank's end (give_up). */
  mpc_code (*compare_states)(mpc_ranks *ranks, const mpc_api *mpc,
                             const mpc_program *program,
                             const mpc_session *session, mpc_status *status);
  /* All ranks: gives every session the states of rank `root`, but for derived
   * ones, which follow. A state that cannot be read or set is this rank's end
   * (give_up). */
  mpc_code (*send_states)(mpc_ranks *ranks, const mpc_api *mpc,
                          const mpc_program *program, mpc_session *session,
                          uint32_t root, mpc_status *status);
  /* All ranks: an id of NCCL, of MPC_NCCL_ID_BYTES, which rank 0 makes, for
   * mpc_nccl (gradients of a session on GPUs go by that, not by this group).
   * `plugin`: as in mpc_device_options. Where rank 0 cannot make one it gives
   * up. An application that has an ncclComm_t gives that to mpc_nccl. */
  mpc_code (*nccl_unique_id)(mpc_ranks *ranks, const mpc_api *mpc,
                             const char *plugin, void *id, mpc_status *status);

  /* What the group has failed with, or which rank is lost though no collective
   * of this group has failed yet; MPC_OK if none is. MPC_INVALID_ARGUMENT: a
   * process that was forked; or something came after `leave`, as a run of a
   * session. A run of a session that has the group says it in its message. What
   * find_loss of mpc_nccl may ask. */
  mpc_code (*failure)(const mpc_ranks *ranks, mpc_status *status);
  /* This rank cannot go on: all others are told why, at once. Collectives that
   * it has finished end well there, too, those behind them fail.
   * MPC_INVALID_ARGUMENT: it has left, and nobody waits for it. */
  mpc_code (*give_up)(mpc_ranks *ranks, const char *reason, mpc_status *status);
  /* All ranks: all are done. Only `release` is left then: what else comes, runs
   * of sessions that have the group, too, is refused (MPC_INVALID_ARGUMENT; of
   * session_run MPC_COLLECTIVE_FAILED). */
  mpc_code (*leave)(mpc_ranks *ranks, mpc_status *status);
  /* Gives up, unless this rank has left. NULL is fine. */
  void (*release)(mpc_ranks *ranks);
} mpc_ranks_api;

/* The table for `version`, or NULL if this library does not know it. */
MPC_EXPORT const mpc_ranks_api *mpc_get_ranks_api(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_RANKS_H */
