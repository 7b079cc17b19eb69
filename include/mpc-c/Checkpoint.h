/* Options of checkpoints: session_save and session_load of the C interface. */
#ifndef MPC_C_CHECKPOINT_H
#define MPC_C_CHECKPOINT_H

#include "mpc-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a checkpoint says beside its states: strings in UTF-8. The keys
 * "format", "model" and "parameter_groups" are the library's. */
typedef struct mpc_key_value {
  const char *key, *value;
} mpc_key_value;

typedef struct mpc_save_options {
  size_t struct_size;
  const mpc_key_value *metadata; /* for the application: its epoch, its seed */
  uint32_t num_metadata;
  /* A descriptor to write to, that of a pipe or a socket, say; it stays open.
   * Messages then name it by the path, which nobody opens. 0: to a file at the
   * path. */
  int64_t descriptor;
} mpc_save_options;

typedef struct mpc_restore_options {
  size_t struct_size;
  uint32_t parameters_only; /* 1: any safetensors file that has the parameters
                             * and running statistics, and may have more; all
                             * other states stay */
  /* Called for each entry of the file's metadata, before states are set; NULL:
   * nobody asks. The strings are valid during the call. */
  void (*metadata)(void *context, const char *key, const char *value);
  void *metadata_context;
} mpc_restore_options;

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_CHECKPOINT_H */
