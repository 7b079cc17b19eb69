// What may be done again after a run that failed, and what may not.
#include "OpenSession.h"

using namespace mpc;
using namespace mpc::test;

namespace {

/// One of two ranks whose peer has what we have, and goes once.
struct Peer final : runtime::BlockingCommunicator {
  explicit Peer(int &goesIn) : goesIn(goesIn) {}
  uint32_t rank() const override { return 0; }
  uint32_t size() const override { return 2; }
  Status allReduce(const void *source, void *result, uint64_t count, DType,
                   runtime::ReduceKind) override {
    if (goesIn-- == 0)
      return {StatusCode::CollectiveFailed, "the peer has gone"};
    std::memcpy(result, source, count * sizeof(float));
    return {};
  }
  int &goesIn;
};

enum Part : uint32_t { Accumulate, Step, Forward, Reduce };

/// Entries "accumulate" and "step" ask the peer, write a state, the sum or the
/// parameter, and ask again.
struct FailedRunTest : testing::Test {
  HandMade made;
  int goesIn = -1;
  std::unique_ptr<Session> session;

  FailedRunTest() {
    constexpr ElementType f32 = ElementType::F32;
    auto setting = std::make_unique<KeyValueT>();
    setting->key = "accumulate";
    setting->value = "2";
    made.program.settings.push_back(std::move(setting));
    auto collective = std::make_unique<CollectiveT>();
    collective->kind = ReduceKind::Average;
    collective->type = f32;
    collective->counts = {1};
    made.program.collectives.push_back(std::move(collective));
    Arg w = made.state("w", f32, {1});
    Arg sum = made.state("sum", f32, {1}, Init(InitKind::Zeros, 0, 0),
                         Role::Accumulator);
    Arg mean = made.arena(4), unused = made.arena(4);
    auto add = [&](const char *name, Arg state) -> EntryT & {
      EntryT &entry = made.entry(name);
      Arg x = HandMade::input(entry, "x", f32, {1});
      HandMade::record(entry, RecordKind::AllReduce, 0, {x, mean});
      HandMade::record(entry, RecordKind::Copy, 0, {mean, state}, 4);
      HandMade::record(entry, RecordKind::AllReduce, 0, {state, unused});
      return entry;
    };
    add("accumulate", sum);
    HandMade::record(add("step", w), RecordKind::Fill, 0, {sum}, 4);
    made.entry("forward");
    EntryT &reduce = made.entry("reduce");
    Arg x = HandMade::input(reduce, "x", f32, {1});
    HandMade::record(reduce, RecordKind::AllReduce, 0, {x, w});
    SessionOptions options;
    options.communicator = std::make_unique<Peer>(goesIn);
    auto opened = Session::create(load(made), std::move(options));
    EXPECT_TRUE(opened) << opened.status().message();
    session = std::move(*opened);
    EXPECT_TRUE(session->initialize(1).ok());
  }
  Status run(Part entry, float x) {
    runtime::Input input = {&x, sizeof x};
    return session->run(entry, {&input, entry == Forward ? 0u : 1u});
  }
  /// One that fails when it asks for the first or the second time.
  void fail(Part entry, float x, int time) {
    goesIn = time - 1;
    EXPECT_EQ(run(entry, x).code(), StatusCode::CollectiveFailed);
    goesIn = -1;
  }
  float get(const char *name) {
    return getState<float>(*session, name, {1}, DType::F32)[0];
  }
  Status set(const char *name, float value) {
    constexpr int64_t shape[] = {1};
    return session->setState(name, {DType::F32, shape, &value, sizeof value});
  }
};

} // namespace

TEST_F(FailedRunTest, WhatWroteNothingIsDoneAgain) {
  fail(Accumulate, 3, 1);
  EXPECT_TRUE(session->checkComplete().ok()) << "no step was begun";
  EXPECT_TRUE(run(Forward, 0).ok());
  ASSERT_TRUE(run(Accumulate, 3).ok());
  EXPECT_EQ(get("sum"), 3);
  fail(Step, 5, 1);
  EXPECT_EQ(get("w"), 0);
  EXPECT_EQ(session->checkComplete().message(),
            "a step is half done: expected a run of 'step' after those of "
            "'accumulate'");
  ASSERT_TRUE(run(Step, 5).ok());
  EXPECT_EQ(get("w"), 5);
  EXPECT_TRUE(session->checkComplete().ok());
}

TEST_F(FailedRunTest, APartOfAMicroBatchIsNotAddedTwice) {
  fail(Accumulate, 3, 2);
  EXPECT_EQ(get("sum"), 3) << "what there is may be looked at";
  const char *said =
      "entry 'accumulate' failed on its way, and states hold a part of what it "
      "computes; initialize or load states, nothing is run or saved before";
  for (Part entry : {Accumulate, Step, Forward}) {
    Status refused = run(entry, 3);
    EXPECT_EQ(refused.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(refused.message(), said);
  }
  EXPECT_EQ(session->checkComplete().message(), said);
  EXPECT_TRUE(set("w", 7).ok());
  EXPECT_EQ(run(Accumulate, 3).message(), said) << "one state is not all";
  ASSERT_TRUE(session->clearAccumulators().ok());
  EXPECT_EQ(get("sum"), 0);
  EXPECT_TRUE(run(Accumulate, 3).ok());
  EXPECT_TRUE(run(Step, 5).ok());
}

TEST_F(FailedRunTest, NorIsAStep) {
  ASSERT_TRUE(run(Accumulate, 3).ok());
  fail(Step, 5, 2);
  EXPECT_EQ(get("w"), 5);
  EXPECT_TRUE(run(Step, 5).message().starts_with(
      "entry 'step' failed on its way, and states hold a part"));
  EXPECT_FALSE(session->checkComplete().ok());
  ASSERT_TRUE(session->initialize(1).ok());
  EXPECT_TRUE(session->checkComplete().ok());
  EXPECT_EQ(get("sum"), 0);
  ASSERT_TRUE(run(Accumulate, 3).ok());
  EXPECT_TRUE(run(Step, 5).ok());
}

// Nobody knows how much of it is there.
TEST_F(FailedRunTest, NorIsWhatFailedWhileItWrote) {
  fail(Reduce, 3, 1);
  EXPECT_TRUE(run(Reduce, 3).message().starts_with("entry 'reduce' failed"));
  ASSERT_TRUE(session->initialize(1).ok());
  EXPECT_TRUE(run(Reduce, 3).ok());
  EXPECT_EQ(get("w"), 3);
}

// Those behind the one that failed.
TEST_F(FailedRunTest, RecordsThatItDidNotComeToHaveNoTimes) {
  ASSERT_TRUE(session->timeRecords(true).ok());
  fail(Accumulate, 3, 1);
  auto times = session->recordTimes(Accumulate);
  ASSERT_TRUE(times) << times.status().message();
  ASSERT_EQ(times->size(), 3u);
  EXPECT_GT((*times)[0].begin, 0u);
  EXPECT_GE((*times)[0].end, (*times)[0].begin);
  for (size_t record : {1, 2}) {
    EXPECT_EQ((*times)[record].begin, 0u) << record;
    EXPECT_EQ((*times)[record].end, 0u) << record;
  }
  // Nor do those of a run before stay.
  ASSERT_TRUE(run(Accumulate, 3).ok());
  EXPECT_GT((*session->recordTimes(Accumulate))[2].begin, 0u);
  ASSERT_TRUE(run(Step, 5).ok());
  fail(Accumulate, 3, 1);
  EXPECT_EQ((*session->recordTimes(Accumulate))[2].begin, 0u);
}
