// Sessions of hand-made programs, and their states as vectors.
#ifndef MPC_TEST_RUNTIME_OPENSESSION_H
#define MPC_TEST_RUNTIME_OPENSESSION_H

#include "HandMade.h"
#include "mpc/Runtime/Session.h"

#include <gtest/gtest.h>

namespace mpc::test {

using runtime::Session;
using runtime::SessionOptions;

inline std::shared_ptr<const runtime::Program> load(HandMade &made) {
  auto bytes = serialize(made.program);
  EXPECT_TRUE(bytes) << bytes.status().message();
  auto program = runtime::Program::copy(*bytes, {.allowCode = true, .log = {}});
  EXPECT_TRUE(program) << program.status().message();
  return *program;
}

inline std::unique_ptr<Session> open(HandMade &made, uint32_t threads = 1) {
  SessionOptions options;
  options.threads = threads;
  auto session = Session::create(load(made), std::move(options));
  EXPECT_TRUE(session) << session.status().message();
  return std::move(*session);
}

template <typename T>
std::vector<T> getState(const Session &session, const char *name, Dims shape,
                        DType type) {
  uint64_t count = 1;
  for (int64_t dim : shape)
    count *= static_cast<uint64_t>(dim);
  std::vector<T> values(count);
  Status status =
      session.getState(name, {type, shape, values.data(), count * sizeof(T)});
  EXPECT_TRUE(status.ok()) << status.message();
  return values;
}

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_OPENSESSION_H
