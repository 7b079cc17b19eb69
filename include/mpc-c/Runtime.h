/* The C interface of the mpc runtime: load a program file, make a session,
 * train.
 *
 *   const mpc_api *mpc = mpc_get_api(MPC_API_VERSION);
 *   mpc->program_load_file("digits.mpcx", &load, &program, &status);
 *   mpc->session_create(program, &options, &session, &status);
 *   mpc->session_init(session, seed, &status);
 *   mpc->session_run(session, entry, inputs, 2, &status);
 *   mpc->session_save(session, "digits.safetensors", NULL, &status);
 *
 * A step over N micro-batches (setting "accumulate") is N - 1 runs of the entry
 * "accumulate" and one of "step", each with inputs of its own; one that is out
 * of turn is refused (MPC_INVALID_ARGUMENT) and changes nothing. A step that
 * was skipped (found_inf in its report) has changed nothing but the loss scale,
 * so it may be done again at once, from its first micro-batch on: retry. Not so
 * in programs with parameter groups: some may be skipped while others are
 * updated.
 *
 * Growth. Every struct that may grow begins with `struct_size`; set it to
 * sizeof the struct (MPC_STRUCT does) before any call, for input and output
 * structs alike. Fields and functions are only ever appended, so a program
 * compiled against an older header keeps working.
 *
 * Errors. Functions return a code; 0 is success. `status`, where it is not
 * NULL, also receives the code and a message that says what was found, what
 * was expected and what to do. Nothing is to be freed. The library never
 * aborts, exits, prints, throws or changes signal handlers.
 *
 * Ownership. What a create or load function returns belongs to the caller
 * until the matching release. A program must outlive its sessions' creation
 * only: a session keeps what it needs. Strings and shapes in info structs
 * belong to the program and live as long as it does.
 *
 * Threads. Programs are immutable: any thread may use them. One session is to
 * be used by one thread at a time; different sessions are independent. */
#ifndef MPC_C_RUNTIME_H
#define MPC_C_RUNTIME_H

#include "mpc-c/Checkpoint.h"
#include "mpc-c/DLPack.h"
#include "mpc-c/ProgramInfo.h"
#include "mpc-c/StepReport.h"
#include "mpc-c/Types.h"

#if defined(MPC_STATIC)
#define MPC_EXPORT
#else
#define MPC_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MPC_API_VERSION 1u

/* What session_result keeps. */
#define MPC_RESULT_RUNS 4u
#define MPC_RESULT_BYTES 4096u

/* ---- the table
 * --------------------------------------------------------------- */

/* A file that was read. */
typedef struct mpc_file mpc_file;

typedef struct mpc_api {
  size_t struct_size;
  uint32_t version;
  const char *library_version; /* "0.1.0" */

  /* "out of memory" for MPC_OUT_OF_MEMORY, and so on. */
  const char *(*code_name)(mpc_code code);
  /* "bf16", and bytes of one element; NULL and 0 for an unknown type. */
  const char *(*type_name)(mpc_type type);
  uint32_t (*type_bytes)(mpc_type type);

  /* The whole file is read and verified before anything is believed. */
  mpc_code (*program_load_file)(const char *path,
                                const mpc_load_options *options,
                                mpc_program **program, mpc_status *status);
  /* `data` is copied. */
  mpc_code (*program_load_memory)(const void *data, size_t bytes,
                                  const mpc_load_options *options,
                                  mpc_program **program, mpc_status *status);
  void (*program_release)(mpc_program *program); /* NULL is fine */

  mpc_code (*program_info)(const mpc_program *program, mpc_program_info *info);
  mpc_code (*program_setting)(const mpc_program *program, uint32_t index,
                              const char **key, const char **value);
  mpc_code (*program_state)(const mpc_program *program, uint32_t index,
                            mpc_state_info *info);
  mpc_code (*program_entry)(const mpc_program *program, uint32_t index,
                            mpc_entry_info *info);
  mpc_code (*program_input)(const mpc_program *program, uint32_t entry,
                            uint32_t index, mpc_tensor_info *info);
  mpc_code (*program_output)(const mpc_program *program, uint32_t entry,
                             uint32_t index, mpc_tensor_info *info);
  mpc_code (*program_record)(const mpc_program *program, uint32_t entry,
                             uint32_t index, mpc_record_info *info);
  mpc_code (*program_memory)(const mpc_program *program, uint32_t index,
                             const char **category, uint64_t *bytes);
  mpc_code (*program_kernel)(const mpc_program *program, uint32_t index,
                             mpc_kernel_info *info);
  mpc_code (*program_code)(const mpc_program *program, uint32_t index,
                           mpc_code_info *info);
  /* Index of an entry or a state by name; MPC_NOT_FOUND lists what there is. */
  mpc_code (*program_find_entry)(const mpc_program *program, const char *name,
                                 uint32_t *index, mpc_status *status);
  mpc_code (*program_find_state)(const mpc_program *program, const char *name,
                                 uint32_t *index, mpc_status *status);

  /* All memory is allocated here, none while running. */
  mpc_code (*session_create)(mpc_program *program,
                             const mpc_session_options *options,
                             mpc_session **session, mpc_status *status);
  void (*session_destroy)(mpc_session *session); /* NULL is fine */

  /* Gives every state its first value: the same seed gives the same bits, on
   * any number of threads. Then runs the entry "init". */
  mpc_code (*session_init)(mpc_session *session, uint64_t seed,
                           mpc_status *status);
  /* Recomputes what derives from states that session_set_state changed: at
   * once, so that a failure is told here and the next run is as fast as others.
   * Not needed otherwise: session_run does it first where it has to be done. */
  mpc_code (*session_refresh)(mpc_session *session, mpc_status *status);
  /* Runs an entry: to its end on the processor; on a device the work is queued
   * and may fail later, in any call that waits for it. inputs[i] belongs to the
   * entry's input i and is only read, until the call returns. Steps are counted
   * up to 2^31 - 1: where a counter is there, a step is refused before it
   * begins (MPC_INVALID_ARGUMENT), and the session is as it was. So are "step"
   * before the last micro-batch, and "accumulate" in its place. A run that
   * fails on the processor may be done again, unless it had begun to write
   * states (sums of gradients, parameters): they hold a part of what it
   * computes, so every run and save is refused (MPC_INVALID_ARGUMENT) until
   * session_init or session_load. After MPC_DEVICE_FAILED and failures of
   * collectives on a device only session_destroy is left. */
  mpc_code (*session_run)(mpc_session *session, uint32_t entry,
                          const mpc_input *inputs, uint32_t num_inputs,
                          mpc_status *status);
  /* Where output `index` of the last run of `entry` lies: memory of the
   * session, valid until its next run of any entry, on a device also until the
   * next call of this function. Waits for everything queued. */
  mpc_code (*session_output)(const mpc_session *session, uint32_t entry,
                             uint32_t index, const void **data, uint64_t *bytes,
                             mpc_status *status);
  /* Copies a state out or in; type, shape and bytes must be the state's.
   * Setting a derived state is refused: the next session_run, of whatever
   * entry, and session_get_state of a derived state compute it from the values
   * that were set (the latter is a run too: outputs of the run before are
   * gone). A state without a value yet is MPC_NOT_INITIALIZED. A session whose
   * states were all set needs no session_init; accumulators need not be set.
   * Between steps a loss scale may be set to any value above 0 that is finite
   * in f32, and its reciprocal too; the growth tracker goes on counting. A
   * learning rate is set to a finite number of 0 or more, a counter to 0 or
   * more. */
  mpc_code (*session_get_state)(const mpc_session *session, const char *name,
                                const mpc_tensor *destination,
                                mpc_status *status);
  mpc_code (*session_set_state)(mpc_session *session, const char *name,
                                const mpc_tensor *source, mpc_status *status);
  mpc_code (*session_memory)(const mpc_session *session, mpc_memory_info *info);
  uint32_t (*session_threads)(const mpc_session *session);

  /* Present if struct_size reaches beyond them. */

  mpc_code (*program_multi_tensor)(const mpc_program *program, uint32_t index,
                                   mpc_multi_tensor_info *info);
  mpc_code (*program_code_launch)(const mpc_program *program, uint32_t code,
                                  uint32_t index, mpc_launch_info *info);
  mpc_code (*program_code_stage)(const mpc_program *program, uint32_t code,
                                 uint32_t launch, uint32_t index,
                                 mpc_stage_info *info);
  /* Output `index`, of at most MPC_RESULT_BYTES, of the run of `entry` that was
   * `age` runs of `entry` ago: 0 the last, 1 the one before, below
   * MPC_RESULT_RUNS. Does not wait for later runs: reading the run before
   * (age 1) after each run leaves the device busy. The memory is the session's,
   * valid until MPC_RESULT_RUNS - age further runs of `entry`. */
  mpc_code (*session_result)(const mpc_session *session, uint32_t entry,
                             uint32_t index, uint32_t age, const void **data,
                             uint64_t *bytes, mpc_status *status);
  /* Waits until everything queued has run; its failure, if it failed. */
  mpc_code (*session_synchronize)(mpc_session *session, mpc_status *status);
  /* How often the session has waited for its device: until it was idle, and
   * for one earlier run. Both stay 0 on the processor. */
  mpc_code (*session_wait_counts)(const mpc_session *session,
                                  uint64_t *synchronizations, uint64_t *waits);
  /* The plans of matrix products that this session uses, for the device
   * options of a later one. The memory is the session's, valid until the next
   * call of this function. Target "cuda" only. */
  mpc_code (*session_export_plans)(mpc_session *session, const void **data,
                                   uint64_t *bytes, mpc_status *status);
  /* Writes a new ncclUniqueId of MPC_NCCL_ID_BYTES to `id`, for mpc_nccl: one
   * rank makes it and hands it to the others. `plugin`: as in the device
   * options. */
  mpc_code (*nccl_unique_id)(const char *plugin, void *id, mpc_status *status);
  /* Of a program for diagnosis, what output of its entry "probe" tells what. */
  mpc_code (*program_probe)(const mpc_program *program, uint32_t index,
                            mpc_probe_info *info);
  /* What the run of the entry "step" that was `age` runs of it ago tells, as
   * session_result would, field by field: age 0 waits for that run, age 1
   * leaves a device busy. Allocates nothing. */
  mpc_code (*session_step_report)(const mpc_session *session, uint32_t age,
                                  mpc_step_report *report, mpc_status *status);
  /* Writes a checkpoint, a safetensors file: every state that a step changes or
   * reads, under its own name, but for derived ones and accumulators. Between
   * two steps, not between micro-batches of one. At any time, also after a
   * crash, the file is the old one or the new one; a pipe or a device of that
   * name is written to directly (for one that is open already see
   * mpc_save_options). Of several ranks one does it. Options may be NULL. */
  mpc_code (*session_save)(const mpc_session *session, const char *path,
                           const mpc_save_options *options, mpc_status *status);
  /* Reads a checkpoint into a session of the same program, which goes on as the
   * one that wrote it, to the bit; it needs no session_init. Strict: a state
   * that the file lacks, one that the program does not have, another type or
   * another shape is an error that names them, and nothing is changed. With
   * parameters_only, what is neither a parameter nor a running statistic keeps
   * its value, so first call session_init. Options may be NULL. */
  mpc_code (*session_load)(mpc_session *session, const char *path,
                           const mpc_restore_options *options,
                           mpc_status *status);
  /* Library call `index` of a program, and one of its operands. */
  mpc_code (*program_call)(const mpc_program *program, uint32_t index,
                           mpc_call_info *info);
  mpc_code (*program_operand)(const mpc_program *program, uint32_t call,
                              uint32_t index, mpc_operand_info *info);
  /* on 1: later runs note when each of their records began and ended, which
   * costs a look at the clock each; 0, as at first: they do not, and it costs
   * nothing. Allocates. Refused (MPC_INVALID_ARGUMENT) for target "cuda", where
   * a run is one graph that is queued as a whole: session options `nvtx` name
   * its records for a profiler. */
  mpc_code (*session_time_records)(mpc_session *session, uint32_t on,
                                   mpc_status *status);
  /* Of the last run of `entry`, one for each of its records, which
   * program_record describes. The memory is the session's, valid until the next
   * run of the entry or call of session_time_records. MPC_NOT_FOUND if none was
   * timed. */
  mpc_code (*session_record_times)(const mpc_session *session, uint32_t entry,
                                   const mpc_record_time **times,
                                   uint32_t *count, mpc_status *status);
  /* What times of records are compared with, measured on this machine with so
   * many threads (0: as many as processors may be used), in some tens of
   * milliseconds each: the bytes, read and written ones, that a copy moves in a
   * second through memory, and the operations of a product of matrices of
   * `type` (MPC_F64, MPC_F32, MPC_F16 or MPC_BF16) that caches hold, a product
   * and a sum being two. */
  mpc_code (*measure_copy_rate)(uint32_t threads, double *bytes_per_second,
                                mpc_status *status);
  mpc_code (*measure_product_rate)(mpc_type type, uint32_t threads,
                                   double *flops_per_second,
                                   mpc_status *status);
  /* The same with the threads of a session of target "cpu", so that none are
   * made beside them. Between runs. */
  mpc_code (*session_copy_rate)(mpc_session *session, double *bytes_per_second,
                                mpc_status *status);
  mpc_code (*session_product_rate)(mpc_session *session, mpc_type type,
                                   double *flops_per_second,
                                   mpc_status *status);
  /* Tensors of DLPack; mpc-c/DLPack.h says what is taken, and what belongs to
   * whom. The first is session_run with inputs in the entry's order. The second
   * hands out the memory of session_output, marked read-only; the third a copy
   * of a state, marked so. The fourth copies a state into a tensor of the
   * caller, which must not be marked read-only; the fifth is session_set_state.
   */
  mpc_code (*session_run_dlpack)(mpc_session *session, uint32_t entry,
                                 const mpc_dlpack *const *inputs,
                                 uint32_t num_inputs, mpc_status *status);
  mpc_code (*session_output_dlpack)(const mpc_session *session, uint32_t entry,
                                    uint32_t index, mpc_dlpack **tensor,
                                    mpc_status *status);
  mpc_code (*session_get_state_dlpack)(const mpc_session *session,
                                       const char *name, mpc_dlpack **tensor,
                                       mpc_status *status);
  mpc_code (*session_read_state_dlpack)(const mpc_session *session,
                                        const char *name,
                                        const mpc_dlpack *destination,
                                        mpc_status *status);
  mpc_code (*session_set_state_dlpack)(mpc_session *session, const char *name,
                                       const mpc_dlpack *source,
                                       mpc_status *status);
  /* Files as wholes, as every function here reads and writes them: a model for
   * mpc_compiler_api, the bytes of a program that it made. What is read is a
   * regular file, or a pipe, to which a program must write within 3 seconds; a
   * directory and a device, which may have no end, are MPC_INVALID_ARGUMENT. */
  mpc_code (*file_read)(const char *path, mpc_file **file, mpc_status *status);
  /* Valid until file_release. */
  const void *(*file_data)(const mpc_file *file, size_t *bytes);
  void (*file_release)(mpc_file *file); /* NULL is fine */
  /* A regular file, or a new one, is replaced whole: at any time it is the old
   * one or the new one. A link is followed. A pipe, from which a program must
   * read within 3 seconds, or a device is written to directly. */
  mpc_code (*file_write)(const char *path, const void *data, size_t bytes,
                         mpc_status *status);
} mpc_api;

/* The table for `version`, or NULL if this library does not know it. */
MPC_EXPORT const mpc_api *mpc_get_api(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_RUNTIME_H */
