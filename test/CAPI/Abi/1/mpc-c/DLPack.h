/* DLPack for inputs, outputs and states: the table's functions with "dlpack" in
 * their names (mpc-c/Runtime.h), and the structs of DLPack 1.1 under names of
 * our own, so that this header stands beside dlpack/dlpack.h. They have its
 * layout: cast a DLManagedTensorVersioned pointer to mpc_dlpack, or back.
 *
 * What comes in is read in place, never copied, and never consumed: whoever
 * calls keeps it and calls its deleter. It must be in memory of the processor
 * (also pinned or managed by CUDA), dense and row-major: strides NULL, or those
 * that follow from the shape (of dims of one element, and of empty tensors, any
 * will do). byte_offset counts. Another device, type, shape or other strides
 * are refused with the numbers that were found and expected; nothing is
 * converted.
 *
 * What goes out belongs to the caller: call its deleter, once, from any thread.
 * Its memory lives until then, also after session_destroy: then the session
 * itself goes with the last of its tensors, and so an application's allocator
 * and groups must live on. Values of outputs hold as long as those of
 * session_output. */
#ifndef MPC_C_DLPACK_H
#define MPC_C_DLPACK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPC_DLPACK_MAJOR 1u
#define MPC_DLPACK_MINOR 1u

/* Kinds of devices. */
#define MPC_DLPACK_CPU 1
#define MPC_DLPACK_CUDA 2
#define MPC_DLPACK_CUDA_HOST 3
#define MPC_DLPACK_CUDA_MANAGED 13

/* Codes of types. */
#define MPC_DLPACK_INT 0
#define MPC_DLPACK_FLOAT 2
#define MPC_DLPACK_BFLOAT 4
#define MPC_DLPACK_BOOL 6
#define MPC_DLPACK_FLOAT8_E4M3FN 10
#define MPC_DLPACK_FLOAT8_E5M2 12

/* Flags. */
#define MPC_DLPACK_READ_ONLY 1u
#define MPC_DLPACK_IS_COPIED 2u

/* DLTensor. */
typedef struct mpc_dltensor {
  void *data; /* NULL where there are no elements */
  struct {
    int32_t kind, number;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes; /* 1 */
  } type;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: dense and row-major */
  uint64_t byte_offset;
} mpc_dltensor;

/* DLManagedTensorVersioned. */
typedef struct mpc_dlpack {
  struct {
    uint32_t major, minor;
  } version;
  void *manager_ctx;
  void (*deleter)(struct mpc_dlpack *self); /* may be NULL of what comes in */
  uint64_t flags;
  mpc_dltensor tensor;
} mpc_dlpack;

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_DLPACK_H */
