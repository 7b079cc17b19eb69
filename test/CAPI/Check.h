/* What the tests of the C interfaces begin with that are written in C. */
#ifndef MPC_TEST_CAPI_CHECK_H
#define MPC_TEST_CAPI_CHECK_H

#include "mpc-c/Types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the last call of this thread said. */
static _Thread_local mpc_status status;

/* Ends the test with exit code 1 and the line where something does not hold. */
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s; %s\n", __FILE__, __LINE__, #condition,       \
              status.message);                                                 \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

typedef struct Bytes {
  char *data;
  size_t size;
} Bytes;

/* Of a file that is neither empty nor longer than 1 MiB; the caller frees
 * them. */
static inline Bytes readAll(const char *path) {
  const size_t most = (size_t)1 << 20;
  Bytes all = {malloc(most), 0};
  FILE *file = fopen(path, "rb");
  CHECK(file && all.data);
  all.size = fread(all.data, 1, most, file);
  fclose(file);
  CHECK(all.size > 0 && all.size < most);
  return all;
}

#endif /* MPC_TEST_CAPI_CHECK_H */
