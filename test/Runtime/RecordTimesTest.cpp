// The times of records, where they are asked for.
#include "LineProgram.h"
#include "OpenSession.h"

#include <chrono>

using namespace mpc;
using namespace mpc::test;

static uint64_t now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(time).count());
}

TEST(RecordTimes, OneBehindTheOtherWithinTheRun) {
  HandMade made = makeLineProgram();
  auto session = open(made, 2);
  ASSERT_TRUE(session->initialize(1).ok());
  ASSERT_TRUE(session->timeRecords(true).ok());
  Line line;
  for (int run = 0; run < 3; ++run) {
    uint64_t before = now();
    ASSERT_TRUE(session->run(1, line.inputs()).ok());
    uint64_t after = now();
    auto times = session->recordTimes(1);
    ASSERT_TRUE(times) << times.status().message();
    ASSERT_EQ(times->size(), 4u);
    for (const runtime::RecordTime &time : *times) {
      EXPECT_LE(before, time.begin);
      EXPECT_LE(time.begin, time.end);
      before = time.end;
    }
    EXPECT_LE(before, after);
  }
}

TEST(RecordTimes, OnlyWhereAskedFor) {
  HandMade made = makeLineProgram();
  auto session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  Line line;
  ASSERT_TRUE(session->run(1, line.inputs()).ok());
  EXPECT_EQ(session->recordTimes(1).status().code(), StatusCode::NotFound);
  EXPECT_EQ(session->recordTimes(9).status().code(), StatusCode::NotFound);
  ASSERT_TRUE(session->timeRecords(true).ok());
  // What was run before was not timed.
  EXPECT_EQ(session->recordTimes(1).status().code(), StatusCode::NotFound);
  ASSERT_TRUE(session->run(1, line.inputs()).ok());
  EXPECT_TRUE(session->recordTimes(1));
  EXPECT_EQ(session->recordTimes(0).status().code(), StatusCode::NotFound);
  ASSERT_TRUE(session->timeRecords(false).ok());
  EXPECT_EQ(session->recordTimes(1).status().code(), StatusCode::NotFound);
  ASSERT_TRUE(session->run(1, line.inputs()).ok());
  EXPECT_EQ(session->recordTimes(1).status().code(), StatusCode::NotFound);
}
