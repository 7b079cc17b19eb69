/* The C interface of the mpc compiler (libmpcc): the bytes of a model in, those
 * of a program file out, for applications that compile while they run.
 *
 *   const mpc_compiler_api *mpcc =
 *       mpc_get_compiler_api(MPC_COMPILER_API_VERSION);
 *   mpc_compile_option chosen[] = {{"precision", "bf16"}, {"lr", "1e-3"}};
 *   MPC_STRUCT(mpc_compile_options, options);
 *   options.name = "model.mlir";
 *   options.options = chosen;
 *   options.num_options = 2;
 *   options.diagnose = print_it;
 *   mpcc->compile(model, bytes, &options, &compiled, &status);
 *   const void *program = mpcc->program(compiled, &bytes);
 *   mpc->program_load_memory(program, bytes, &load, ...);
 *   mpcc->release(compiled);
 *
 * Options are those of `mpc-compile --help` without their dashes, read by the
 * same table: the same model, name and options give the same bytes. What
 * options name as files is read from there. As mpc-compile does, the library
 * keeps compiled kernels in the folder of the option "cache-dir", by default
 * $MPC_CACHE_DIR, $XDG_CACHE_HOME/mpc or ~/.cache/mpc, dumps to $MPC_DUMP, and
 * for target "cuda" looks for the toolkit by $MPC_PTXAS, $CUDA_HOME,
 * $CUDA_ROOT, $CUDA_PATH and $PATH. It runs ld.lld ($MPC_LLD, or found), and
 * ptxas for target "cuda", and has small files in $TMPDIR meanwhile.
 *
 * Errors. Functions return a code; 0 is success. `status`, where it is not
 * NULL, also receives the code and a message: of a model that is refused, the
 * first error with its place. All of them, and warnings, go to `diagnose`. The
 * library never exits, prints, throws or changes signal handlers. What LLVM
 * would end the process for (report_fatal_error) is MPC_COMPILE_FAILED, and so
 * is an end of memory; memory of that compilation, and its thread, stay lost
 * then. While one runs, LLVM's handlers of such errors and C++'s handler of
 * operator new, of which a process has one each, are this library's.
 *
 * Threads. Any number of compilations at once: they share nothing but the
 * cache's folder. Each runs on a thread of its own, for which its caller waits,
 * and compiles kernels on as many threads as the machine has processors. */
#ifndef MPC_C_COMPILER_H
#define MPC_C_COMPILER_H

#include "mpc-c/Types.h"

#if defined(MPC_STATIC)
#define MPCC_EXPORT
#else
#define MPCC_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MPC_COMPILER_API_VERSION 1u

typedef enum mpc_severity MPC_INT {
  MPC_SEVERITY_ERROR = 0,
  MPC_SEVERITY_WARNING,
  MPC_SEVERITY_REMARK,
  MPC_SEVERITY_NOTE
} mpc_severity;

/* What the compiler says about a model. Strings end with 0, are never NULL, and
 * are valid during the call that hands them out. */
typedef struct mpc_diagnostic {
  size_t struct_size;
  mpc_severity severity;
  uint32_t line, column; /* from 1; 0 where there is no place */
  const char *message;   /* "expected lr >= 0, but got -1" */
  const char *file;      /* of the place: the model's name, or what its own
                          * locations say; "" where there is none */
  const char *text; /* as mpc-compile prints it, with its notes, lines of the
                     * model and carets; "" if it is about no model, as of
                     * options and files */
  /* What belongs to it; a note has none of its own, and no text. */
  const struct mpc_diagnostic *const *notes;
  uint32_t num_notes;
} mpc_diagnostic;

/* `value`: NULL or "" for a flag. */
typedef struct mpc_compile_option {
  const char *name, *value;
} mpc_compile_option;

/* Everything is read during the call only. The callbacks are called by one
 * thread at a time, not always the caller's. */
typedef struct mpc_compile_options {
  size_t struct_size;
  const char *name; /* of the model in messages and locations; NULL: "model" */
  const mpc_compile_option *options;
  uint32_t num_options;
  void (*diagnose)(void *context, const mpc_diagnostic *diagnostic);
  void *diagnose_context;
  /* Takes what the options with "print" in their names, "time" and
   * "memory-limit" write, piece by piece: `bytes` of `text`, which need not
   * end with 0. The first two are refused without it. */
  void (*report)(void *context, const char *text, size_t bytes);
  void *report_context;
  /* Where files of external data of a model in ONNX's format lie; NULL: a model
   * that has any is refused. */
  const char *folder;
} mpc_compile_options;

/* A program that was compiled. */
typedef struct mpc_compiled mpc_compiled;

/* One option, for who lists them. The library's memory, as long as it is
 * loaded. */
typedef struct mpc_option_info {
  size_t struct_size;
  const char *name;    /* "precision" */
  const char *metavar; /* what stands for the value: "fp32|bf16|fp16", "FILE";
                        * "" of a flag */
  const char *help, *group;
} mpc_option_info;

/* A tensor with a name: row-major, dense, little-endian. What comes in is read
 * during the call only. */
typedef struct mpc_weight {
  size_t struct_size;
  const char *name;
  mpc_type type;
  uint32_t rank;
  const int64_t *shape; /* NULL of rank 0 */
  const void *data;
  uint64_t bytes;
} mpc_weight;

/* How a copy of a model in ONNX's format is written. */
typedef struct mpc_onnx_options {
  size_t struct_size;
  /* Where its files of external data lie; NULL: it may have none. */
  const char *folder;
  /* A regular expression (POSIX, extended): weights of the model whose whole
   * names match may be missing, and stay as they are; NULL: none may be. */
  const char *keep;
  /* 1: dropout and batch norm, which the model may have as they train, predict
   * in the copy. */
  uint32_t inference;
  /* Hears what is to be known of the copy, as that it has nodes that run as in
   * training; may be NULL. */
  void (*warn)(void *context, const char *message);
  void *warn_context;
} mpc_onnx_options;

typedef struct mpc_compiler_api {
  size_t struct_size;
  uint32_t version;
  const char *library_version; /* "0.1.0" */

  const char *(*code_name)(mpc_code code);

  /* Compiles `bytes` of `model`: text or bytecode of MLIR, a model in ONNX's
   * format, whose weights `weight` tells, or a program file with its source, of
   * which the option "probe" compiles that entry. They are read until the call
   * returns. `compiled` receives the program, or NULL. MPC_INVALID_ARGUMENT: an
   * option is unknown, wrong or without effect; MPC_INVALID_MODEL: the model,
   * or a file that an option names, is missing, malformed or not supported;
   * MPC_COMPILE_FAILED: the system, a tool or LLVM failed, or there is no
   * memory, which may be MPC_OUT_OF_MEMORY, too. */
  mpc_code (*compile)(const void *model, size_t bytes,
                      const mpc_compile_options *options,
                      mpc_compiled **compiled, mpc_status *status);
  /* The program file: to write down as model.mpcx, or to load from memory. It
   * belongs to `compiled`. */
  const void *(*program)(const mpc_compiled *compiled, size_t *bytes);
  void (*release)(mpc_compiled *compiled); /* NULL is fine */

  /* Option `index`, in the order of the help; MPC_NOT_FOUND behind the last. */
  mpc_code (*option)(uint32_t index, mpc_option_info *info);

  /* Weight `index` of those that a model in ONNX's format brought: first values
   * of the program's parameters and running statistics, for session_set_state,
   * also where the option "weights" names a file for them. They belong to
   * `compiled`. MPC_NOT_FOUND behind the last. */
  mpc_code (*weight)(const mpc_compiled *compiled, uint32_t index,
                     mpc_weight *weight);
  /* Writes a copy of a model in ONNX's format, the `bytes` of `model`, to the
   * file `path`, with other weights: all that are trained, by their names, in
   * f64, f32, f16 or bf16. It has the model's types, to which they are rounded,
   * its nodes, and its places: what lies in files beside the model lies in one
   * beside the copy, `path` and ".data". `options`: NULL for none.
   * MPC_INVALID_ARGUMENT: the model is damaged or does not fit the weights:
   * the message names the first few that are missing, unknown or of another
   * shape, and counts the others; or its data lie in a file that would be
   * written, or go where a file lies that is not the old copy's.
   * MPC_IO_ERROR: a file cannot be written. */
  mpc_code (*write_onnx)(const void *model, size_t bytes,
                         const mpc_weight *const *weights, uint32_t num_weights,
                         const char *path, const mpc_onnx_options *options,
                         mpc_status *status);
} mpc_compiler_api;

/* The table for `version`, or NULL if this library does not know it. */
MPCC_EXPORT const mpc_compiler_api *mpc_get_compiler_api(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_COMPILER_H */
