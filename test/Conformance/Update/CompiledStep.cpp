#include "CompiledStep.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace mpc;
using namespace mpc::conformance;

namespace {
/// Files of this process: model, program, diagnostics.
struct Files {
  std::string model, program, messages;

  Files() {
    static std::atomic<int> count;
    std::string stem = testing::TempDir() + "mpc-step-" +
                       std::to_string(getpid()) + "-" + std::to_string(count++);
    model = stem + ".mlir";
    program = stem + ".mpcx";
    messages = stem + ".txt";
  }
  ~Files() {
    for (const std::string &path : {model, program, messages})
      std::remove(path.c_str());
  }
};

/// Whether it compiled; `said` are its diagnostics.
bool compile(const Files &files, const std::string &model,
             const std::string &options, std::string &said) {
  std::ofstream(files.model) << model;
  std::string command = std::string(MPC_COMPILE) + " " + files.model + " -o " +
                        files.program + " " + options + " 2> " +
                        files.messages + " > /dev/null";
  int code = std::system(command.c_str());
  std::ostringstream text;
  text << std::ifstream(files.messages).rdbuf();
  said = text.str();
  return code == 0;
}
} // namespace

CompiledStep::CompiledStep(const std::string &model,
                           const std::string &options) {
  Files files;
  std::string said;
  if (!compile(files, model, options, said)) {
    ADD_FAILURE() << "mpc-compile " << options << ":\n" << said;
    return;
  }
  open(files.program);
}

void CompiledStep::open(const std::string &path) {
  auto loaded = rt::Program::load(path, {true});
  ASSERT_TRUE(loaded) << loaded.message();
  program = *loaded;
  entry = *program->findEntry("step");
  auto made = rt::Session::create(*program);
  ASSERT_TRUE(made) << made.message();
  session.emplace(std::move(*made));
  rt::Status status = session->init(7);
  ASSERT_TRUE(status) << status.message();
}

void CompiledStep::run(const std::vector<Numbers> &inputs) {
  std::vector<mpc_input> list;
  for (const Numbers &values : inputs)
    list.push_back({values.data(), values.size() * sizeof(float)});
  run(list);
}

void CompiledStep::run(const std::vector<mpc_input> &inputs) {
  rt::Status status =
      session->run(entry, inputs.data(), static_cast<uint32_t>(inputs.size()));
  ASSERT_TRUE(status) << status.message();
}

float CompiledStep::scalar(const std::string &output) const {
  auto value = session->scalar<float>(output);
  EXPECT_TRUE(value) << value.message();
  return value ? *value : 0;
}

bool CompiledStep::flag(const std::string &output) const {
  auto value = session->output(output);
  EXPECT_TRUE(value) << value.message();
  return value && *static_cast<const uint8_t *>(value->data) != 0;
}

int32_t CompiledStep::count(const std::string &output) const {
  auto value = session->scalar<int32_t>(output);
  EXPECT_TRUE(value) << value.message();
  return value ? *value : -1;
}

Numbers CompiledStep::state(const std::string &name) const {
  auto values = session->state<float>(name);
  EXPECT_TRUE(values) << values.message();
  return values ? *values : Numbers();
}

std::vector<double> CompiledStep::wideState(const std::string &name) const {
  auto values = session->state<double>(name);
  EXPECT_TRUE(values) << values.message();
  return values ? *values : std::vector<double>();
}

int32_t CompiledStep::counter(const std::string &name) const {
  auto values = session->state<int32_t>(name);
  EXPECT_TRUE(values) << values.message();
  return values ? values->front() : -1;
}

void CompiledStep::set(const std::string &name, const Numbers &values) {
  setState(name, values);
}

void CompiledStep::setWide(const std::string &name,
                           const std::vector<double> &values) {
  setState(name, values);
}

template <typename T>
void CompiledStep::setState(const std::string &name,
                            const std::vector<T> &values) {
  rt::Status status = session->setState(name, values);
  ASSERT_TRUE(status) << status.message();
  status = session->refresh();
  ASSERT_TRUE(status) << status.message();
}

std::vector<Numbers> CompiledStep::allFloats() const {
  std::vector<Numbers> values;
  for (const mpc_state_info &info : program->states())
    if (info.type == MPC_F32)
      values.push_back(state(info.name));
  return values;
}

bool conformance::sameBits(const Numbers &a, const Numbers &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}
