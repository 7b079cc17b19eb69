// "Same seed, same bits, any number of threads", on a compiled model: the
// digits classifier in fp16, whose first steps overflow and are skipped. And
// with rounding=strict the same loss in all entries, whatever they fuse.
#include "mpc-c/Runtime.hpp"

#include <gtest/gtest.h>

using namespace mpc::rt;

using Bytes = std::vector<unsigned char>;

static Bytes getState(const Session &session, const mpc_state_info &info) {
  Bytes bytes(info.bytes);
  mpc_tensor tensor = {sizeof(mpc_tensor), info.type,    info.rank,
                       info.shape,         bytes.data(), info.bytes};
  mpc_status status = {};
  mpc_get_api(MPC_API_VERSION)
      ->session_get_state(session.get(), info.name, &tensor, &status);
  EXPECT_EQ(status.code, MPC_OK) << status.message;
  return bytes;
}

/// Every state after 40 steps on made-up digits.
static std::vector<Bytes> train(const Program &program, uint32_t threads,
                                uint64_t seed) {
  auto session = Session::create(program, {threads});
  EXPECT_TRUE(session) << session.message();
  EXPECT_TRUE(session->init(seed));
  std::vector<float> x(64 * 64);
  std::vector<int32_t> label(64);
  for (int step = 0; step < 40; ++step) {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>((i * 37 + step * 11) % 17) / 16;
    for (size_t i = 0; i < label.size(); ++i)
      label[i] = static_cast<int32_t>((i + step) % 10);
    Status status = session->run(
        "step", {{x.data(), x.size() * 4}, {label.data(), label.size() * 4}});
    EXPECT_TRUE(status) << status.message();
  }
  std::vector<Bytes> states;
  for (const mpc_state_info &info : program.states())
    states.push_back(getState(*session, info));
  return states;
}

TEST(Determinism, AnyNumberOfThreads) {
  auto program = Program::load(MPC_TEST_DIGITS_PROGRAM, {true});
  ASSERT_TRUE(program) << program.message();
  std::vector<Bytes> alone = train(*program, 1, 7);
  std::vector<mpc_state_info> infos = program->states();
  for (uint32_t threads : {1, 2, 3, 7}) {
    std::vector<Bytes> together = train(*program, threads, 7);
    for (size_t i = 0; i < infos.size(); ++i)
      EXPECT_EQ(alone[i], together[i])
          << infos[i].name << " on " << threads << " threads";
  }
  EXPECT_NE(alone, train(*program, 1, 8)) << "the seed matters";
}

TEST(Determinism, StrictLossInForwardAndStep) {
  auto program = Program::load(MPC_TEST_STRICT_PROGRAM, {true});
  ASSERT_TRUE(program) << program.message();
  auto session = Session::create(*program);
  ASSERT_TRUE(session) << session.message();
  ASSERT_TRUE(session->init(3));
  std::vector<float> x(24 * 40);
  for (int step = 0; step < 50; ++step) {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>((i * 37 + step * 11) % 101) / 100;
    ASSERT_TRUE(session->run("forward", {{x.data(), x.size() * 4}}));
    float forward = session->scalar<float>("loss").value();
    ASSERT_TRUE(session->run("step", {{x.data(), x.size() * 4}}));
    EXPECT_EQ(forward, session->scalar<float>("loss").value())
        << "in step " << step;
  }
}
