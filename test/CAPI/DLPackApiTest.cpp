// DLPack at the C interface: tensors in place, what is refused and with which
// numbers, and how long memory lives that was handed out.
#include "ProgramTest.h"
#include "mpc-c/DLPack.hpp"

#include <cstring>

using namespace mpc;
using namespace mpc::test;

// The layout of DLPack 1.1, from its documentation: 24 bytes in front of the
// tensor are version, context and deleter, then 8 of flags.
static_assert(offsetof(mpc_dlpack, manager_ctx) == 8 &&
              offsetof(mpc_dlpack, deleter) == 16 &&
              offsetof(mpc_dlpack, flags) == 24 &&
              offsetof(mpc_dlpack, tensor) == 32);
static_assert(offsetof(mpc_dltensor, device) == 8 &&
              offsetof(mpc_dltensor, ndim) == 16 &&
              offsetof(mpc_dltensor, type) == 20 &&
              offsetof(mpc_dltensor, shape) == 24 &&
              offsetof(mpc_dltensor, strides) == 32 &&
              offsetof(mpc_dltensor, byte_offset) == 40 &&
              sizeof(mpc_dltensor) == 48);

namespace {

/// Entry `forward` that copies a bf16 tensor of 3 x 1 x 2, and passes an empty
/// one by; a state `w` of 2 x 2 numbers of f32.
HandMade makeProgram() {
  HandMade made;
  Arg copy = made.arena(12);
  made.state("w", ElementType::F32, {2, 2});
  EntryT &entry = made.entry("forward");
  Arg x = HandMade::input(entry, "x", ElementType::BF16, {3, 1, 2});
  HandMade::input(entry, "empty", ElementType::F32, {0, 4});
  HandMade::record(entry, RecordKind::Copy, 0, {x, copy}, 12);
  HandMade::output(entry, "copy", ElementType::BF16, {3, 1, 2}, copy);
  return made;
}

/// A tensor of the caller's.
struct Tensor {
  explicit Tensor(uint8_t code, uint8_t bits, std::vector<int64_t> sizes,
                  void *data)
      : shape(std::move(sizes)) {
    dl.version.major = 1;
    dl.version.minor = 3;
    dl.tensor.data = data;
    dl.tensor.device.kind = MPC_DLPACK_CPU;
    dl.tensor.ndim = static_cast<int32_t>(shape.size());
    dl.tensor.type.code = code;
    dl.tensor.type.bits = bits;
    dl.tensor.type.lanes = 1;
    dl.tensor.shape = shape.data();
    dl.deleter = [](mpc_dlpack *) { FAIL() << "it was consumed"; };
  }
  void setStrides(std::vector<int64_t> given) {
    strides = std::move(given);
    dl.tensor.strides = strides.data();
  }

  mpc_dlpack dl = {};
  std::vector<int64_t> shape, strides;
};

class DLPackApi : public SessionTest<makeProgram> {
protected:
  mpc_code run(const mpc_dlpack *given) {
    const mpc_dlpack *inputs[] = {given, &empty.dl};
    return api->session_run_dlpack(session, 0, inputs, 2, &status);
  }
  mpc_dlpack *takeOutput() {
    mpc_dlpack *tensor = nullptr;
    EXPECT_EQ(api->session_output_dlpack(session, 0, 0, &tensor, &status),
              MPC_OK)
        << status.message;
    return tensor;
  }
  void expectRefused(mpc_code code, const std::string &message) {
    EXPECT_EQ(run(&x.dl), code);
    EXPECT_EQ(std::string(status.message), message);
  }

  uint16_t numbers[7] = {9, 1, 2, 3, 4, 5, 6};
  Tensor x{MPC_DLPACK_BFLOAT, 16, {3, 1, 2}, numbers};
  Tensor empty{MPC_DLPACK_FLOAT, 32, {0, 4}, nullptr};
};

TEST_F(DLPackApi, ReadsInPlace) {
  x.dl.tensor.byte_offset = 2;
  x.setStrides({2, 77, 1}); // a dim of one element has no stride
  empty.setStrides({-3, 100});
  ASSERT_EQ(run(&x.dl), MPC_OK) << status.message;
  mpc_dlpack *copy = takeOutput();
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->version.major, 1u);
  EXPECT_EQ(copy->flags, MPC_DLPACK_READ_ONLY);
  const mpc_dltensor &tensor = copy->tensor;
  EXPECT_EQ(tensor.device.kind, MPC_DLPACK_CPU);
  EXPECT_EQ(tensor.type.code, MPC_DLPACK_BFLOAT);
  EXPECT_EQ(tensor.type.bits, 16);
  EXPECT_EQ(tensor.type.lanes, 1);
  EXPECT_EQ(std::vector<int64_t>(tensor.shape, tensor.shape + 3),
            (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(std::vector<int64_t>(tensor.strides, tensor.strides + 3),
            (std::vector<int64_t>{2, 2, 1}));
  EXPECT_EQ(std::memcmp(tensor.data, numbers + 1, 12), 0);
  // The memory of session_output, which the next run writes again.
  const void *data;
  uint64_t bytes;
  ASSERT_EQ(api->session_output(session, 0, 0, &data, &bytes, &status), MPC_OK);
  EXPECT_EQ(tensor.data, data);
  x.dl.tensor.byte_offset = 0;
  x.dl.tensor.strides = nullptr;
  ASSERT_EQ(run(&x.dl), MPC_OK) << status.message;
  EXPECT_EQ(std::memcmp(tensor.data, numbers, 12), 0);
  copy->deleter(copy);
}

TEST_F(DLPackApi, OutputsOutliveTheirSession) {
  ASSERT_EQ(run(&x.dl), MPC_OK) << status.message;
  mpc_dlpack *first = takeOutput(), *second = takeOutput();
  api->session_destroy(session);
  api->program_release(program);
  session = nullptr;
  program = nullptr;
  EXPECT_EQ(std::memcmp(first->tensor.data, numbers, 12), 0);
  first->deleter(first);
  EXPECT_EQ(std::memcmp(second->tensor.data, numbers, 12), 0);
  second->deleter(second);
}

TEST_F(DLPackApi, RefusesOtherDevices) {
  x.dl.tensor.device.kind = MPC_DLPACK_CUDA;
  x.dl.tensor.device.number = 1;
  expectRefused(MPC_INVALID_ARGUMENT,
                "input 'x': expected memory of the processor (DLPack device 1, "
                "3 or 13), but got device 2 number 1; copy it to the processor "
                "first");
  for (int kind : {MPC_DLPACK_CUDA_HOST, MPC_DLPACK_CUDA_MANAGED}) {
    x.dl.tensor.device.kind = kind;
    EXPECT_EQ(run(&x.dl), MPC_OK) << status.message;
  }
}

TEST_F(DLPackApi, RefusesOtherTypes) {
  x.dl.tensor.type.code = MPC_DLPACK_FLOAT;
  expectRefused(MPC_TYPE_MISMATCH, "input 'x': expected bf16, but got f16");
  x.dl.tensor.type.code = 5; // complex numbers
  x.dl.tensor.type.bits = 64;
  x.dl.tensor.type.lanes = 2;
  expectRefused(MPC_TYPE_MISMATCH,
                "input 'x': expected bf16, but got DLPack type code 5 of 64 "
                "bits and 2 lanes");
}

TEST_F(DLPackApi, RefusesOtherShapes) {
  x.shape[2] = 3;
  expectRefused(MPC_SHAPE_MISMATCH,
                "input 'x': expected (3, 1, 2), but got (3, 1, 3)");
  x.dl.tensor.ndim = -1;
  expectRefused(MPC_SHAPE_MISMATCH, "input 'x': expected 3 dims, but got -1");
  x.dl.tensor.ndim = 3;
  x.dl.tensor.shape = nullptr;
  expectRefused(MPC_INVALID_ARGUMENT,
                "input 'x': expected a shape, but got null");
}

TEST_F(DLPackApi, RefusesStrides) {
  x.setStrides({1, 1, 3});
  expectRefused(MPC_INVALID_ARGUMENT,
                "input 'x': expected a dense, row-major tensor, but got "
                "strides (1, 1, 3) of shape (3, 1, 2); make it contiguous "
                "first");
  x.setStrides({0, 0, 1});
  EXPECT_EQ(run(&x.dl), MPC_INVALID_ARGUMENT);
}

TEST_F(DLPackApi, RefusesWhatIsNoTensor) {
  x.dl.tensor.data = nullptr;
  expectRefused(MPC_INVALID_ARGUMENT, "input 'x': expected data, but got null");
  x.dl.version.major = 2;
  x.dl.version.minor = 4;
  expectRefused(MPC_INVALID_ARGUMENT,
                "input 'x': expected a tensor of DLPack 1, but got one of "
                "DLPack 2.4");
  EXPECT_EQ(run(nullptr), MPC_INVALID_ARGUMENT);
  const mpc_dlpack *inputs[] = {&x.dl};
  EXPECT_EQ(api->session_run_dlpack(session, 9, inputs, 1, &status),
            MPC_NOT_FOUND);
  EXPECT_EQ(api->session_run_dlpack(session, 0, nullptr, 1, &status),
            MPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->session_run_dlpack(nullptr, 0, inputs, 1, &status),
            MPC_INVALID_ARGUMENT);
  mpc_dlpack *tensor;
  EXPECT_EQ(api->session_output_dlpack(session, 0, 0, &tensor, &status),
            MPC_INVALID_ARGUMENT); // nothing has run
  EXPECT_EQ(tensor, nullptr);
}

TEST_F(DLPackApi, RefusesAWrongNumberOfInputs) {
  x.dl.version.major = 1;
  const mpc_dlpack *inputs[] = {&x.dl, &empty.dl, &x.dl};
  for (uint32_t count : {1u, 3u}) {
    EXPECT_EQ(api->session_run_dlpack(session, 0, inputs, count, &status),
              MPC_INVALID_ARGUMENT);
    EXPECT_TRUE(std::strstr(status.message, "expected 2 inputs, but got"));
  }
}

TEST_F(DLPackApi, CopiesStates) {
  float values[4] = {1, 2, 3, 4}, read[4] = {};
  Tensor source{MPC_DLPACK_FLOAT, 32, {2, 2}, values};
  source.dl.flags = MPC_DLPACK_READ_ONLY; // it is only read
  ASSERT_EQ(api->session_set_state_dlpack(session, "w", &source.dl, &status),
            MPC_OK)
      << status.message;
  mpc_dlpack *copy;
  ASSERT_EQ(api->session_get_state_dlpack(session, "w", &copy, &status), MPC_OK)
      << status.message;
  EXPECT_EQ(copy->flags, MPC_DLPACK_IS_COPIED);
  EXPECT_EQ(std::memcmp(copy->tensor.data, values, sizeof values), 0);
  Tensor into{MPC_DLPACK_FLOAT, 32, {2, 2}, read};
  ASSERT_EQ(api->session_read_state_dlpack(session, "w", &into.dl, &status),
            MPC_OK)
      << status.message;
  EXPECT_EQ(std::memcmp(read, values, sizeof values), 0);
  into.dl.flags = MPC_DLPACK_READ_ONLY;
  EXPECT_EQ(api->session_read_state_dlpack(session, "w", &into.dl, &status),
            MPC_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "state 'w': expected a tensor that may be "
                               "written to, but got one that is marked "
                               "read-only");
  // A copy of its own: the session goes, and it stays.
  api->session_destroy(session);
  session = nullptr;
  EXPECT_EQ(static_cast<float *>(copy->tensor.data)[3], 4.0f);
  copy->deleter(copy);
}

TEST_F(DLPackApi, RefusesStatesThatAreNone) {
  Tensor other{MPC_DLPACK_INT, 32, {2, 2}, numbers};
  EXPECT_EQ(api->session_set_state_dlpack(session, "w", &other.dl, &status),
            MPC_TYPE_MISMATCH);
  EXPECT_STREQ(status.message, "state 'w': expected f32, but got i32");
  EXPECT_EQ(api->session_set_state_dlpack(session, "v", &other.dl, &status),
            MPC_NOT_FOUND);
  mpc_dlpack *copy;
  EXPECT_EQ(api->session_get_state_dlpack(session, "v", &copy, &status),
            MPC_NOT_FOUND);
  EXPECT_EQ(copy, nullptr);
  EXPECT_EQ(api->session_read_state_dlpack(session, "w", nullptr, &status),
            MPC_INVALID_ARGUMENT);
}

/// The same by the C++ wrapper.
TEST_F(DLPackApi, Wrapper) {
  HandMade made = makeProgram();
  auto bytes = program::serialize(made.program);
  ASSERT_TRUE(bytes) << bytes.status().message();
  auto loaded = rt::Program::loadMemory(bytes->data(), bytes->size());
  ASSERT_TRUE(loaded) << loaded.message();
  auto session = rt::Session::create(*loaded);
  ASSERT_TRUE(session) << session.message();
  ASSERT_TRUE(session->init(0));
  const uint16_t *constant = numbers;
  rt::TensorView view(constant, MPC_BF16, {3, 1, 2}),
      none(constant, MPC_F32, {0, 4});
  rt::TensorView moved = std::move(view);
  rt::Status done = rt::run(*session, 0, {moved.get(), none.get()});
  ASSERT_TRUE(done) << done.message();
  auto output = rt::outputTensor(*session, 0, 0);
  ASSERT_TRUE(output) << output.message();
  EXPECT_EQ((*output)->ndim, 3);
  EXPECT_EQ(std::memcmp((*output)->data, numbers, 12), 0);
  mpc_dlpack *raw = output->release();
  raw->deleter(raw);
  EXPECT_EQ(rt::run(*session, 0, {moved.get()}).code(), MPC_INVALID_ARGUMENT);
  EXPECT_EQ(rt::outputTensor(*session, 0, 7).code(), MPC_NOT_FOUND);

  float values[4] = {1, 2, 3, 4}, read[4] = {};
  const float *readOnly = read;
  rt::TensorView source(values, MPC_F32, {2, 2}), into(read, MPC_F32, {2, 2});
  ASSERT_TRUE(rt::setState(*session, "w", source.get()));
  ASSERT_TRUE(rt::readState(*session, "w", into.get()));
  EXPECT_EQ(std::memcmp(read, values, sizeof values), 0);
  rt::TensorView guarded(readOnly, MPC_F32, {2, 2});
  EXPECT_EQ(rt::readState(*session, "w", guarded.get()).code(),
            MPC_INVALID_ARGUMENT);
  auto copy = rt::stateTensor(*session, "w");
  ASSERT_TRUE(copy) << copy.message();
  EXPECT_EQ(std::memcmp((*copy)->data, values, sizeof values), 0);
  EXPECT_EQ(rt::stateTensor(*session, "v").code(), MPC_NOT_FOUND);
}

} // namespace
