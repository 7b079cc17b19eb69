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

/// Nothing is predicted.
static train::Predictions none(const train::RecordList &records) {
  train::Predictions predicted;
  for (const auto &entry : records)
    predicted.emplace_back(entry.size(), 0);
  return predicted;
}

/// Three steps, each of two runs of one entry and one of another; nothing runs
/// the third, which has no row.
TEST(TimeTable, AddsUpByKindLineAndRecord) {
  train::RecordList records = {
      {makeRecord("launch", "add (forward) at m.mlir:3", 3000, 1000, 0),
       makeRecord("matmul", "matmul 2x3x4 (backward) at m.mlir:3", 300, 100,
                  8e6)},
      {makeRecord("all_reduce", "all_reduce", 0, 0, 0)},
      {makeRecord("fill", "fill at m.mlir:9", 0, 8, 0)}};
  train::Predictions predicted = {{800, 1500}, {0}, {1}};
  train::TimeTable table(records, predicted, /*leavesOutFirst=*/true);
  const mpc_record_time one[] = {{0, 3000}};
  for (uint64_t late : {5000, 0, 200}) { // of the product
    const mpc_record_time two[] = {{0, 1000}, {1000, 3000 + late}};
    table.add(0, two, /*isNewStep=*/true);
    table.add(0, two, /*isNewStep=*/false);
    table.add(1, one, /*isNewStep=*/false);
  }
  // The median step has 2 us of launches, 4.4 of products, 3 of the collective.
  EXPECT_EQ(
      table.describe("a copy 5 GB/s"),
      "times of records in a step, median and least of 3 steps, the first left "
      "out\n"
      "predicted: bytes as fast as a copy or operations as fast as a product, "
      "what takes longer (a copy 5 GB/s)\n"
      "kind                         records median ms  least ms   share "
      "predicted  ratio    GB/s  GFLOP/s\n"
      "matmul                             2  0.004400  0.004000  46.8 %  "
      "0.003000   1.47     0.2   3636.4\n"
      "all_reduce                         1  0.003000  0.003000  31.9 %\n"
      "launch                             2  0.002000  0.002000  21.3 %  "
      "0.001600   1.25     4.0\n"
      "\n"
      "line of the model            records median ms  least ms   share "
      "predicted  ratio    GB/s  GFLOP/s\n"
      "m.mlir:3 backward                  2  0.004400  0.004000  46.8 %  "
      "0.003000   1.47     0.2   3636.4\n"
      "all_reduce                         1  0.003000  0.003000  31.9 %\n"
      "m.mlir:3 forward                   2  0.002000  0.002000  21.3 %  "
      "0.001600   1.25     4.0\n"
      "\n"
      "furthest from what is predicted\n"
      "median ms  least ms predicted  ratio  record\n"
      " 0.004400  0.004000  0.003000   1.47  matmul 2x3x4 (backward) at "
      "m.mlir:3\n"
      " 0.002000  0.002000  0.001600   1.25  add (forward) at m.mlir:3");
}

/// What ranks exchange is nothing where there is one.
TEST(TimeTable, OneRankReducesNothing) {
  train::RecordList records = {
      {makeRecord("all_reduce", "all_reduce (backward)", 0, 0, 0),
       makeRecord("fill", "fill at m.mlir:9", 0, 8, 0)}};
  const mpc_record_time times[] = {{0, 1000}, {1000, 4000}};
  for (bool isOneRank : {false, true}) {
    train::TimeTable table(records, none(records), false, isOneRank);
    table.add(0, times, /*isNewStep=*/true);
    std::string text = table.describe("");
    EXPECT_EQ(text.find("all_reduce") == std::string::npos, isOneRank);
    EXPECT_CONTAINS(text, isOneRank ? "100.0 %" : "75.0 %"); // of the fill
  }
}

/// Of a long run the last steps count.
TEST(TimeTable, OfTheLastSteps) {
  train::RecordList records = {{makeRecord("launch", "add", 0, 0, 0)}};
  train::TimeTable table(records, none(records), true);
  uint64_t most = train::TimeTable::kMostSteps;
  for (uint64_t step = 0; step < most + 10; ++step) {
    const mpc_record_time time = {0, step < 10 ? 1u : 7000000u};
    table.add(0, {&time, 1}, /*isNewStep=*/true);
  }
  std::string text = table.describe("");
  EXPECT_NE(text.find("median and least of the last 500 of 510 steps\n"),
            std::string::npos);
  EXPECT_NE(text.find("\nadd                                1     7.000     "
                      "7.000 100.0 %"),
            std::string::npos)
      << text;
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
  train::TimeTable table(records, none(records), false);
  const mpc_record_time times[] = {{0, 4000}, {0, 3000}, {0, 2000}, {0, 1000}};
  table.add(0, times, true);
  std::string text = table.describe("");
  text = text.substr(text.find("line of the model"));
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "a?[31mred.mlir:7                   1  0.004000  0.004000  40.0 %\n"
            "...nnnnnnnnnnnnnnnnn.mlir:12       1  0.003000  0.003000  30.0 %\n"
            "\xc3\xa4\xc3\xb6\xc3\xbc.mlir:1                         1"
            "  0.002000  0.002000  20.0 %\n"
            "...mmmmmmmmmmmmmmmm\xc3\xa4.mlir:20       1  0.001000  0.001000"
            "  10.0 %");
}

/// In the table by record, too.
TEST(TimeTable, NamesOfRecordsMoveNoCursor) {
  train::RecordList records = {{makeRecord("copy", "c\x1b[2J", 8, 8, 0)}};
  train::TimeTable table(records, {{500}}, false);
  const mpc_record_time time = {0, 1000};
  table.add(0, {&time, 1}, true);
  std::string text = table.describe("");
  EXPECT_NE(text.find("  2.00  c?[2J"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(TimeTable, OfNoStep) {
  EXPECT_EQ(train::TimeTable({}, {}, false).describe(""), "no step was timed");
}

/// Of what moves nothing there is nothing to predict. (Of products see
/// timeline.test.)
TEST(Predictions, AreOfBytes) {
  rt::Program program =
      std::move(*rt::Program::load(MPC_TEST_TOY_PROGRAM, {true}));
  train::MachineRates rates;
  rates.copy = 10; // bytes in a nanosecond
  train::Predictions found =
      train::predict(rates, program,
                     {{makeRecord("launch", "", 3000, 1000, 0),
                       makeRecord("all_reduce", "", 0, 0, 0)}});
  EXPECT_EQ(found, (train::Predictions{{400, 0}}));
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
  train::RecordTimes times(options, program, session, /*before=*/0, /*last=*/9,
                           /*isOneRank=*/true);
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
  train::RecordTimes times(options, program, session, /*before=*/0, /*last=*/9,
                           /*isOneRank=*/true);
  for (uint64_t number = 1; number < 6; ++number)
    step(times, number);
  EXPECT_TRUE(session.recordTimes(entry));
}
