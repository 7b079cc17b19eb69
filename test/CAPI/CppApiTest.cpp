// The header-only C++ wrapper, against libmpcrt.so alone.
#include "mpc-c/Runtime.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

using namespace mpc::rt;

static Expected<Program> load(bool allowCode = true) {
  return Program::load(MPC_TEST_LINE_PROGRAM, {allowCode});
}

TEST(CppApi, Trains) {
  auto program = load();
  ASSERT_TRUE(program) << program.message();
  EXPECT_EQ(program->info().num_states, 4u);
  EXPECT_STREQ(program->states()[3].name, "optimizer.lr");
  auto session = Session::create(*program, {2});
  ASSERT_TRUE(session) << session.message();
  EXPECT_EQ(session->threads(), 2u);
  ASSERT_TRUE(session->init(1));
  std::vector<float> x(32), target(32);
  for (int i = 0; i < 32; ++i) {
    x[i] = static_cast<float>(i - 16) / 16;
    target[i] = 2 * x[i] + 4;
  }
  for (int i = 0; i < 300; ++i) {
    Status status =
        session->run("step", {{x.data(), 128}, {target.data(), 128}});
    ASSERT_TRUE(status) << status.message();
  }
  EXPECT_LT(session->scalar<float>("loss").value(), 1e-8f);
  auto report = session->stepReport();
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(report->loss, session->scalar<float>("loss").value());
  EXPECT_FALSE(report->scale || report->step || report->wasSkipped());
  EXPECT_EQ(session->stepReport(MPC_RESULT_RUNS).code(), MPC_NOT_FOUND);
  EXPECT_EQ(program->setting("accumulate"), std::nullopt);
  EXPECT_NEAR(session->state<float>("w")->front(), 2, 1e-4);
  EXPECT_NEAR(session->state<float>("b")->front(), 4, 1e-4);
  Session moved = std::move(*session);
  EXPECT_EQ(moved.memory().used_state, 1024u);
}

/// The most threads that this process has while `work` runs, one that counts
/// them left out.
template <typename Work> static size_t countThreads(const Work &work) {
  std::atomic<bool> isOver{false};
  size_t most = 0;
  std::thread counter([&] {
    do {
      std::filesystem::directory_iterator tasks("/proc/self/task");
      most = std::max<size_t>(most, std::distance(begin(tasks), end(tasks)));
    } while (!isOver);
  });
  work();
  isOver = true;
  counter.join();
  return most - 1;
}

TEST(CppApi, RatesAreThoseOfASessionsThreads) {
  auto program = load();
  auto session = Session::create(*program, {3});
  ASSERT_TRUE(session) << session.message();
  size_t before = countThreads([] {});
  EXPECT_EQ(countThreads([&] {
              EXPECT_GT(session->copyRate().value(), 1e6);
              EXPECT_GT(session->productRate(MPC_F32).value(), 1e6);
            }),
            before);
  // Beside a session they have some of their own.
  EXPECT_EQ(countThreads([] { EXPECT_TRUE(measureCopyRate(3)); }), before + 2);
}

TEST(CppApi, StatesGoInAndOut) {
  auto program = load();
  auto session = Session::create(*program);
  ASSERT_TRUE(session->init(1));
  ASSERT_TRUE(session->setState("w", std::vector<float>{7}));
  ASSERT_TRUE(session->refresh());
  EXPECT_EQ(session->state<float>("w.copy")->front(), 7);
  Status longer = session->setState("w", std::vector<float>{7, 8});
  EXPECT_EQ(longer.code(), MPC_SIZE_MISMATCH);
  EXPECT_EQ(session->state<double>("w").code(), MPC_TYPE_MISMATCH);
  EXPECT_EQ(session->state<float>("q").code(), MPC_NOT_FOUND);
}

TEST(CppApi, MessagesNameOutputs) {
  auto program = load();
  auto session = Session::create(*program);
  ASSERT_TRUE(session->init(1));
  EXPECT_EQ(session->scalar<float>("loss").message(),
            "expected output 'loss', but no entry with outputs has run");
  std::vector<float> x(32);
  ASSERT_TRUE(session->run("step", {{x.data(), 128}, {x.data(), 128}}));
  EXPECT_EQ(session->scalar<float>("losss").message(),
            "expected one of the outputs loss of the last entry, but got "
            "'losss'");
}

// Both leave all states as they were.
TEST(CppApi, StepsThatChangedNothing) {
  mpc_step_report report = {};
  report.fields = MPC_HAS_FOUND_INF | MPC_HAS_NONFINITE_GRAD;
  EXPECT_FALSE(StepReport(report).wasSkipped());
  report.found_inf = 1;
  EXPECT_TRUE(StepReport(report).wasSkipped());
  report.found_inf = 0;
  report.nonfinite_grad = 1;
  EXPECT_TRUE(StepReport(report).wasSkipped());
}

// Who does not know a program's types and names asks for them.
TEST(CppApi, ProgramsTellTheirEntriesAndStates) {
  auto program = load();
  EXPECT_EQ(program->path(), MPC_TEST_LINE_PROGRAM);
  EXPECT_EQ(program->microBatches().value(), 1u);
  EXPECT_TRUE(program->groups().empty());
  auto step = program->entry("step");
  ASSERT_TRUE(step) << step.message();
  EXPECT_EQ(step->name, "step");
  EXPECT_EQ(program->findEntry("step").value(), step->index);
  EXPECT_EQ(program->entries()[step->index].inputs.size(), step->inputs.size());
  ASSERT_EQ(step->inputs.size(), 2u);
  EXPECT_EQ(step->findInput(step->inputs[1].name), 1u);
  EXPECT_EQ(step->findInput("loss"), std::nullopt);
  EXPECT_TRUE(step->findOutput("loss"));
  auto records = program->records(step->index);
  ASSERT_TRUE(records) << records.message();
  ASSERT_EQ(records->size(), step->numRecords);
  EXPECT_STREQ(records->front().symbol, "k_line");
  EXPECT_EQ(program->records(9).code(), MPC_NOT_FOUND);
  auto other = program->entry("stop");
  EXPECT_EQ(other.code(), MPC_NOT_FOUND);
  EXPECT_NE(other.message().find("step"), std::string::npos);
  EXPECT_STREQ(program->findState("w")->name, "w");
  EXPECT_FALSE(program->findState("q"));
  EXPECT_STREQ(program->findState(MPC_PARAMETER)->name, "w");
  EXPECT_FALSE(program->findState(MPC_LOSS_SCALE));
}

TEST(CppApi, OutputsAndStatesOfAnyTypeAreMemory) {
  auto program = load();
  auto session = Session::create(*program);
  ASSERT_TRUE(session->init(1));
  auto w = program->findState("w");
  float value = 3, back = 0;
  ASSERT_TRUE(session->setState(*w, &value, sizeof(value)));
  ASSERT_TRUE(session->getState(*w, &back, sizeof(back)));
  EXPECT_EQ(back, 3);
  EXPECT_EQ(session->getState(*w, &back, 2).code(), MPC_SIZE_MISMATCH);
  auto step = program->entry("step");
  std::vector<float> x(32), target(32);
  mpc_input inputs[] = {{x.data(), 128}, {target.data(), 128}};
  ASSERT_TRUE(session->run(step->index, inputs, 2));
  uint32_t loss = *step->findOutput("loss");
  auto last = session->output(step->index, loss);
  ASSERT_TRUE(last) << last.message();
  ASSERT_EQ(last->bytes, sizeof(float));
  float first;
  std::memcpy(&first, last->data, sizeof(first));
  EXPECT_EQ(first, session->scalar<float>("loss").value());
  ASSERT_TRUE(session->run("step", inputs, 2));
  EXPECT_EQ(session->run("stop", inputs, 2).code(), MPC_NOT_FOUND);
  auto before = session->result(step->index, loss, /*age=*/1);
  ASSERT_TRUE(before) << before.message();
  EXPECT_EQ(std::memcmp(before->data, &first, sizeof(first)), 0);
  EXPECT_EQ(session->output(step->index, 99).code(), MPC_NOT_FOUND);
}

// C++17 has no type for these: they are bits, and stay what they are.
TEST(CppApi, NarrowStatesTravelAsBits) {
  auto program = Program::load(MPC_TEST_NARROW_PROGRAM, {true});
  ASSERT_TRUE(program) << program.message();
  auto session = Session::create(*program);
  ASSERT_TRUE(session) << session.message();
  ASSERT_TRUE(session->init(1));
  const std::vector<uint16_t> halves = {0x3c00, 0xc000, 0x7e01}; // 1 -2 NaN
  const std::vector<uint16_t> brains = {0x3f80, 0xc000, 0x7fc1};
  const std::vector<uint8_t> eighths = {0x38, 0xc0, 0x7f}, flags = {1, 0, 1};
  ASSERT_TRUE(session->setState("half", halves));
  ASSERT_TRUE(session->setState("brain", brains));
  ASSERT_TRUE(session->setState("eighth", eighths));
  ASSERT_TRUE(session->setState("flag", flags));
  EXPECT_EQ(*session->state<uint16_t>("half"), halves);
  EXPECT_EQ(*session->state<uint16_t>("brain"), brains);
  EXPECT_EQ(*session->state<uint8_t>("eighth"), eighths);
  EXPECT_EQ(*session->state<uint8_t>("flag"), flags);
  auto wide = session->state<float>("brain");
  EXPECT_EQ(wide.code(), MPC_TYPE_MISMATCH);
  EXPECT_EQ(wide.message(), "the elements of state 'brain' are not of the "
                            "asked type, but bf16");
  EXPECT_EQ(session->setState("flag", halves).code(), MPC_TYPE_MISMATCH);
  EXPECT_EQ(session->setState("half", std::vector<uint16_t>{1}).code(),
            MPC_SIZE_MISMATCH);
}

TEST(CppApi, ErrorsAreValues) {
  auto described = load(false);
  EXPECT_EQ(Session::create(*described).code(), MPC_CODE_NOT_ALLOWED);
  auto none = Program::load("/nowhere");
  EXPECT_FALSE(none);
  EXPECT_EQ(none.message(),
            "/nowhere: cannot be opened: No such file or directory");
  EXPECT_EQ(Program::loadMemory("xy", 2).code(), MPC_BAD_MAGIC);
  auto program = load();
  auto session = Session::create(*program);
  EXPECT_EQ(session->run("stop").code(), MPC_NOT_FOUND);
  EXPECT_EQ(session->run("step").code(), MPC_NOT_INITIALIZED);
  ASSERT_TRUE(session->init(1));
  EXPECT_EQ(session->run("step").code(), MPC_INVALID_ARGUMENT);
  EXPECT_EQ(session->scalar<float>("q").code(), MPC_NOT_FOUND);
}

TEST(CppApi, FilesAreReadAndWrittenWhole) {
  std::string path = testing::TempDir() + "whole";
  Status written = File::write(path, std::string_view("a\0b", 3));
  ASSERT_TRUE(written) << written.message();
  auto file = File::read(path);
  ASSERT_TRUE(file) << file.message();
  auto moved = std::move(*file);
  EXPECT_EQ(moved.bytes(), std::string_view("a\0b", 3));
  EXPECT_EQ(File::read("/dev/zero").code(), MPC_INVALID_ARGUMENT);
  EXPECT_EQ(File::write("/nowhere/file", "").code(), MPC_IO_ERROR);
}

TEST(CppApi, CommunicatorOfTheApplication) {
  auto program = load();
  mpc_communicator communicator = {};
  communicator.rank = 2;
  communicator.size = 2;
  SessionOptions options;
  options.communicator = &communicator;
  EXPECT_EQ(Session::create(*program, options).message(),
            "expected a communicator with all_reduce and a rank below its "
            "size, but got rank 2 of 2");
}
