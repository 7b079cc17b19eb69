// Device plug-ins: found, refused, and what reaches them.
#include "mpc/Runtime/Plugin.h"
#include "CudaProgram.h"
#include "mpc/Runtime/Session.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using runtime::DeviceOptions;
using runtime::Session;
using runtime::SessionOptions;

static std::shared_ptr<const runtime::Program> load(bool allowCode = true) {
  HandMade made = makeCudaProgram();
  auto bytes = serialize(made.program);
  EXPECT_TRUE(bytes) << bytes.status().message();
  auto program =
      runtime::Program::copy(*bytes, {.allowCode = allowCode, .log = {}});
  EXPECT_TRUE(program) << program.status().message();
  return *program;
}

static Result<std::unique_ptr<Session>> open(const std::string &plugin,
                                             DeviceOptions device = {}) {
  SessionOptions options;
  options.device = std::move(device);
  options.device.pluginPath = plugin;
  return Session::create(load(), std::move(options));
}

/// The refusal of a plug-in: one line.
static std::string refusal(const std::string &plugin,
                           DeviceOptions device = {}) {
  auto session = open(plugin, std::move(device));
  EXPECT_FALSE(session);
  EXPECT_EQ(session.status().code(), StatusCode::DeviceUnsupported);
  EXPECT_EQ(session.status().message().find('\n'), std::string::npos);
  return session.status().message();
}

namespace {
/// Sets a variable of the environment for a while.
struct Environment {
  Environment(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~Environment() { unsetenv(name); }
  const char *name;
};
} // namespace

TEST(Plugin, Missing) {
  EXPECT_EQ(refusal("/nowhere/p.so"),
            "plug-in '/nowhere/p.so': could not be loaded: /nowhere/p.so: "
            "cannot open shared object file: No such file or directory (the "
            "session option names it)");
  Environment environment("MPC_CUDA_PLUGIN", "/elsewhere/p.so");
  EXPECT_NE(refusal("").find("(MPC_CUDA_PLUGIN names it)"), std::string::npos);
}

TEST(Plugin, NoPlugin) {
  EXPECT_EQ(refusal(MPC_TEST_KERNELS),
            "plug-in '" MPC_TEST_KERNELS
            "': expected the function 'mpc_runtime_plugin', but it has none; "
            "is it a plug-in of mpc?");
}

TEST(Plugin, NoLibrary) {
  EXPECT_NE(refusal("/proc/self/cmdline").find("could not be loaded"),
            std::string::npos);
}

TEST(Plugin, OtherVersion) {
  EXPECT_EQ(refusal(MPC_TEST_OLD_PLUGIN),
            "plug-in '" MPC_TEST_OLD_PLUGIN
            "': expected version '" MPC_PLUGIN_VERSION
            "', but got 'mpc 0.0.9, plug-in interface 0'; install the plug-in "
            "that was built with this runtime");
}

TEST(Plugin, Refuses) {
  DeviceOptions device;
  device.ordinal = 9;
  EXPECT_EQ(refusal(MPC_TEST_PLUGIN, device),
            "expected device 9, but found 1 device");
}

TEST(Plugin, NeedsAllowedCode) {
  auto session = Session::create(load(false), {});
  EXPECT_EQ(session.status().code(), StatusCode::CodeNotAllowed);
}

TEST(Plugin, Runs) {
  Environment environment("MPC_CUDA_PLUGIN", MPC_TEST_PLUGIN);
  auto session = open("");
  ASSERT_TRUE(session) << session.status().message();
  ASSERT_TRUE((*session)->initialize(3).ok());
  EXPECT_EQ((*session)->timeRecords(true).message(),
            "records of this target have no times of their own: a run is one "
            "graph of the device, which queues it as a whole");
  std::vector<float> x(64), target(128);
  const runtime::Input inputs[] = {{x.data(), 256}, {target.data(), 512}};
  EXPECT_EQ((*session)->run(1, {inputs, 1}).code(),
            StatusCode::InvalidArgument);
  auto loss = [&](uint32_t age) {
    auto result = (*session)->result(1, 0, age);
    EXPECT_TRUE(result) << result.status().message();
    float value = 0;
    std::memcpy(&value, result->data(), sizeof value);
    return value;
  };
  for (int run = 1; run <= 6; ++run) {
    ASSERT_TRUE((*session)->run(1, inputs).ok());
    if (run > 1) {
      EXPECT_EQ(loss(1), static_cast<float>(run - 1));
    }
  }
  EXPECT_EQ((*session)->waitCounts().waits, 0u);
  EXPECT_EQ((*session)->waitCounts().synchronizations, 0u);
  EXPECT_EQ(loss(0), 6);
  EXPECT_EQ((*session)->waitCounts().waits, 1u);
  EXPECT_EQ((*session)->memory().used.state,
            (*session)->memory().planned.state);
  EXPECT_EQ((*session)->exportPlans()->size(), 4u);
}

/// The first values of states are the same on every target: number i of a
/// random state depends on the seed, its name and i alone.
TEST(Plugin, SameFirstValuesAsOnTheHost) {
  constexpr int64_t count = 300001; // more than one piece, and ragged
  HandMade host;
  host.state("a", ElementType::F32, {count}, Init(InitKind::Normal, 1, 2));
  HandMade device;
  device.program.target = "cuda";
  device.state("a", ElementType::F32, {count}, Init(InitKind::Normal, 1, 2));
  std::vector<float> values[2];
  for (HandMade *made : {&host, &device}) {
    auto program = runtime::Program::copy(*serialize(made->program), {});
    ASSERT_TRUE(program) << program.status().message();
    SessionOptions options;
    if (made == &device)
      options.device.pluginPath = MPC_TEST_PLUGIN;
    auto session = Session::create(*program, std::move(options));
    ASSERT_TRUE(session) << session.status().message();
    ASSERT_TRUE((*session)->initialize(5).ok());
    std::vector<float> &found = values[made == &device];
    found.resize(count);
    int64_t shape[] = {count};
    ASSERT_TRUE((*session)
                    ->getState("a", {DType::F32, shape, found.data(),
                                     found.size() * sizeof(float)})
                    .ok());
  }
  EXPECT_EQ(values[0], values[1]);
}

TEST(Plugin, OptionsReachIt) {
  DeviceOptions device;
  device.ordinal = 2;
  device.pluginPath = MPC_TEST_PLUGIN;
  device.stream = &device;
  device.allowNondeterministic = device.allowTf32 = device.nvtx =
      device.ownAttention = true;
  device.tuningMilliseconds = 50;
  device.plans = {'p', '1'};
  device.ranks = {nullptr, {1, 2, 3}, 1, 4, 7000};
  SessionOptions options;
  options.device = device;
  std::string log;
  options.log = [&](runtime::LogLevel, const std::string &line) {
    log += line;
  };
  auto session = Session::create(load(), std::move(options));
  ASSERT_TRUE(session) << session.status().message();
  EXPECT_EQ(log,
            "fake device 2, stream, nondeterministic, tf32, own attention, "
            "nvtx, tuning 50, plans p1, rank 1 of 4 within 7000");
}

TEST(Plugin, OptionsOfTheHostAreRefused) {
  auto refused = [](auto change) {
    SessionOptions options;
    options.device.pluginPath = MPC_TEST_PLUGIN;
    change(options);
    auto session = Session::create(load(), std::move(options));
    EXPECT_EQ(session.status().code(), StatusCode::InvalidArgument);
    return session.status().message();
  };
  const char *rest =
      " means nothing for a program of target 'cuda'; leave it out";
  EXPECT_EQ(refused([](SessionOptions &o) { o.threads = 2; }),
            std::string("option 'threads'") + rest);
  EXPECT_EQ(refused([](SessionOptions &o) {
              o.allocator = runtime::getDefaultAllocator();
            }),
            std::string("option 'allocator'") + rest);
  EXPECT_EQ(refused([](SessionOptions &o) {
              o.communicator = runtime::makeSingleRank();
            }),
            std::string("option 'communicator'") + rest);
  EXPECT_EQ(refused([](SessionOptions &o) {
              o.device.ranks.uniqueId = {1};
              o.device.ranks.rank = 4;
            }),
            "expected a rank below the number of ranks, but got rank 4 of 1");
  EXPECT_EQ(refused([](SessionOptions &o) {
              o.device.ranks.uniqueId = {1};
              o.device.ranks.communicator = &o;
            }),
            "expected an NCCL communicator or a unique id, but got both");
}

TEST(Plugin, OptionsOfDevicesAreRefusedOnTheHost) {
  auto refused = [](auto change) {
    HandMade made;
    auto program = runtime::Program::copy(*serialize(made.program), {});
    SessionOptions options;
    change(options.device);
    auto session = Session::create(*program, std::move(options));
    EXPECT_EQ(session.status().code(), StatusCode::InvalidArgument);
    std::string message = session.status().message();
    return message.substr(0, message.find(" means"));
  };
  EXPECT_EQ(refused([](DeviceOptions &d) { d.ordinal = 1; }),
            "option 'device'");
  EXPECT_EQ(refused([](DeviceOptions &d) { d.pluginPath = "p"; }),
            "option 'plugin'");
  EXPECT_EQ(refused([](DeviceOptions &d) { d.stream = &d; }),
            "option 'stream'");
  EXPECT_EQ(refused([](DeviceOptions &d) { d.allowNondeterministic = true; }),
            "option 'allow_nondeterministic'");
  EXPECT_EQ(refused([](DeviceOptions &d) { d.allowTf32 = true; }),
            "option 'allow_tf32'");
  EXPECT_EQ(refused([](DeviceOptions &d) { d.nvtx = true; }), "option 'nvtx'");
  EXPECT_EQ(refused([](DeviceOptions &d) { d.ownAttention = true; }),
            "option 'own_attention'");
  EXPECT_EQ(refused([](DeviceOptions &d) { d.tuningMilliseconds = 1; }),
            "option 'tuning_ms'");
  EXPECT_EQ(refused([](DeviceOptions &d) { d.plans = {1}; }), "option 'plans'");
  EXPECT_EQ(refused([](DeviceOptions &d) { d.ranks.uniqueId = {1}; }),
            "option 'nccl'");
}
