#include <stddef.h>
#define MPC_INT
typedef enum mpc_e MPC_INT { MPC_A, MPC_C, MPC_B } mpc_e;
typedef struct mpc_moved {
  size_t struct_size;
  int first, second;
} mpc_moved;
typedef struct mpc_changed {
  int (*f)(long);
} mpc_changed;
typedef struct mpc_cut {
  int one;
} mpc_cut;
typedef struct mpc_grown {
  int one, two;
} mpc_grown;
