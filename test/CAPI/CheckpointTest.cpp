// An application saves, and goes on another day: sessions to files and back.
#include "../Data/TemporaryFolder.h"
#include "../Runtime/HandMade.h"
#include "ReducingProgram.h"
#include "mpc-c/Runtime.hpp"
#include "mpc/Data/Safetensors.h"

#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc::rt;
using mpc::test::Arg;
using mpc::test::ElementType;
using mpc::test::HandMade;
using mpc::test::Init;
using mpc::test::InitKind;
using mpc::test::RecordKind;
using mpc::test::Role;

namespace {
struct CheckpointTest : TemporaryFolder {
  static Session open(const Program &program) {
    auto session = Session::create(program, {1});
    EXPECT_TRUE(session) << session.message();
    return std::move(*session);
  }
  static Program line() {
    return *Program::load(MPC_TEST_LINE_PROGRAM, {true});
  }
  static void train(Session &session, int steps) {
    std::vector<float> x(32), target(32);
    for (size_t i = 0; i < 32; ++i) {
      x[i] = (static_cast<float>(i) - 16) / 16;
      target[i] = 2 * x[i] + 4;
    }
    for (int i = 0; i < steps; ++i)
      ASSERT_TRUE(session.run("step", {{x.data(), 128}, {target.data(), 128}}));
  }
  static std::vector<std::vector<float>> states(const Session &session) {
    std::vector<std::vector<float>> all;
    for (const char *name : {"w", "b", "w.copy", "optimizer.lr"})
      all.push_back(*session.state<float>(name));
    return all;
  }
  /// Writes a file like a checkpoint of the line, changed by the caller.
  template <typename Change> std::string forge(const Change &change) {
    static const float values[4] = {5, 6, 7, 8};
    auto bytes = std::as_bytes(std::span(values));
    std::map<std::string, mpc::data::TensorToStore> tensors;
    auto add = [&](const std::string &name, mpc::data::Shape shape) {
      uint64_t count = *mpc::data::countElements(shape);
      tensors.insert_or_assign(
          name, mpc::data::TensorToStore{name, mpc::DType::F32, shape,
                                         bytes.first(count * 4)});
    };
    add("w", {1, 1});
    add("b", {1});
    add("optimizer.lr", {});
    std::map<std::string, std::string, std::less<>> metadata = {
        {"format", "mpc checkpoint 1"}};
    change(tensors, add, metadata);
    std::vector<mpc::data::TensorToStore> list;
    for (auto &[name, tensor] : tensors)
      list.push_back(tensor);
    EXPECT_TRUE(
        mpc::data::writeSafetensors(path("forged"), list, metadata).ok());
    return path("forged");
  }
};
} // namespace

TEST_F(CheckpointTest, ALoadedSessionGoesOnAsTheSavedOne) {
  Program program = line();
  Session whole = open(program);
  ASSERT_TRUE(whole.init(1));
  train(whole, 10);
  Status saved = whole.save(path("a"), {{"epoch", "3"}, {"name", "Zoë"}});
  ASSERT_TRUE(saved) << saved.message();
  train(whole, 10);

  Session resumed = open(program); // never initialized
  auto metadata = resumed.load(path("a"));
  ASSERT_TRUE(metadata) << metadata.message();
  EXPECT_EQ(*metadata, (Metadata{{"epoch", "3"},
                                 {"name", "Zoë"},
                                 {"format", "mpc checkpoint 1"},
                                 {"model", "hand-made"}}));
  train(resumed, 10);
  EXPECT_EQ(states(resumed), states(whole));
}

/// Any reader of the format finds every state that is not derived.
TEST_F(CheckpointTest, HoldsWhatAStepReads) {
  Session session = open(line());
  ASSERT_TRUE(session.init(1));
  train(session, 3);
  ASSERT_TRUE(session.save(path("a")));
  auto file = mpc::data::readSafetensors(path("a"));
  ASSERT_TRUE(file) << file.status().message();
  ASSERT_EQ(file->tensors.size(), 3u);
  for (const char *name : {"w", "b", "optimizer.lr"}) {
    float value = 0;
    std::memcpy(&value, file->tensors.at(name).bytes.data(), 4);
    EXPECT_EQ(value, session.state<float>(name)->front()) << name;
  }
  EXPECT_EQ(file->tensors.at("w").shape, (mpc::data::Shape{1, 1}));
}

TEST_F(CheckpointTest, WhatDoesNotFitIsNamedAndChangesNothing) {
  Session session = open(line());
  ASSERT_TRUE(session.init(1));
  auto before = states(session);
  auto failure = [&](const std::string &file) {
    auto result = session.load(file);
    EXPECT_FALSE(result);
    EXPECT_EQ(states(session), before);
    return result.message();
  };
  EXPECT_EQ(
      failure(forge([](auto &tensors, auto, auto &) { tensors.erase("b"); })),
      "'" + path("forged") +
          "': its tensors are not those of the program; missing (1): b; only "
          "the program that saved it can go on with it");
  EXPECT_CONTAINS(failure(forge([](auto &tensors, auto add, auto &) {
                    tensors.erase("b");
                    tensors.erase("w");
                    add("bias", {1});
                    add("w", {1});
                  })),
                  "missing (1): b; not of this program (1): bias; of another "
                  "type or shape (1): w (expected 1x1xf32, but got 1xf32)");
  EXPECT_CONTAINS(failure(forge([](auto &tensors, auto, auto &) {
                    tensors.at("w").type = mpc::DType::I32;
                  })),
                  "w (expected 1x1xf32, but got 1x1xi32)");
  EXPECT_CONTAINS(failure(forge([](auto &, auto add, auto &) {
                    for (char c = 'A'; c <= 'Z'; ++c)
                      add(std::string(1, c), {1});
                  })),
                  "not of this program (26): A, B, C, D, E, F, G, H, ...; its "
                  "parameters fit: parameters_only (mpc-run: --weights) takes "
                  "them alone, and all else begins anew");
  EXPECT_CONTAINS(
      failure(forge([](auto &, auto, auto &metadata) { metadata.clear(); })),
      "expected a checkpoint, but its metadata has no format");
  EXPECT_CONTAINS(failure(put("b", "half a file")), "HeaderTooLarge");
  EXPECT_CONTAINS(failure(path("none")), "cannot be opened: No such file");
  // The same names are accepted when nothing is wrong.
  auto good = session.load(forge([](auto &, auto, auto &) {}));
  ASSERT_TRUE(good) << good.message();
  EXPECT_EQ(session.state<float>("w.copy")->front(), 5);
}

TEST_F(CheckpointTest, ParametersOfAnyFile) {
  Session session = open(line());
  ASSERT_TRUE(session.init(1));
  float rate = session.state<float>("optimizer.lr")->front();
  auto metadata =
      session.loadParameters(forge([](auto &tensors, auto add, auto &metadata) {
        add("more", {2, 2});
        tensors.erase("optimizer.lr");
        metadata = {{"from", "elsewhere"}};
      }));
  // Hand-made states are parameters if nothing else is said of them.
  ASSERT_TRUE(metadata) << metadata.message();
  EXPECT_EQ(metadata->at("from"), "elsewhere");
  EXPECT_EQ(session.state<float>("w")->front(), 5);
  EXPECT_EQ(session.state<float>("w.copy")->front(), 5);
  EXPECT_EQ(session.state<float>("optimizer.lr")->front(), rate);
}

TEST_F(CheckpointTest, MisuseIsAnError) {
  Session session = open(line());
  EXPECT_EQ(session.save(path("a")).code(), MPC_NOT_INITIALIZED);
  ASSERT_TRUE(session.init(1));
  EXPECT_CONTAINS(session.save(path("a"), {{"format", "mine"}}).message(),
                  "none of the library's ('format', 'model', "
                  "'parameter_groups'), but got "
                  "'format'");
  EXPECT_CONTAINS(session.save(path("a"), {{"x", "\xff"}}).message(),
                  "expected metadata in UTF-8");
  EXPECT_EQ(session.save(path("no/a")).code(), MPC_IO_ERROR);
  EXPECT_EQ(numFiles(), 0u);
  const mpc_api *api = mpc_get_api(MPC_API_VERSION);
  mpc_status status;
  EXPECT_EQ(api->session_save(nullptr, "a", nullptr, &status),
            MPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->session_load(session.get(), nullptr, nullptr, &status),
            MPC_INVALID_ARGUMENT);
  mpc_save_options options = {};
  EXPECT_EQ(api->session_save(session.get(), "a", &options, &status),
            MPC_INVALID_ARGUMENT);
}

/// A pipe that the application has opened; the path is a name for messages.
TEST_F(CheckpointTest, GoesToADescriptor) {
  Session session = open(line());
  ASSERT_TRUE(session.init(1));
  ASSERT_TRUE(session.save(path("a")));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_TRUE(saveCheckpoint(session.get(), path("none"), {}, ends[1]));
  std::string expected = get("a"), found(expected.size(), 0);
  EXPECT_EQ(read(ends[0], found.data(), found.size()),
            static_cast<ssize_t>(found.size()));
  EXPECT_EQ(found, expected);
  EXPECT_EQ(write(ends[1], "x", 1), 1) << "it is still open";
  close(ends[0]);
  Status left = saveCheckpoint(session.get(), "mine", {}, ends[1]);
  EXPECT_EQ(left.code(), MPC_IO_ERROR); // and no signal ends this process
  EXPECT_EQ(left.message(), "'mine': cannot be written: Broken pipe");
  close(ends[1]);
  EXPECT_EQ(saveCheckpoint(session.get(), "mine", {}, -1).message(),
            "descriptor: expected one that is open, or 0 for a file at the "
            "path, but got -1");
  EXPECT_EQ(numFiles(), 1u);
}

/// What is behind the fields of an older header is not ours.
TEST_F(CheckpointTest, OptionsOfAnOlderHeader) {
  Session session = open(line());
  ASSERT_TRUE(session.init(1));
  mpc_save_options options;
  std::memset(&options, 0xff, sizeof(options));
  options.struct_size = offsetof(mpc_save_options, descriptor);
  options.metadata = nullptr;
  options.num_metadata = 0;
  const mpc_api *api = mpc_get_api(MPC_API_VERSION);
  mpc_status status;
  EXPECT_EQ(
      api->session_save(session.get(), path("a").c_str(), &options, &status),
      MPC_OK)
      << status.message;
  EXPECT_EQ(numFiles(), 1u);
}

/// A limit on file sizes stands for a full disk.
TEST_F(CheckpointTest, AFullDiskKeepsTheOldFile) {
  Session session = open(line());
  ASSERT_TRUE(session.init(1));
  ASSERT_TRUE(session.save(path("a")));
  std::string old = get("a");
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {16, 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(session.save(path("a")).code() == MPC_IO_ERROR ? 0 : 1);
  }
  int result = -1;
  waitpid(child, &result, 0);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(get("a"), old);
  EXPECT_EQ(numFiles(), 1u);
}

/// "accumulate" adds an input to an accumulator; "step" adds it to the
/// parameter and clears it.
static Program makeAccumulating(const char *microBatches) {
  HandMade made;
  auto setting = std::make_unique<mpc::program::KeyValueT>();
  setting->key = "accumulate";
  setting->value = microBatches;
  made.program.settings.push_back(std::move(setting));
  constexpr ElementType f32 = ElementType::F32;
  made.state("w", f32, {1});
  Arg sum = made.state("sum", f32, {1}, Init(InitKind::Zeros, 0, 0),
                       Role::Accumulator);
  auto &accumulate = made.entry("accumulate");
  Arg x = HandMade::input(accumulate, "x", f32, {1});
  HandMade::record(accumulate, RecordKind::Copy, 0, {x, sum}, 4);
  auto &step = made.entry("step");
  HandMade::input(step, "x", f32, {1});
  HandMade::record(step, RecordKind::Fill, 0, {sum}, 4);
  std::vector<uint8_t> bytes = *mpc::program::serialize(made.program);
  return *Program::loadMemory(bytes.data(), bytes.size());
}

TEST_F(CheckpointTest, BetweenTwoStepsOnly) {
  Session session = open(makeAccumulating("2"));
  ASSERT_TRUE(session.init(1));
  ASSERT_TRUE(session.save(path("a")));
  float x = 3;
  ASSERT_TRUE(session.run("accumulate", {{&x, 4}}));
  Status half = session.save(path("a"));
  EXPECT_EQ(half.code(), MPC_INVALID_ARGUMENT);
  EXPECT_CONTAINS(half.message(), "a step is half done");
  ASSERT_TRUE(session.run("step", {{&x, 4}}));
  EXPECT_TRUE(session.save(path("a")));
  // What was accumulated belongs to the run that was left.
  ASSERT_TRUE(session.run("accumulate", {{&x, 4}}));
  EXPECT_EQ(session.state<float>("sum")->front(), 3);
  ASSERT_TRUE(session.load(path("a")));
  EXPECT_EQ(session.state<float>("sum")->front(), 0);
  EXPECT_TRUE(session.save(path("a")));
}

/// A rank whose peer goes when it is asked for the second time, once.
struct Leaving {
  int asked = 0;
  static mpc_code reduce(void *self, const void *source, void *result,
                         uint64_t count, mpc_type, mpc_reduce) {
    if (++static_cast<Leaving *>(self)->asked == 2)
      return MPC_COLLECTIVE_FAILED;
    std::memcpy(result, source, count * sizeof(float));
    return MPC_OK;
  }
};

/// What a run that failed has left in the states is neither saved nor built on,
/// until a checkpoint takes its place.
TEST_F(CheckpointTest, AfterARunThatFailed) {
  Leaving peer;
  mpc_communicator communicator = {};
  communicator.context = &peer;
  communicator.size = 2;
  communicator.all_reduce = Leaving::reduce;
  SessionOptions options;
  options.communicator = &communicator;
  auto made = Session::create(mpc::test::makeReducingProgram(), options);
  ASSERT_TRUE(made) << made.message();
  Session &session = *made;
  ASSERT_TRUE(session.init(1));
  ASSERT_TRUE(session.save(path("a")));
  std::string whole = get("a");
  float x = 3;
  EXPECT_EQ(session.run("step", {{&x, 4}}).code(), MPC_COLLECTIVE_FAILED);
  Status again = session.run("step", {{&x, 4}}),
         saved = session.save(path("a"));
  EXPECT_EQ(again.code(), MPC_INVALID_ARGUMENT);
  EXPECT_CONTAINS(again.message(), "'step' failed on its way, and states hold");
  EXPECT_EQ(saved.message(), again.message());
  EXPECT_EQ(get("a"), whole);
  EXPECT_EQ(session.state<float>("w")->front(), 3);
  ASSERT_TRUE(session.load(path("a")));
  EXPECT_EQ(session.state<float>("w")->front(), 0);
  EXPECT_TRUE(session.save(path("a")));
  ASSERT_TRUE(session.run("step", {{&x, 4}}));
  EXPECT_EQ(session.state<float>("w")->front(), 3);
}

static Program makeWithNumber(const char *name, Role role) {
  HandMade made;
  made.state(name, ElementType::F32, {}, Init(InitKind::Fill, 8, 0), role);
  made.entry("step");
  std::vector<uint8_t> bytes = *mpc::program::serialize(made.program);
  return *Program::loadMemory(bytes.data(), bytes.size());
}

TEST_F(CheckpointTest, ABadRateIsRefused) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  Session session = open(makeWithNumber("optimizer.lr", Role::LearningRate));
  ASSERT_TRUE(session.init(1));
  for (float rate : {-1.0f, inf, -inf, std::nanf("")}) {
    std::string file = forge([&](auto &tensors, auto &, auto &) {
      tensors.erase("w");
      tensors.erase("b");
      tensors["optimizer.lr"].bytes = std::as_bytes(std::span(&rate, 1));
    });
    auto loaded = session.load(file);
    EXPECT_EQ(loaded.code(), MPC_INVALID_ARGUMENT) << rate;
    EXPECT_CONTAINS(loaded.message(), "expected a finite learning rate");
    EXPECT_FALSE(session.setState<float>("optimizer.lr", {rate})) << rate;
    EXPECT_EQ(session.state<float>("optimizer.lr")->front(), 8);
  }
  EXPECT_TRUE(session.setState<float>("optimizer.lr", {0.0f}));
}

/// Of a scale whose reciprocal is infinite in f32, too.
TEST_F(CheckpointTest, ATinyScaleIsRefused) {
  Session session = open(makeWithNumber("scaler.scale", Role::LossScale));
  ASSERT_TRUE(session.init(1));
  for (float scale : {1e-45f, 1e-40f})
    EXPECT_FALSE(session.setState<float>("scaler.scale", {scale}));
  float smallest = 0x1p-127f; // 2^127 is finite
  EXPECT_TRUE(session.setState<float>("scaler.scale", {smallest}));
}

/// A step over three micro-batches is as many runs.
TEST_F(CheckpointTest, AStepHasItsMicroBatches) {
  Session session = open(makeAccumulating("3"));
  ASSERT_TRUE(session.init(1));
  float x = 3;
  auto run = [&](const char *entry) { return session.run(entry, {{&x, 4}}); };
  for (int step = 0; step < 2; ++step) {
    for (int part = 0; part < 2; ++part) {
      Status early = run("step");
      EXPECT_EQ(early.code(), MPC_INVALID_ARGUMENT);
      EXPECT_CONTAINS(early.message(),
                      "2 runs of 'accumulate' and one of 'step'");
      EXPECT_CONTAINS(early.message(), "there were " + std::to_string(part));
      ASSERT_TRUE(run("accumulate"));
    }
    Status late = run("accumulate");
    EXPECT_EQ(late.code(), MPC_INVALID_ARGUMENT);
    EXPECT_CONTAINS(late.message(), "expected a run of 'step'");
    ASSERT_TRUE(run("step"));
  }
  // First values begin a step anew.
  ASSERT_TRUE(run("accumulate"));
  ASSERT_TRUE(session.init(1));
  EXPECT_FALSE(run("step"));
}

/// A value that no state may have is found before the first state is set.
TEST_F(CheckpointTest, ABadScaleChangesNothing) {
  HandMade made;
  constexpr ElementType f32 = ElementType::F32;
  made.state("w", f32, {1});
  made.state("scaler.scale", f32, {}, Init(InitKind::Fill, 8, 0),
             Role::LossScale);
  made.entry("step");
  std::vector<uint8_t> bytes = *mpc::program::serialize(made.program);
  Session session = open(*Program::loadMemory(bytes.data(), bytes.size()));
  ASSERT_TRUE(session.init(1));
  float before = session.state<float>("w")->front();
  std::string file = forge([](auto &tensors, auto &add, auto &) {
    tensors.erase("b");
    tensors.erase("optimizer.lr");
    add("w", {1});
    static const float zero[1] = {0};
    tensors["scaler.scale"] = {
        "scaler.scale", mpc::DType::F32, {}, std::as_bytes(std::span(zero))};
  });
  auto loaded = session.load(file);
  EXPECT_EQ(loaded.code(), MPC_INVALID_ARGUMENT);
  EXPECT_CONTAINS(loaded.message(), "expected a finite loss scale");
  EXPECT_EQ(session.state<float>("w")->front(), before);
  EXPECT_EQ(session.state<float>("scaler.scale")->front(), 8);
}
