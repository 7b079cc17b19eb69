/* What the library and the plug-in of an engine agree on. C, since Gloo's
 * headers want C++17 and what includes them is compiled as that. */
#ifndef MPC_LIB_RANKS_TRANSPORT_ENGINE_H
#define MPC_LIB_RANKS_TRANSPORT_ENGINE_H

#include <stdint.h>

/* Raised with every change of this file. */
#define MPC_ENGINE_VERSION "mpc " MPC_VERSION ", engine interface 6"
#define MPC_ENGINE_SYMBOL "mpc_ranks_engine"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mpc_message {
  uint32_t peer;
  void *data; /* of one that is sent: only read */
  uint64_t bytes;
} mpc_message;

typedef enum mpc_outcome {
  MPC_OUTCOME_DONE,
  MPC_OUTCOME_FAILED,
  MPC_OUTCOME_TIMED_OUT,
  MPC_OUTCOME_ABORTED,
  MPC_OUTCOME_REFUSED, /* what this process may not ask for */
} mpc_outcome;

typedef struct mpc_failure {
  mpc_outcome outcome;
  char text[400]; /* ends with a zero */
} mpc_failure;

/* Names, which are numbers of ranks, and values that all ranks see: each sets
 * its own. Functions return 0 if all went well;
 * `get` waits for the name, and hands the value to `take`. */
typedef struct mpc_engine_store {
  void *self;
  int (*set)(void *self, const char *name, const void *value, uint64_t bytes);
  int (*get)(void *self, const char *name, void *target,
             void (*take)(void *target, const void *value, uint64_t bytes));
  /* Any thread, often: not 0 when a rank is lost, so that connecting to it is
   * no use any more. `get` fails then. */
  int (*is_over)(void *self);
} mpc_engine_store;

typedef struct mpc_engine_setup {
  uint32_t rank, size;
  const char *host;       /* where to listen; null: at the interface */
  const char *interface;  /* null: at the host */
  int64_t timeout_ms;     /* of all connections together */
  mpc_engine_store store; /* of an engine that needs one */
  /* The application's ranks: a handle of the engine's library, and its bytes;
   * null: those that were launched. */
  const void *communicator;
  uint64_t communicator_bytes;
} mpc_engine_setup;

typedef struct mpc_engine {
  const char *version; /* MPC_ENGINE_VERSION of its build; compared first */
  int needs_store; /* whether ranks find each other by the store, not by what
                    * launched them */
  /* Which rank of how many this is of the setup's communicator, of which all
   * else may be zero; false and `failure`. Null: the engine takes none. */
  int (*place)(const mpc_engine_setup *setup, uint32_t *rank, uint32_t *size,
               mpc_failure *failure);
  /* Null and `failure` if it cannot. */
  void *(*open)(const mpc_engine_setup *setup, mpc_failure *failure);
  /* As Transport::exchange; false and `failure` if it did not end. When it
   * returns no buffer is used any more. */
  int (*exchange)(void *self, const mpc_message *sends, uint32_t num_sends,
                  const mpc_message *receives, uint32_t num_receives,
                  uint64_t kind, int64_t timeout_ms, mpc_failure *failure);
  void (*abort)(void *self);
  void (*close)(void *self);
} mpc_engine;

#ifdef __cplusplus
}
#endif

#endif /* MPC_LIB_RANKS_TRANSPORT_ENGINE_H */
