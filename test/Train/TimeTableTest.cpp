// The table of --timings from times made by hand, and what is asked of a
// session for it.
#include "ToyRun.h"
#include "Train/Loop/RecordTimes.h"

#include "mpc/Train/Format.h"

using namespace mpc;
using namespace mpc::test;

static mpc_record_info makeRecord(const char *kind, const char *name,
                                  uint64_t bytesRead, uint64_t bytesWritten,
                                  double flops) {
  mpc_record_info record = {};
  record.kind = kind;
  record.name = name;
  record.symbol = "";
  record.bytes_read = bytesRead;
  record.bytes_written = bytesWritten;
  record.flops = flops;
  return record;
}

/// Two steps, each of two runs of one entry and one of another; nothing runs
/// the third, which has no row.
TEST(TimeTable, AddsUpByKindAndLine) {
  train::RecordList records = {
      {makeRecord("launch", "add at m.mlir:3", 3000, 1000, 0),
       makeRecord("matmul", "matmul at m.mlir:3", 300, 100, 8e6)},
      {makeRecord("all_reduce", "all_reduce", 0, 0, 0)},
      {makeRecord("fill", "fill at m.mlir:9", 0, 8, 0)}};
  train::TimeTable table(records, /*leavesOutFirst=*/true);
  const mpc_record_time two[] = {{0, 1000}, {1000, 3000}}, one[] = {{0, 3000}};
  for (int step = 0; step < 2; ++step) {
    table.add(0, two, /*isNewStep=*/true);
    table.add(0, two, /*isNewStep=*/false);
    table.add(1, one, /*isNewStep=*/false);
  }
  // Of 18 us launches are 4, products 8, the collective 6.
  EXPECT_EQ(
      table.describe(),
      "times of records, the mean of 2 steps, the first left out\n"
      "kind                          records         ms   share     GB/s  "
      "GFLOP/s\n"
      "matmul                              2      0.004  44.4 %      0.2   "
      "4000.0\n"
      "all_reduce                          1      0.003  33.3 %\n"
      "launch                              2      0.002  22.2 %      4.0\n"
      "\n"
      "line of the model             records         ms   share     GB/s  "
      "GFLOP/s\n"
      "m.mlir:3                            4      0.006  66.7 %      1.5   "
      "2666.7\n"
      "all_reduce                          1      0.003  33.3 %");
}

/// Whatever a file is called, columns stay where they are.
TEST(TimeTable, NamesStayInTheirColumn) {
  std::string names[] = {"a\x1b[31mred.mlir:7",
                         std::string(600, 'n') + ".mlir:12",
                         "\xc3\xa4\xc3\xb6\xc3\xbc.mlir:1",
                         std::string(40, 'm') + "\xc3\xa4.mlir:20"};
  train::RecordList records(1);
  std::vector<std::string> at;
  for (const std::string &name : names)
    at.push_back("op at " + name);
  for (const std::string &name : at)
    records[0].push_back(makeRecord("launch", name.c_str(), 0, 0, 0));
  train::TimeTable table(records, false);
  const mpc_record_time times[] = {{0, 4000}, {0, 3000}, {0, 2000}, {0, 1000}};
  table.add(0, times, true);
  std::string text = table.describe();
  text = text.substr(text.find("line of the model"));
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "a?[31mred.mlir:7                    1      0.004  40.0 %\n"
            "...nnnnnnnnnnnnnnnnn.mlir:12        1      0.003  30.0 %\n"
            "\xc3\xa4\xc3\xb6\xc3\xbc.mlir:1                          1"
            "      0.002  20.0 %\n"
            "...mmmmmmmmmmmmmmmm\xc3\xa4.mlir:20        1      0.001  10.0 %");
}

TEST(TimeTable, OfNoStep) {
  EXPECT_EQ(train::TimeTable({}, false).describe(), "no step was timed");
}

namespace {
class RecordTimesOfToy : public ToyRun {
protected:
  RecordTimesOfToy()
      : program(std::move(*rt::Program::load(MPC_TEST_TOY_PROGRAM, {true}))),
        session(std::move(*rt::Session::create(program, {}))),
        entry(*program.findEntry("step")) {
    EXPECT_TRUE(session.init(1));
  }
  void step(train::RecordTimes &times, uint64_t number) {
    mpc_input inputs[] = {{pixels.data(), kBatch * kPixels * sizeof(float)},
                          {labels.data(), kBatch * sizeof(int32_t)}};
    ASSERT_TRUE(session.run(entry, inputs, 2));
    times.noteRun(entry, number);
  }

  rt::Program program;
  rt::Session session;
  uint32_t entry;
};
} // namespace

/// A timeline has two steps; behind them nothing looks at a clock.
TEST_F(RecordTimesOfToy, EndWithTheTimeline) {
  train::TrainOptions options = this->options();
  options.timeline = path("t.json");
  train::RecordTimes times(options, program, session, /*before=*/0, /*last=*/9);
  for (uint64_t number : {1, 2, 3}) {
    step(times, number);
    EXPECT_TRUE(session.recordTimes(entry)) << number;
  }
  step(times, 4);
  EXPECT_EQ(session.recordTimes(entry).code(), MPC_NOT_FOUND);
  step(times, 5);
}

TEST_F(RecordTimesOfToy, GoOnForTheTable) {
  train::TrainOptions options = this->options();
  options.timeline = path("t.json");
  options.timings = true;
  train::RecordTimes times(options, program, session, /*before=*/0, /*last=*/9);
  for (uint64_t number = 1; number < 6; ++number)
    step(times, number);
  EXPECT_TRUE(session.recordTimes(entry));
}
