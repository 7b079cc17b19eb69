/* What a step tells its caller: session_step_report of the C interface, and
 * session_record_times. */
#ifndef MPC_C_STEPREPORT_H
#define MPC_C_STEPREPORT_H

#include "mpc-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which fields of a report a program has; a bit each. */
typedef enum mpc_report_fields MPC_INT {
  MPC_HAS_LOSS = 1,
  MPC_HAS_SCALE = 2,
  MPC_HAS_GRAD_NORM = 4,
  MPC_HAS_FOUND_INF = 8,
  MPC_HAS_LR = 16,
  MPC_HAS_STEP = 32,
  MPC_HAS_CONSECUTIVE_SKIPS = 64,
  MPC_HAS_SCALE_AT_FLOOR = 128,
  MPC_HAS_NONFINITE_GRAD = 256,
  MPC_HAS_NONFINITE_LOSS = 512 /* every program with a loss */
} mpc_report_fields;

/* One run of the entry "step". What the program does not have is 0. */
typedef struct mpc_step_report {
  size_t struct_size;
  uint32_t fields;         /* MPC_HAS_* of those that the program has */
  uint32_t found_inf;      /* 1: a gradient was inf or NaN, so that the step was
                            * skipped: parameters and moments keep every bit */
  uint32_t scale_at_floor; /* 1: the loss scale cannot shrink any more */
  uint32_t nonfinite_grad; /* 1: a norm of gradients was not finite, which the
                            * program was compiled to call an error; the step
                            * changed nothing */
  double loss;  /* not scaled; the mean over the micro-batches of the step */
  double scale; /* that the step used */
  double grad_norm;          /* before clipping */
  double lr;                 /* that the step used */
  int64_t step;              /* steps that were taken, skipped ones left out */
  int64_t consecutive_skips; /* in a row, this one included */
  uint32_t nonfinite_loss;   /* 1: the loss was inf or NaN. That alone skips no
                              * step: see found_inf */
  uint32_t reserved;         /* 0 */
} mpc_step_report;

/* When a record of an entry ran, in nanoseconds of the system's clock that only
 * goes forward (CLOCK_MONOTONIC). Both 0: the run did not come to it. */
typedef struct mpc_record_time {
  uint64_t begin_ns, end_ns;
} mpc_record_time;

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_STEPREPORT_H */
