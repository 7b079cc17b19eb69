/* What a program tells of itself: the structs that the program_* functions of
 * mpc-c/Runtime.h fill. Strings and arrays are the program's memory. */
#ifndef MPC_C_PROGRAMINFO_H
#define MPC_C_PROGRAMINFO_H

#include "mpc-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mpc_program_info {
  size_t struct_size;
  uint32_t format_version;
  const char *producer, *target, *model;
  const char *code_target; /* the kernels in use: "x86-64-v4"; "" if none, or
                            * for target "cuda" */
  uint32_t num_settings, num_states, num_entries, num_memory_categories;
  uint32_t num_kernels, num_calls, num_collectives, num_code_sections;
  uint64_t file_bytes, state_bytes, arena_bytes, constant_bytes;
  uint32_t num_multi_tensors;
  uint32_t num_probes; /* of a program for diagnosis */
  uint32_t has_source; /* 1: mpc-compile can compile it again */
} mpc_program_info;

typedef struct mpc_tensor_info {
  size_t struct_size;
  const char *name;
  mpc_type type;
  uint32_t rank;
  const int64_t *shape;
  uint64_t bytes;
  /* Of inputs: not 0 if the elements are labels in [0, classes), or
   * ignored_label if there is one that does not count. session_run refuses
   * others. */
  int64_t classes, ignored_label;
  uint32_t has_ignored_label;
  uint32_t loss_only; /* 1: no output but "loss" depends on it; who reads other
                       * outputs alone may give any values, such as zeros */
} mpc_tensor_info;

typedef struct mpc_state_info {
  size_t struct_size;
  const char *name;
  mpc_type type;
  uint32_t rank;
  const int64_t *shape;
  uint64_t bytes;
  mpc_role role;
  const char *of; /* what it belongs to, or "": a parameter; of scalers a loss;
                   * of step counters and learning rates a parameter group */
  mpc_init init;
  double init_a, init_b; /* fill: a; normal: mean, deviation; uniform: [a, b) */
} mpc_state_info;

typedef struct mpc_entry_info {
  size_t struct_size;
  const char *name; /* "init", "forward", "accumulate", "step" */
  uint32_t num_inputs, num_outputs, num_records;
} mpc_entry_info;

/* One step of an entry, for people to read. */
typedef struct mpc_record_info {
  size_t struct_size;
  const char *kind;   /* "launch", "all_reduce", "copy", "fill",
                       * "multi_tensor", "observe", or the kind of a library
                       * call: "matmul" */
  const char *name;   /* op and source location; "" if unknown */
  const char *symbol; /* launch: the kernel; else "" */
  uint64_t extent, grain;
  uint32_t target; /* number of the kernel, library call, collective or
                    * multi-tensor operation; 0 for copy and fill */
  uint64_t bytes_read, bytes_written; /* of its operands, each element once; 0
                                       * of a collective */
  double flops; /* of a library call, a product and a sum being two, masks left
                 * out; 0 where nobody counts them */
} mpc_record_info;

/* Work that a library does, such as a matrix product. */
typedef struct mpc_call_info {
  size_t struct_size;
  const char *kind; /* "matmul" */
  uint32_t num_operands;
  uint32_t has_tail; /* 1: the program holds a kernel for what stands beside the
                      * call, for devices whose library cannot do both */
} mpc_call_info;

typedef struct mpc_operand_info {
  size_t struct_size;
  const char *role; /* "lhs", "rhs", "result", "bias", "aux", "lhs_scale",
                     * "rhs_scale" */
  mpc_type type;
  uint32_t rank;
  const int64_t *shape, *strides; /* of `rank`; strides in elements */
  uint32_t written;               /* 1: else only read */
} mpc_operand_info;

/* One operation on lists of tensors (target "cuda"). */
typedef struct mpc_multi_tensor_info {
  size_t struct_size;
  const char *kind; /* "unscale_l2_norm", "adamw", "sgd" */
  uint32_t num_tensors;
  uint64_t elements; /* of all of them */
  mpc_type gradient_type;
  uint32_t has_copies; /* 1: writes copies of the parameters too, of: */
  mpc_type copy_type;
} mpc_multi_tensor_info;

/* What one output of the entry "probe" has observed. The output is one row of
 * f64: elements, infinities, NaNs, zeros, largest finite magnitude, smallest
 * magnitude that is not zero, elements that would overflow in f16, bf16,
 * f8E4M3FN, f8E5M2, elements that would flush to zero in each of them, then a
 * histogram of the exponents -149 to 127. */
typedef struct mpc_probe_info {
  size_t struct_size;
  uint32_t output;      /* its number; the name of the output is the value's */
  const char *what;     /* the op that made it, "input", "parameter", ... */
  const char *location; /* in the model's source; "" if unknown */
  mpc_type type;
  uint32_t rank;
  const int64_t *shape;
  uint32_t num_reads;
  const uint32_t *reads; /* numbers of the probes of what it was made from */
  uint32_t backward;     /* 1: a part of the backward */
  uint32_t sink;         /* 1: the loss or a gradient */
} mpc_probe_info;

typedef struct mpc_kernel_info {
  size_t struct_size;
  const char *symbol;
  uint64_t bytes_read, bytes_written;
} mpc_kernel_info;

typedef struct mpc_code_info {
  size_t struct_size;
  const char *target; /* "x86-64-v3" */
  uint64_t bytes;
  uint32_t usable;    /* 1: this processor can run it; for target "cuda" always
                       * 0: only a session knows the device */
  const char *format; /* "shared object", "cubin", "ptx" */
  uint32_t num_launches; /* cubin and ptx: kernels in it */
} mpc_code_info;

/* How a section runs a GPU kernel: one launch per stage. */
typedef struct mpc_launch_info {
  size_t struct_size;
  uint32_t kernel; /* its number */
  uint32_t num_stages;
  uint64_t workspace_bytes;
} mpc_launch_info;

typedef struct mpc_stage_info {
  size_t struct_size;
  const char *symbol;
  uint32_t grid, block; /* blocks, and threads of each */
  uint32_t shared_bytes;
} mpc_stage_info;

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_PROGRAMINFO_H */
