// Assertions: checked in builds that ask for them, never evaluated elsewhere.
#include "mpc/Support/Assert.h"
#include "mpc/Support/Status.h"
#include <gtest/gtest.h>

using namespace mpc;

#ifdef MPC_ENABLE_ASSERTS

TEST(AssertDeathTest, SaysWhereWhatAndWhy) {
  EXPECT_DEATH(MPC_ASSERT(1 > 2, "numbers are ordered"),
               "AssertTest.cpp:[0-9]+: assertion failed: 1 > 2 "
               ".numbers are ordered.");
}

TEST(AssertDeathTest, ReadingAResultThatFailed) {
  Result<int> result = Status(StatusCode::NotFound, "no such thing");
  EXPECT_DEATH(static_cast<void>(*result), "only a result that was asked");
}

#else

TEST(Assert, IsNotEvaluated) {
  int count = 0;
  MPC_ASSERT(++count > 5, "nobody counts");
  EXPECT_EQ(count, 0);
}

#endif

TEST(Assert, WhatHoldsGoesOn) {
  MPC_ASSERT(2 > 1, "numbers are ordered");
  Result<int> result = 3;
  EXPECT_EQ(*result, 3);
}
