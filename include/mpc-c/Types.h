/* Codes, enums and structs of the C interface; see mpc-c/Runtime.h. Every
 * struct that may grow begins with `struct_size`: the caller's sizeof. */
#ifndef MPC_C_TYPES_H
#define MPC_C_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Declares a zeroed struct of `type` with its size filled in. */
#ifdef __cplusplus
#define MPC_STRUCT(type, name)                                                 \
  type name = {};                                                              \
  name.struct_size = sizeof(type)
#else
#define MPC_STRUCT(type, name) type name = {.struct_size = sizeof(type)}
#endif

/* In C++, as in C, an enum parameter may hold any int: it is checked, not
 * trusted. */
#ifdef __cplusplus
#define MPC_INT : int
#else
#define MPC_INT
#endif

/* ---- values ------------------------------------------------------------- */

typedef enum mpc_code MPC_INT {
  MPC_OK = 0,
  MPC_INVALID_ARGUMENT = 1,   /* a null or senseless argument */
  MPC_NOT_FOUND = 2,          /* no file, entry, state or output of that name */
  MPC_IO_ERROR = 3,           /* the system failed to read or write */
  MPC_OUT_OF_MEMORY = 4,      /* the message lists planned bytes by category */
  MPC_INTERNAL = 5,           /* a broken promise of this library: report it */
  MPC_BAD_MAGIC = 10,         /* not a program file */
  MPC_TRUNCATED = 11,         /* the file is shorter than it says */
  MPC_CHECKSUM_MISMATCH = 12, /* the bytes are not those that were written */
  MPC_CORRUPT = 13,           /* the FlatBuffers verifier refused it */
  MPC_VERSION_TOO_NEW = 14,   /* format newer than this library */
  MPC_VERSION_TOO_OLD = 15,   /* it, or a part of it, is too old to read */
  MPC_WRONG_TARGET = 16,      /* made for another kind of device */
  MPC_INVALID_PROGRAM = 17,   /* a size, index or offset does not fit */
  MPC_CODE_NOT_ALLOWED = 20,  /* it has kernels, the caller forbids code */
  MPC_CODE_UNUSABLE = 21,     /* the kernels could not be loaded */
  MPC_CPU_UNSUPPORTED = 22,   /* the processor lacks what all kernels need */
  MPC_DEVICE_UNSUPPORTED = 23, /* plug-in, driver, device or library: missing
                                * or too old */
  MPC_TYPE_MISMATCH = 30,
  MPC_SHAPE_MISMATCH = 31,
  MPC_SIZE_MISMATCH = 32,
  MPC_NOT_INITIALIZED = 33, /* run before every state had a value */
  MPC_LIBRARY_ERROR = 40,   /* the matrix library refused or failed */
  MPC_COLLECTIVE_FAILED = 41,
  MPC_DEVICE_FAILED = 42,        /* the device did; only destroy the session */
  MPC_COLLECTIVE_TIMED_OUT = 43, /* no progress within the session's limit */
  /* Of the compiler alone, mpc-c/Compiler.h. */
  MPC_INVALID_MODEL = 50, /* the model, or a file that an option names, was
                           * refused: diagnostics say where and why */
  MPC_COMPILE_FAILED = 51 /* the system, a tool or LLVM failed */
} mpc_code;

typedef struct mpc_status {
  mpc_code code;
  char message[1020]; /* ends with 0; cut if longer */
} mpc_status;

/* Element types; the numbers are those of the program format. */
typedef enum mpc_type MPC_INT {
  MPC_F64 = 0,
  MPC_F32,
  MPC_F16,
  MPC_BF16,
  MPC_I64,
  MPC_I32,
  MPC_I1, /* one byte each, 0 or 1 */
  MPC_F8E4M3,
  MPC_F8E5M2
} mpc_type;

typedef enum mpc_role MPC_INT {
  MPC_PARAMETER = 0,
  MPC_WEIGHT_COPY,
  MPC_MOMENT,
  MPC_SCALER,
  MPC_COUNTER,
  MPC_HYPERPARAMETER,
  MPC_ACCUMULATOR,   /* a sum over the micro-batches of a step: zero before the
                      * first one and after every run of "step" */
  MPC_COMPENSATION,  /* what rounding took from a 16-bit parameter */
  MPC_LOSS_SCALE,    /* MPC_SCALER: what else a scaler keeps */
  MPC_STEP_COUNTER,  /* steps that were taken; MPC_COUNTER: counts of skips */
  MPC_LEARNING_RATE, /* before its schedule; MPC_HYPERPARAMETER: other settings
                      */
  MPC_RANDOM_SEED,   /* what random numbers are drawn from: the seed of
                      * session_init, its halves as one number */
  MPC_RANDOM_STEP, /* what they are drawn from, too: each micro-batch adds 1 */
  MPC_RUNNING_STATISTIC /* means and variances of the batches so far, by which
                         * the model is evaluated: weights, but not trained */
} mpc_role;

typedef enum mpc_init MPC_INT {
  MPC_INIT_ZEROS = 0,
  MPC_INIT_FILL,
  MPC_INIT_NORMAL,
  MPC_INIT_UNIFORM,
  MPC_INIT_DERIVED /* computed from other states by the entry "init" */
} mpc_init;

typedef struct mpc_program mpc_program;
typedef struct mpc_session mpc_session;

/* ---- what the caller may supply ------------------------------------------ */

typedef enum mpc_log_level MPC_INT {
  MPC_LOG_DEBUG = 0,
  MPC_LOG_INFO,
  MPC_LOG_WARNING
} mpc_log_level;
typedef void (*mpc_log)(void *context, mpc_log_level level,
                        const char *message);

/* Memory of sessions. `allocate` returns memory aligned to `alignment` (a
 * power of two) or NULL; it is never called during session_run. */
typedef struct mpc_allocator {
  void *context;
  void *(*allocate)(void *context, size_t bytes, size_t alignment);
  void (*release)(void *context, void *memory, size_t bytes);
} mpc_allocator;

typedef enum mpc_reduce MPC_INT {
  MPC_SUM = 0,
  MPC_AVERAGE,
  MPC_MAX
} mpc_reduce;

/* A group of ranks that train one model together. `all_reduce` combines
 * `count` elements of `source` over all ranks into `result` (which may equal
 * `source`) and returns MPC_OK or MPC_COLLECTIVE_FAILED. */
typedef struct mpc_communicator {
  void *context;
  uint32_t rank, size;
  mpc_code (*all_reduce)(void *context, const void *source, void *result,
                         uint64_t count, mpc_type type, mpc_reduce kind);
} mpc_communicator;

/* One tensor of a bucket; `result` may equal `source`. */
typedef struct mpc_reduced {
  const void *source;
  void *result;
  uint64_t count; /* elements */
} mpc_reduced;

/* Tensors that are combined over all ranks together. */
typedef struct mpc_bucket {
  size_t struct_size;
  const mpc_reduced *tensors;
  uint64_t num_tensors;
  mpc_type type;
  mpc_reduce kind;
  /* For messages: "bucket 2 of 4 of entry 'step' (3 tensors), record 31
   * (all_reduce_start (backward) at digits.mlir:28)". */
  const char *name;
} mpc_bucket;

/* A communicator that works beside the session. `start` begins with a bucket,
 * which is described until it returns; the tensors' memory belongs to the group
 * until `finish`, which waits for that ticket. Both are called by the thread
 * that runs the entry, in the order of the program, the same on all ranks; a
 * ticket is finished once, also where the run fails. They return MPC_OK,
 * MPC_COLLECTIVE_FAILED or MPC_COLLECTIVE_TIMED_OUT. */
typedef struct mpc_rank_group {
  size_t struct_size;
  void *context;
  uint32_t rank, size;
  mpc_code (*start)(void *context, const mpc_bucket *bucket, uint64_t *ticket);
  mpc_code (*finish)(void *context, uint64_t ticket);
  /* Asked by that thread when one of them has failed: a message that is not
   * empty stands in that of the run, behind the code of theirs. NULL: the code
   * stands alone. */
  mpc_code (*failure)(void *context, mpc_status *status);
} mpc_rank_group;

/* Bytes of an ncclUniqueId. */
#define MPC_NCCL_ID_BYTES 128u

/* A group of ranks with a GPU each, over NCCL: the caller's communicator, or
 * what is needed to make one. The caller's is used, never destroyed. */
typedef struct mpc_nccl {
  size_t struct_size;
  void *communicator; /* ncclComm_t; NULL: made from the following */
  uint32_t rank, size;
  const void *unique_id; /* of nccl_unique_id on one rank, the same on all */
  size_t unique_id_bytes;
  uint32_t timeout_ms; /* without progress for so long a collective has failed
                        * (MPC_COLLECTIVE_TIMED_OUT); 0: 10 minutes */
  /* Whether a rank is lost, as the application knows: anything but MPC_OK is
   * the end of the step under way, with this code and message. Asked by a
   * thread of the session, every tenth of a second at least, while a step is
   * under way, until the session is destroyed. NULL: NCCL alone tells, which
   * does not see that a rank was killed. A function that asks
   * `failure` of mpc_ranks_api will do. */
  mpc_code (*find_loss)(void *context, mpc_status *status);
  void *find_loss_context;
} mpc_nccl;

/* What the caller decides about a GPU; all zeros are good defaults. Refused
 * for programs of target "cpu" if anything else. Everything is copied. */
typedef struct mpc_device_options {
  size_t struct_size;
  uint32_t device;    /* as the CUDA runtime counts */
  const char *plugin; /* path of libmpcrt_cuda.so. NULL: what MPC_CUDA_PLUGIN
                       * names, else beside the runtime, else searched */
  void *stream;       /* cudaStream_t that is to be used; NULL: an own one */
  uint32_t allow_nondeterministic; /* 1: sums may depend on chance */
  uint32_t allow_tf32; /* 1: f32 products and convolutions may round operands
                        * to tf32, which has the 10 bits of f16 */
  uint32_t nvtx;       /* 1: name the records for a profiler */
  uint32_t tuning_ms;  /* time to try plans of matrix products; 0: heuristics */
  const void *plans;   /* of session_export_plans; NULL: none */
  size_t plans_bytes;
  const mpc_nccl *nccl;   /* NULL: a single rank */
  uint32_t own_attention; /* 1: attention runs by mpc's kernels, also where
                           * cuDNN is there and takes it */
} mpc_device_options;

typedef struct mpc_load_options {
  size_t struct_size;
  uint32_t allow_code; /* 1: the file's kernels may be loaded and run; 0: a
                        * program that has some can only be described */
  mpc_log log;         /* NULL: nothing is logged */
  void *log_context;
} mpc_load_options;

/* `threads`, `allocator`, `communicator` and `ranks` are refused for target
 * "cuda". */
typedef struct mpc_session_options {
  size_t struct_size;
  uint32_t threads;               /* 0: as many as processors may be used */
  const mpc_allocator *allocator; /* NULL: the C library's */
  const mpc_communicator *communicator; /* NULL: a single rank */
  mpc_log log;
  void *log_context;
  const mpc_device_options *device; /* NULL: the defaults */
  const mpc_rank_group *ranks;      /* instead of communicator */
} mpc_session_options;

/* ---- tensors that go in and out --------------------------------------------
 */

/* Memory of an input; `bytes` must be the input's size. */
typedef struct mpc_input {
  const void *data;
  uint64_t bytes;
} mpc_input;

/* A typed view on the caller's memory, row-major and dense. */
typedef struct mpc_tensor {
  size_t struct_size;
  mpc_type type;
  uint32_t rank;
  const int64_t *shape;
  void *data;
  uint64_t bytes;
} mpc_tensor;

/* Bytes of a session. `arena` and `state` are exactly the program's plan;
 * `workspace` is what library calls need beside it, for this many threads. */
typedef struct mpc_memory_info {
  size_t struct_size;
  uint64_t planned_state, planned_arena, planned_workspace;
  uint64_t used_state, used_arena, used_workspace;
} mpc_memory_info;

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_TYPES_H */
