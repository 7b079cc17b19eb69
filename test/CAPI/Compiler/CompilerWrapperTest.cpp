// The C++ wrapper of libmpcc, and what goes through memory alone: a model in
// ONNX's format in, its weights into a session, trained ones into a copy.
#include "mpc-c/Compiler.hpp"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

using namespace mpc;

namespace {

/// The wire format of protobuf.
std::string number(uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7)
    bytes += static_cast<char>((value & 127) | 128);
  return bytes + static_cast<char>(value);
}
std::string field(int index, uint64_t value) {
  return number(static_cast<uint64_t>(index) << 3) + number(value);
}
std::string field(int index, const std::string &bytes) {
  return number(static_cast<uint64_t>(index) << 3 | 2) + number(bytes.size()) +
         bytes;
}

std::string tensor(const std::string &name, std::vector<float> values) {
  return field(1, values.size()) + field(2, 1) + field(8, name) +
         field(9, {reinterpret_cast<const char *>(values.data()),
                   values.size() * sizeof(float)});
}
std::string value(const std::string &name) {
  std::string shape = field(1, field(1, 2));
  return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)));
}
std::string node(const std::string &type, const std::string &left,
                 const std::string &right, const std::string &result) {
  return field(1, left) + field(1, right) + field(2, result) +
         field(3, result + "_node") + field(4, type);
}

/// y = x * w + b, by the numbers of onnx.proto.
std::string linear() {
  std::string graph = field(1, node("Mul", "x", "w", "h")) +
                      field(1, node("Add", "h", "b", "y")) + field(2, "g") +
                      field(5, tensor("w", {2, 3})) +
                      field(5, tensor("b", {0.5, -1})) + field(11, value("x")) +
                      field(12, value("y"));
  return field(1, 8) + field(7, graph) + field(8, field(2, 17));
}

rt::CompileOptions training() {
  rt::CompileOptions how;
  how.name = "linear.onnx";
  how.options = {{"loss", "mse:y,t"},
                 {"precision", "fp32"},
                 {"optimizer", "sgd"},
                 {"lr", "0.1"}};
  return how;
}

TEST(CompilerWrapper, WeightsNeedNoFile) {
  rt::CompileOptions how = training();
  std::string said;
  how.diagnose = [&](const mpc_diagnostic &diagnostic) {
    if (diagnostic.severity == MPC_SEVERITY_ERROR)
      said += diagnostic.message;
  };
  auto compiled = rt::Compiled::compile(linear(), how);
  ASSERT_TRUE(compiled) << compiled.message();
  EXPECT_EQ(said, "");
  std::vector<mpc_weight> weights = compiled->weights();
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_STREQ(weights[0].name, "w");
  EXPECT_EQ(weights[0].type, MPC_F32);
  EXPECT_EQ(weights[0].rank, 1u);
  EXPECT_EQ(weights[0].shape[0], 2);
  EXPECT_EQ(static_cast<const float *>(weights[0].data)[1], 3);

  auto program = compiled->program();
  ASSERT_TRUE(program) << program.message();
  auto session = rt::Session::create(*program);
  ASSERT_TRUE(session) << session.message();
  ASSERT_TRUE(session->init(1));
  rt::Status given = compiled->giveWeights(*session);
  ASSERT_TRUE(given) << given.message();
  float x[] = {1, 2}, t[] = {0, 4};
  ASSERT_TRUE(session->run("step", {{x, sizeof x}, {t, sizeof t}}));
  // y = (2.5, 5); loss ((2.5)^2 + 1^2) / 2; dw = (y - t) x.
  EXPECT_FLOAT_EQ(session->scalar<float>("loss").value(), 3.625f);
  auto w = session->state<float>("w");
  ASSERT_TRUE(w) << w.message();
  EXPECT_FLOAT_EQ((*w)[0], 2 - 0.1f * 2.5f);
  EXPECT_FLOAT_EQ((*w)[1], 3 - 0.1f * 2);

  // Into a copy, and what that is compiled to begins there.
  std::string path = testing::TempDir() + "copy.onnx";
  rt::Status written = rt::writeOnnx(linear(), *program, *session, path);
  ASSERT_TRUE(written) << written.message();
  auto file = rt::File::read(path);
  ASSERT_TRUE(file) << file.message();
  std::string_view copy = file->bytes();
  EXPECT_EQ(copy.size(), linear().size());
  auto again = rt::Compiled::compile(copy, training());
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(static_cast<const float *>(again->weights()[0].data)[0], (*w)[0]);
}

TEST(CompilerWrapper, RefusalsSayWhatDoesNotFit) {
  rt::CompileOptions how = training();
  how.options.push_back({"lr", "fast"});
  EXPECT_EQ(rt::Compiled::compile(linear(), how).code(), MPC_INVALID_ARGUMENT);
  EXPECT_EQ(rt::Compiled::compile("no model", training()).code(),
            MPC_INVALID_MODEL);

  std::string model = linear();
  const mpc_compiler_api *mpcc = mpc_get_compiler_api(MPC_COMPILER_API_VERSION);
  std::string path = testing::TempDir() + "refused.onnx";
  std::filesystem::remove(path);
  float values[2] = {};
  int64_t shape[] = {2};
  mpc_weight weight = {sizeof(mpc_weight), "w", MPC_F32, 1, shape, values,
                       sizeof values};
  mpc_weight other = weight;
  other.name = "v";
  auto write = [&](std::vector<const mpc_weight *> list, std::string bytes) {
    mpc_status status = {};
    mpc_code code = mpcc->write_onnx(bytes.data(), bytes.size(), list.data(),
                                     static_cast<uint32_t>(list.size()),
                                     path.c_str(), nullptr, &status);
    EXPECT_EQ(code, MPC_INVALID_ARGUMENT);
    return std::string(status.message);
  };
  EXPECT_EQ(write({&weight, &other}, model),
            "the model has no weights of these names: 'v'; these weights of "
            "the model have no new values ('keep' leaves those as they are "
            "whose names match): 'b'");
  EXPECT_EQ(
      write({&weight, &weight}, model).substr(0, 65),
      "expected each weight once, but these are given again: 'w'; these ");
  other.bytes = 4;
  other.name = "b";
  EXPECT_EQ(write({&weight, &other}, model),
            "'b': expected floats, as many as its shape says");
  other.type = MPC_I64;
  other.bytes = 16;
  EXPECT_EQ(write({&weight, &other}, model),
            "'b': expected floats, as many as its shape says");
  other.struct_size = 8;
  EXPECT_NE(write({&weight, &other}, model), "");
  EXPECT_NE(write({&weight, nullptr}, model), "");
  // Cut anywhere, it is no model, or lacks what has weights.
  for (size_t size = 0; size < model.size(); ++size)
    EXPECT_NE(write({&weight, &weight}, model.substr(0, size)), "");
  EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
