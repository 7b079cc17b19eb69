// The references of kernels/ yield what the CPU target's generated kernels
// yield, bit by bit; the kernels are compared with the references elsewhere.
#include "kernels/MultiTensor.h"
#include "mpc-c/Runtime.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mpc::kernels;
using Numbers = std::vector<float>;

namespace {
constexpr size_t kElements = 37 * 5;
constexpr float kClipNorm = 3;

/// A compiled program of Inputs/update.mlir, and the same states beside it.
class CpuUpdate : public testing::Test {
protected:
  void open(const std::string &name, std::vector<std::string> stateNames,
            const MultiTensor &how) {
    op = how;
    op.hasFoundInf = op.hasScale = op.hasCoefficient = true;
    auto program = mpc::rt::Program::load(
        std::string(MPC_UPDATE_PROGRAMS) + "/update-" + name + ".mpcx", {true});
    ASSERT_TRUE(program) << program.message();
    auto made = mpc::rt::Session::create(*program);
    ASSERT_TRUE(made) << made.message();
    session.emplace(std::move(*made));
    ASSERT_TRUE(session->init(7));
    names = std::move(stateNames);
    for (const std::string &state : names)
      states.push_back(read(state));
  }

  Numbers read(const std::string &state) {
    auto values = session->state<float>(state);
    EXPECT_TRUE(values) << values.message();
    return values ? *values : Numbers();
  }

  /// One step of both. `bad`: with a gradient that is inf.
  void step(bool bad) {
    Numbers x(kElements);
    for (float &value : x)
      value = normal(random);
    if (bad)
      x[kElements / 2] = INFINITY;
    float scale = read("scaler.scale")[0], rate = read("optimizer.lr")[0];
    int32_t number = session->state<int32_t>("step").value()[0] + 1;
    ASSERT_TRUE(session->run("step", {{x.data(), x.size() * 4}}));
    float norm = session->scalar<float>("grad_norm").value();
    float coefficient = std::min(kClipNorm / (norm + 1e-6f), 1.0f);

    for (float &value : x) // the seed of the backward pass is the scale
      value *= scale;
    uint8_t foundInf = bad;
    std::vector<void *> arguments = {&foundInf, &scale, &coefficient, &rate};
    if (op.kind == Kind::AdamW)
      arguments.push_back(&number);
    arguments.insert(arguments.end(), {states[0].data(), x.data()});
    for (size_t i = 1; i < states.size(); ++i)
      arguments.push_back(states[i].data());
    for (Numbers &state : states)
      arguments.push_back(state.data());
    uint64_t count = kElements;
    ASSERT_EQ(arguments.size(), op.argumentCount(1));
    runReference(op, {&count, 1}, arguments);
  }

  void compare(int steps) {
    for (int i = 0; i < steps; ++i) {
      step(/*bad=*/i % 5 == 2);
      for (size_t k = 0; k < names.size(); ++k) {
        Numbers found = read(names[k]);
        for (size_t e = 0; e < kElements; ++e)
          ASSERT_EQ(std::bit_cast<uint32_t>(found[e]),
                    std::bit_cast<uint32_t>(states[k][e]))
              << names[k] << ", step " << i << ", element " << e << ": "
              << found[e] << " and " << states[k][e];
      }
    }
  }

  MultiTensor op;
  std::optional<mpc::rt::Session> session;
  std::vector<std::string> names;
  std::vector<Numbers> states;
  std::mt19937 random{3};
  std::normal_distribution<float> normal;
};
} // namespace

TEST_F(CpuUpdate, adamwAgrees) {
  open("adamw", {"w", "w.exp_avg", "w.exp_avg_sq"},
       {.kind = Kind::AdamW,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .epsilon = 1e-8,
        .weightDecay = 0.01});
  compare(25);
}

TEST_F(CpuUpdate, adamwWithSmallBeta1Agrees) {
  open("adamw-small-beta1", {"w", "w.exp_avg", "w.exp_avg_sq"},
       {.kind = Kind::AdamW, .beta1 = 0.3, .beta2 = 0.95, .epsilon = 1e-6});
  compare(25);
}

TEST_F(CpuUpdate, sgdAgrees) {
  open("sgd", {"w"}, {.kind = Kind::Sgd, .weightDecay = 1e-2});
  compare(10);
}

TEST_F(CpuUpdate, sgdWithMomentumAgrees) {
  open("sgd-momentum", {"w", "w.momentum_buffer"},
       {.kind = Kind::Sgd, .momentum = 0.9});
  compare(10);
}

TEST_F(CpuUpdate, sgdWithNesterovAgrees) {
  open("sgd-nesterov", {"w", "w.momentum_buffer"},
       {.kind = Kind::Sgd,
        .weightDecay = 1e-2,
        .momentum = 0.8,
        .nesterov = true});
  compare(10);
}
