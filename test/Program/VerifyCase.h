// One broken program per semantic check, with the message it must give.
#ifndef MPC_TEST_PROGRAM_VERIFYCASE_H
#define MPC_TEST_PROGRAM_VERIFYCASE_H

#include "../Runtime/HandMade.h"

#include <functional>
#include <gtest/gtest.h>

namespace mpc::test {

struct VerifyCase {
  const char *name;
  std::function<void(HandMade &)> breakIt;
  const char *message; ///< a part of it
};

/// `made` is refused once broken, and only then.
inline void expectRefusal(HandMade made, const VerifyCase &broken) {
  auto good = serialize(made.program);
  ASSERT_TRUE(good) << good.status().message();
  broken.breakIt(made);
  auto bytes = serialize(made.program);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.status().code(), StatusCode::InvalidProgram);
  EXPECT_NE(bytes.status().message().find(broken.message), std::string::npos)
      << "got: " << bytes.status().message();
}

inline std::string nameOf(const testing::TestParamInfo<VerifyCase> &info) {
  return info.param.name;
}

} // namespace mpc::test

#endif // MPC_TEST_PROGRAM_VERIFYCASE_H
