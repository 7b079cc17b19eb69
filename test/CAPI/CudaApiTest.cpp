// Programs for target "cuda" through the C interface and its C++ header, on a
// plug-in that only pretends.
#include "mpc-c/Runtime.hpp"

#include <gtest/gtest.h>

using namespace mpc::rt;

static Expected<Program> load() {
  return Program::load(MPC_TEST_CUDA_PROGRAM, {true});
}

static std::string logged;
static void logLine(void *, mpc_log_level, const char *message) {
  logged += message;
}

TEST(CudaApi, Describes) {
  auto program = load();
  ASSERT_TRUE(program) << program.message();
  const mpc_api &api = *mpc_get_api(MPC_API_VERSION);
  mpc_program_info info = program->info();
  EXPECT_STREQ(info.target, "cuda");
  EXPECT_STREQ(info.code_target, "");
  EXPECT_EQ(info.num_multi_tensors, 2u);
  MPC_STRUCT(mpc_code_info, code);
  ASSERT_EQ(api.program_code(program->get(), 3, &code), MPC_OK);
  EXPECT_STREQ(code.target, "sm_90");
  EXPECT_STREQ(code.format, "ptx");
  EXPECT_EQ(code.num_launches, 2u);
  EXPECT_EQ(code.usable, 0u);
  MPC_STRUCT(mpc_launch_info, launch);
  ASSERT_EQ(api.program_code_launch(program->get(), 3, 1, &launch), MPC_OK);
  EXPECT_EQ(launch.kernel, 1u);
  EXPECT_EQ(launch.num_stages, 1u);
  EXPECT_EQ(api.program_code_launch(program->get(), 3, 2, &launch),
            MPC_NOT_FOUND);
  EXPECT_EQ(api.program_code_launch(program->get(), 4, 0, &launch),
            MPC_NOT_FOUND);
  EXPECT_EQ(api.program_code_launch(program->get(), 3, 0, nullptr),
            MPC_INVALID_ARGUMENT);
  MPC_STRUCT(mpc_stage_info, stage);
  ASSERT_EQ(api.program_code_stage(program->get(), 3, 1, 0, &stage), MPC_OK);
  EXPECT_STREQ(stage.symbol, "k_loss_0");
  EXPECT_EQ(stage.grid, 4u);
  EXPECT_EQ(stage.block, 128u);
  EXPECT_EQ(api.program_code_stage(program->get(), 3, 1, 1, &stage),
            MPC_NOT_FOUND);
  EXPECT_EQ(api.program_code_stage(nullptr, 3, 1, 1, &stage),
            MPC_INVALID_ARGUMENT);
  MPC_STRUCT(mpc_multi_tensor_info, operation);
  ASSERT_EQ(api.program_multi_tensor(program->get(), 1, &operation), MPC_OK);
  EXPECT_STREQ(operation.kind, "adamw");
  EXPECT_EQ(operation.num_tensors, 2u);
  EXPECT_EQ(operation.elements, 34u);
  EXPECT_EQ(operation.gradient_type, MPC_F16);
  EXPECT_EQ(operation.has_copies, 1u);
  EXPECT_EQ(operation.copy_type, MPC_F16);
  EXPECT_EQ(api.program_multi_tensor(program->get(), 2, &operation),
            MPC_NOT_FOUND);
  MPC_STRUCT(mpc_record_info, record);
  ASSERT_EQ(api.program_record(program->get(), 1, 6, &record), MPC_OK);
  EXPECT_STREQ(record.kind, "multi_tensor");
  EXPECT_EQ(record.target, 1u);
}

TEST(CudaApi, CallsTellTheirOperands) {
  auto program = load();
  ASSERT_TRUE(program) << program.message();
  const mpc_api &api = *mpc_get_api(MPC_API_VERSION);
  EXPECT_EQ(program->info().num_calls, 2u);
  MPC_STRUCT(mpc_record_info, record);
  ASSERT_EQ(api.program_record(program->get(), 1, 4, &record), MPC_OK);
  EXPECT_STREQ(record.kind, "matmul");
  EXPECT_EQ(record.target, 1u);
  MPC_STRUCT(mpc_call_info, call);
  ASSERT_EQ(api.program_call(program->get(), 1, &call), MPC_OK);
  EXPECT_STREQ(call.kind, "matmul");
  EXPECT_EQ(call.has_tail, 0u);
  std::string operands;
  for (uint32_t i = 0; i < call.num_operands; ++i) {
    MPC_STRUCT(mpc_operand_info, operand);
    ASSERT_EQ(api.program_operand(program->get(), 1, i, &operand), MPC_OK);
    operands += std::string(operand.role) + " " + api.type_name(operand.type);
    for (uint32_t dim = 0; dim < operand.rank; ++dim)
      operands += " " + std::to_string(operand.shape[dim]) + ":" +
                  std::to_string(operand.strides[dim]);
    operands += operand.written ? " written, " : ", ";
  }
  EXPECT_EQ(operands, "lhs f8E4M3FN 4:1 16:4, rhs f8E4M3FN 16:8 8:1, "
                      "result f16 4:8 8:1 written, aux f16 4:8 8:1, "
                      "lhs_scale f32, rhs_scale f32, ");
  MPC_STRUCT(mpc_operand_info, operand);
  EXPECT_EQ(api.program_call(program->get(), 2, &call), MPC_NOT_FOUND);
  EXPECT_EQ(api.program_operand(program->get(), 1, 6, &operand), MPC_NOT_FOUND);
  EXPECT_EQ(api.program_operand(program->get(), 2, 0, &operand), MPC_NOT_FOUND);
  EXPECT_EQ(api.program_call(program->get(), 0, nullptr), MPC_INVALID_ARGUMENT);
  EXPECT_EQ(api.program_operand(nullptr, 0, 0, &operand), MPC_INVALID_ARGUMENT);
}

TEST(CudaApi, ResultsComeOneStepLate) {
  auto program = load();
  MPC_STRUCT(mpc_device_options, device);
  device.plugin = MPC_TEST_PLUGIN;
  SessionOptions options;
  options.device = &device;
  auto session = Session::create(*program, options);
  ASSERT_TRUE(session) << session.message();
  ASSERT_TRUE(session->init(1));
  std::vector<float> x(64), target(128);
  EXPECT_EQ(session->scalarResult<float>("loss", 0).code(), MPC_NOT_FOUND);
  for (int run = 1; run <= 8; ++run) {
    ASSERT_TRUE(session->run("step", {{x.data(), 256}, {target.data(), 512}}));
    if (run > 1) {
      EXPECT_EQ(session->scalarResult<float>("loss", 1).value(),
                static_cast<float>(run - 1));
      EXPECT_EQ(session->stepReport(1)->loss, run - 1);
    }
  }
  EXPECT_EQ(session->waitCounts().synchronizations, 0u);
  EXPECT_EQ(session->waitCounts().waits, 0u);
  EXPECT_TRUE(session->synchronize());
  EXPECT_EQ(session->waitCounts().synchronizations, 1u);
  EXPECT_EQ(session->scalar<float>("loss").value(), 8);
  EXPECT_EQ(session->exportPlans()->size(), 4u);
  EXPECT_EQ(session->threads(), 1u);
}

TEST(CudaApi, OptionsReachThePlugin) {
  auto program = load();
  const mpc_api &api = *mpc_get_api(MPC_API_VERSION);
  MPC_STRUCT(mpc_nccl, nccl);
  nccl.rank = 1;
  nccl.size = 2;
  nccl.unique_id = "id";
  nccl.unique_id_bytes = 2;
  MPC_STRUCT(mpc_device_options, device);
  device.device = 3;
  device.plugin = MPC_TEST_PLUGIN;
  device.stream = &nccl;
  device.allow_nondeterministic = device.allow_tf32 = device.nvtx =
      device.own_attention = 1;
  device.tuning_ms = 20;
  device.plans = "xyz";
  device.plans_bytes = 3;
  device.nccl = &nccl;
  MPC_STRUCT(mpc_session_options, options);
  options.device = &device;
  options.log = logLine;
  mpc_session *session = nullptr;
  mpc_status status = {};
  logged.clear();
  EXPECT_EQ(api.session_create(program->get(), &options, &session, &status),
            MPC_OK)
      << status.message;
  EXPECT_EQ(logged,
            "fake device 3, stream, nondeterministic, tf32, own attention, "
            "nvtx, tuning 20, plans xyz, rank 1 of 2 within 600000");
  api.session_destroy(session);
  nccl.unique_id = nullptr;
  EXPECT_EQ(api.session_create(program->get(), &options, &session, &status),
            MPC_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message,
               "expected an NCCL communicator or a unique id, but got null");
}

TEST(CudaApi, MakesIdsForRanks) {
  const mpc_api &api = *mpc_get_api(MPC_API_VERSION);
  unsigned char id[MPC_NCCL_ID_BYTES + 1] = {};
  mpc_status status = {};
  EXPECT_EQ(api.nccl_unique_id(MPC_TEST_PLUGIN, id, &status), MPC_OK);
  EXPECT_EQ(id[MPC_NCCL_ID_BYTES - 1], 42);
  EXPECT_EQ(id[MPC_NCCL_ID_BYTES], 0);
  EXPECT_EQ(api.nccl_unique_id("/nowhere/p.so", id, &status),
            MPC_DEVICE_UNSUPPORTED);
  EXPECT_EQ(api.nccl_unique_id(MPC_TEST_PLUGIN, nullptr, &status),
            MPC_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "expected a place for the id, but got null");
}

TEST(CudaApi, SaysWhatIsMissing) {
  auto program = load();
  MPC_STRUCT(mpc_device_options, device);
  device.plugin = "/nowhere/p.so";
  SessionOptions options;
  options.device = &device;
  auto session = Session::create(*program, options);
  EXPECT_EQ(session.code(), MPC_DEVICE_UNSUPPORTED);
  EXPECT_EQ(session.message().find("plug-in '/nowhere/p.so': could not be"),
            0u);
  device.plugin = MPC_TEST_PLUGIN;
  options.threads = 2;
  EXPECT_EQ(Session::create(*program, options).message(),
            "option 'threads' means nothing for a program of target 'cuda'; "
            "leave it out");
}
