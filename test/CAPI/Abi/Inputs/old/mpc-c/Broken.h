#include <stddef.h>
#define MPC_INT
typedef enum mpc_e MPC_INT { MPC_A, MPC_B } mpc_e;
typedef struct mpc_moved {
  size_t struct_size;
  int second;
} mpc_moved;
typedef struct mpc_changed {
  int (*f)(int);
} mpc_changed;
typedef struct mpc_cut {
  int one, two;
} mpc_cut;
typedef struct mpc_gone {
  int one;
} mpc_gone;
typedef struct mpc_grown {
  int one;
} mpc_grown;
