// Programs of hand-written exec modules: where everything points, what stands
// once, and what a program cannot hold.
#include "mpc/Target/ExportProgram.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mpc/InitAll.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::program;

namespace {

class ExportProgramTest : public testing::Test {
protected:
  ExportProgramTest() : context(allDialects()) {
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &diagnostic) {
          message += diagnostic.str() + "\n";
          return success();
        });
  }

  static mlir::DialectRegistry allDialects() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  FailureOr<ProgramT> exportText(const std::string &text,
                                 StringRef target = "cpu") {
    module = mlir::parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << message;
    if (!module)
      return failure();
    return target::exportProgram(*module, target);
  }

  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
  std::string message;
};

bool pointsTo(const Arg &arg, Space space, uint64_t offset,
              uint16_t index = 0) {
  return arg.space() == space && arg.offset() == offset && arg.index() == index;
}

std::string listOperands(const CallT &call) {
  auto join = [](const std::vector<int64_t> &numbers) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "[" : ", ") + std::to_string(number);
    return text + "]";
  };
  std::string text;
  for (const auto &operand : call.operands)
    text += std::string(text.empty() ? "" : ", ") +
            EnumNameOperandRole(operand->role) + " " + join(operand->shape) +
            " at " + join(operand->strides) +
            (operand->written ? " written" : "");
  return text;
}

constexpr const char *kModule = R"(
module attributes {exec.model = "m"} {
exec.state_decl "w" parameter offset = 0 : memref<4x4xf32> init #graph.uniform<-1.0, 2.0>
exec.state_decl "w.f16" weight_copy of "w" offset = 256 : memref<4x4xf16>
exec.entry @step arena = 512 {
  %l = exec.input "label" : memref<4xi32>
  %x = exec.input "x" : memref<4x4xf32>
  %w = exec.state "w" : memref<4x4xf32>
  %h = exec.state "w.f16" : memref<4x4xf16>
  %c = exec.constant offset = 0 : memref<3xi1> = dense<[true, false, true]> : tensor<3xi1>
  %d = exec.constant offset = 256 : memref<2xf32> = dense<1.5> : tensor<2xf32>
  %a = exec.alloc offset = 256 : memref<4x4xf32>
  %v = exec.view %a : memref<4x4xf32> to memref<16xf32>
  %t3 = exec.view %w : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  exec.call #exec.matmul<epilogue = tanh> ins(lhs %x : memref<4x4xf32>, rhs %t3 : memref<4x4xf32, strided<[1, 4]>>) outs(result %a : memref<4x4xf32>)
  %t4 = exec.view %w : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  exec.call #exec.matmul<epilogue = tanh> ins(lhs %a : memref<4x4xf32>, rhs %t4 : memref<4x4xf32, strided<[1, 4]>>) outs(result %w : memref<4x4xf32>)
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, rhs %w : memref<4x4xf32>) outs(result %w : memref<4x4xf32>)
  exec.all_reduce <average> ins(%v : memref<16xf32>) outs(%v : memref<16xf32>) group = "data"
  exec.copy %x to %a : memref<4x4xf32>
  exec.fill %h : memref<4x4xf16>
  exec.output "y" %v : memref<16xf32>
}
}
)";

constexpr const char *kCudaModule = R"(
module attributes {exec.target = "cuda"} {
exec.state_decl "w" parameter offset = 0 : memref<4x4xf32> init #graph.zeros
exec.state_decl "b" moment of "w" offset = 256 : memref<4x4xf32> init #graph.zeros
exec.state_decl "w.f16" weight_copy of "w" offset = 512 : memref<4x4xf16>
exec.kernel @k_gelu extent = 16 grain = 1 reads = 40 writes = 64 in_place = [0, 0, 0, 1] {
^bb0(%x: tensor<4x4xf16>, %r: tensor<4xf16>):
  %y:2 = graph.group #graph.group_kind<row> %x, %r : (tensor<4x4xf16>, tensor<4xf16>) -> (tensor<4x4xf16>, tensor<4x4xf16>) {
  ^bb0(%a: tensor<4x4xf16>, %b: tensor<4xf16>):
    %u = graph.add %a, %b : (tensor<4x4xf16>, tensor<4xf16>) -> tensor<4x4xf16>
    %f = graph.gelu %u kind = <tanh> : tensor<4x4xf16>
    graph.yield %f, %u : tensor<4x4xf16>, tensor<4x4xf16>
  }
}
exec.entry @step arena = 768 {
  %g = exec.input "g" : memref<4x4xf16>
  %s = exec.input "scale" : memref<f32>
  %r = exec.input "bias" : memref<4xf16>
  %w = exec.state "w" : memref<4x4xf32>
  %b = exec.state "b" : memref<4x4xf32>
  %h = exec.state "w.f16" : memref<4x4xf16>
  %i = exec.alloc offset = 0 : memref<i1>
  %n = exec.alloc offset = 256 : memref<f32>
  %u = exec.alloc offset = 512 : memref<4x4xf16>
  exec.multi_tensor unscale_l2norm ins(%s, %g, %g : memref<f32>, memref<4x4xf16>, memref<4x4xf16>) outs(%i, %n : memref<i1>, memref<f32>) has_scale
  exec.multi_tensor sgd ins(%i, %s, %n, %s, %w, %g, %b : memref<i1>, memref<f32>, memref<f32>, memref<f32>, memref<4x4xf32>, memref<4x4xf16>, memref<4x4xf32>) outs(%w, %b, %h : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf16>) has_found_inf has_scale has_coefficient has_copies {momentum = 0.5 : f64, nesterov, weight_decay = 0.25 : f64}
  %t5 = exec.view %g : memref<4x4xf16> to memref<4x4xf16, strided<[1, 4]>>
  exec.call #exec.matmul<epilogue = gelu_tanh> ins(lhs %t5 : memref<4x4xf16, strided<[1, 4]>>, rhs %g : memref<4x4xf16>, bias %r : memref<4xf16>, addend %h : memref<4x4xf16>) outs(result %h : memref<4x4xf16>, aux %u : memref<4x4xf16>) tail = @k_gelu [4, 2, 4, 5]
  exec.call #exec.matmul<epilogue = gelu_tanh, derivative = true> ins(lhs %g : memref<4x4xf16>, rhs %g : memref<4x4xf16>, aux %h : memref<4x4xf16>) outs(result %h : memref<4x4xf16>)
}
}
)";

TEST_F(ExportProgramTest, ListsOfTensors) {
  FailureOr<ProgramT> program = exportText(kCudaModule, "cuda");
  ASSERT_TRUE(succeeded(program)) << message;
  ASSERT_EQ(program->multi_tensors.size(), 2u);
  const MultiTensorT &norm = *program->multi_tensors[0];
  EXPECT_EQ(norm.kind, MultiTensorKind::UnscaleL2Norm);
  EXPECT_EQ(norm.counts, (std::vector<uint64_t>{16, 16}));
  EXPECT_EQ(norm.gradient_type, ElementType::F16);
  EXPECT_TRUE(norm.has_scale);
  const MultiTensorT &sgd = *program->multi_tensors[1];
  EXPECT_EQ(sgd.kind, MultiTensorKind::Sgd);
  EXPECT_EQ(sgd.counts, (std::vector<uint64_t>{16}));
  EXPECT_TRUE(sgd.has_found_inf && sgd.has_scale && sgd.has_coefficient);
  EXPECT_TRUE(sgd.has_copies && sgd.nesterov);
  EXPECT_EQ(sgd.copy_type, ElementType::F16);
  EXPECT_EQ(sgd.momentum, 0.5);
  EXPECT_EQ(sgd.weight_decay, 0.25);

  const EntryT &entry = *program->entries[0];
  ASSERT_EQ(entry.records.size(), 4u);
  EXPECT_EQ(entry.records[0].kind(), RecordKind::MultiTensor);
  EXPECT_EQ(entry.records[0].num_args(), 5);
  // Scale, two gradients, found_inf, norm.
  EXPECT_TRUE(pointsTo(entry.args[0], Space::Input, 0, 1));
  EXPECT_TRUE(pointsTo(entry.args[1], Space::Input, 0, 0));
  EXPECT_TRUE(pointsTo(entry.args[3], Space::Arena, 0));
  EXPECT_TRUE(pointsTo(entry.args[4], Space::Arena, 256));
  EXPECT_EQ(entry.records[1].target(), 1u);
  EXPECT_EQ(entry.records[1].num_args(), 10);
  EXPECT_TRUE(pointsTo(entry.args[5 + 4], Space::State, 0));
  EXPECT_TRUE(pointsTo(entry.args[5 + 7], Space::State, 0));
  EXPECT_TRUE(pointsTo(entry.args[5 + 9], Space::State, 512));
}

TEST_F(ExportProgramTest, ProductsWithMoreThanAResult) {
  FailureOr<ProgramT> program = exportText(kCudaModule, "cuda");
  ASSERT_TRUE(succeeded(program)) << message;
  ASSERT_EQ(program->calls.size(), 2u);
  EXPECT_EQ(listOperands(*program->calls[0]),
            "Lhs [4, 4] at [1, 4], Rhs [4, 4] at [4, 1], Bias [4] at [1], "
            "Addend [4, 4] at [4, 1], Result [4, 4] at [4, 1] written, "
            "Aux [4, 4] at [4, 1] written");
  EXPECT_EQ(program->calls[0]->options.AsMatmul()->epilogue,
            program::Epilogue::GeluTanh);
  EXPECT_EQ(listOperands(*program->calls[1]),
            "Lhs [4, 4] at [4, 1], Rhs [4, 4] at [4, 1], Aux [4, 4] at [4, 1], "
            "Result [4, 4] at [4, 1] written");
  EXPECT_TRUE(program->calls[1]->options.AsMatmul()->derivative);
  // By their places, although addend and result are one buffer here.
  EXPECT_EQ(program->calls[0]->tail_kernel, 0u);
  EXPECT_EQ(program->calls[0]->tail_args, (std::vector<uint8_t>{4, 2, 4, 5}));
  EXPECT_EQ(program->calls[1]->tail_kernel, kNoKernel);
  const EntryT &entry = *program->entries[0];
  // What is read, then what is written.
  const Arg *forward = &entry.args[entry.records[2].first_arg()];
  EXPECT_EQ(entry.records[2].num_args(), 6);
  EXPECT_TRUE(pointsTo(forward[2], Space::Input, 0, 2));
  EXPECT_TRUE(pointsTo(forward[3], Space::State, 512));
  EXPECT_TRUE(pointsTo(forward[4], Space::State, 512));
  EXPECT_TRUE(pointsTo(forward[5], Space::Arena, 512));
  const Arg *derivative = &entry.args[entry.records[3].first_arg()];
  EXPECT_EQ(entry.records[3].num_args(), 4);
  EXPECT_TRUE(pointsTo(derivative[3], Space::State, 512));
}

TEST_F(ExportProgramTest, StatesAndConstants) {
  FailureOr<ProgramT> program = exportText(kModule);
  ASSERT_TRUE(succeeded(program)) << message;
  EXPECT_EQ(program->model, "m");
  EXPECT_EQ(program->target, "cpu");
  EXPECT_EQ(program->state_bytes, 512u);
  EXPECT_EQ(program->arena_bytes, 512u);
  ASSERT_EQ(program->states.size(), 2u);
  const StateT &w = *program->states[0], &copy = *program->states[1];
  EXPECT_EQ(w.role, Role::Parameter);
  EXPECT_EQ(w.init->kind(), InitKind::Uniform);
  EXPECT_EQ(w.init->a(), -1.0);
  EXPECT_EQ(w.init->b(), 2.0);
  EXPECT_EQ(w.bytes, 64u);
  EXPECT_EQ(copy.role, Role::WeightCopy);
  EXPECT_EQ(copy.of, "w");
  EXPECT_EQ(copy.type, ElementType::F16);
  EXPECT_EQ(copy.init->kind(), InitKind::Derived);
  EXPECT_EQ(copy.offset, 256u);

  // An i1 takes a byte, a splat is written out.
  ASSERT_EQ(program->constants.size(), 512u);
  EXPECT_EQ(program->constants[0], 1);
  EXPECT_EQ(program->constants[1], 0);
  EXPECT_EQ(program->constants[2], 1);
  float splat[2];
  std::memcpy(splat, &program->constants[256], sizeof splat);
  EXPECT_EQ(splat[0], 1.5f);
  EXPECT_EQ(splat[1], 1.5f);
}

TEST_F(ExportProgramTest, RecordsPointWhereBuffersAre) {
  FailureOr<ProgramT> program = exportText(kModule);
  ASSERT_TRUE(succeeded(program)) << message;
  const EntryT &step = *program->entries.at(0);
  ASSERT_EQ(step.inputs.size(), 2u);
  EXPECT_EQ(step.inputs[1]->name, "x");
  EXPECT_TRUE(pointsTo(*step.inputs[1]->location, Space::Input, 0, 1));
  ASSERT_EQ(step.outputs.size(), 1u);
  EXPECT_EQ(step.outputs[0]->shape, std::vector<int64_t>{16});
  EXPECT_TRUE(pointsTo(*step.outputs[0]->location, Space::Arena, 256));

  // Equal products share their description; lhs, rhs, result.
  ASSERT_EQ(step.records.size(), 6u);
  EXPECT_EQ(program->calls.size(), 2u);
  EXPECT_EQ(step.records[0].target(), step.records[1].target());
  EXPECT_NE(step.records[1].target(), step.records[2].target());
  EXPECT_EQ(listOperands(*program->calls[0]),
            "Lhs [4, 4] at [4, 1], Rhs [4, 4] at [1, 4], Result [4, 4] at "
            "[4, 1] written");
  EXPECT_EQ(program->calls[0]->options.AsMatmul()->epilogue,
            program::Epilogue::Tanh);
  EXPECT_EQ(program->calls[1]->options.AsMatmul()->epilogue,
            program::Epilogue::None);
  EXPECT_EQ(step.records[0].num_args(), 3u);
  EXPECT_TRUE(pointsTo(step.args[0], Space::Input, 0, 1));
  EXPECT_TRUE(pointsTo(step.args[1], Space::State, 0));
  EXPECT_TRUE(pointsTo(step.args[2], Space::Arena, 256));

  const Record &reduce = step.records[3];
  EXPECT_EQ(reduce.kind(), RecordKind::AllReduce);
  const CollectiveT &collective = *program->collectives.at(reduce.target());
  EXPECT_EQ(collective.kind, ReduceKind::Average);
  EXPECT_EQ(collective.counts, std::vector<uint64_t>{16});
  EXPECT_EQ(step.records[4].kind(), RecordKind::Copy);
  EXPECT_EQ(step.records[4].extent(), 64u);
  EXPECT_EQ(step.records[5].kind(), RecordKind::Fill);
  EXPECT_EQ(step.records[5].extent(), 32u);
}

TEST_F(ExportProgramTest, RefusesMoreBuffersThanARecordHolds) {
  std::string buffers, types;
  for (int i = 0; i < 33000; ++i) {
    buffers += i ? ", %a" : "%a";
    types += i ? ", memref<f32>" : "memref<f32>";
  }
  FailureOr<ProgramT> program = exportText(
      "exec.entry @e arena = 256 {\n %a = exec.alloc offset = 0 : memref<f32>\n"
      "exec.all_reduce <sum> ins(" +
      buffers + " : " + types + ") outs(" + buffers + " : " + types +
      ") group = \"data\"\n}");
  EXPECT_TRUE(failed(program));
  EXPECT_NE(message.find("expected at most 65535 buffers in one record, but "
                         "got 66000"),
            std::string::npos)
      << message;
}

/// An entry `probe` with the observations `steps` of %x to %r and %s.
std::string probeModule(const std::string &steps) {
  return R"(exec.entry @probe arena = 8192 {
  %x = exec.input "x" : memref<4x8xf16>
  %r = exec.alloc offset = 0 : memref<291xf64>
  %s = exec.alloc offset = 4096 : memref<291xf64>
)" + steps +
         "  exec.output \"y\" %s : memref<291xf64>\n}\n";
}

TEST_F(ExportProgramTest, ProbesTellOfOutputs) {
  // The order of the numbers, not of the steps.
  FailureOr<ProgramT> program = exportText(probeModule(R"(
  exec.observe 5 %x to %s as "y" made_by "graph.neg" from [2] backward sink : memref<4x8xf16>, memref<291xf64> loc("f/m.mlir":7:3)
  exec.observe 2 %x to %r as "x" made_by "input" from [] : memref<4x8xf16>, memref<291xf64>
  exec.output "x" %r : memref<291xf64>
)"));
  ASSERT_TRUE(succeeded(program)) << message;
  ASSERT_EQ(program->probes.size(), 2u);
  const ProbeT &x = *program->probes[0], &y = *program->probes[1];
  EXPECT_EQ(x.what, "input");
  EXPECT_EQ(x.output, 0u);
  EXPECT_FALSE(x.backward || x.sink);
  EXPECT_EQ(y.what, "graph.neg");
  EXPECT_EQ(y.location, "m.mlir:7:3");
  EXPECT_EQ(y.output, 1u);
  EXPECT_EQ(y.type, ElementType::F16);
  EXPECT_EQ(y.shape, (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(y.reads, std::vector<uint32_t>{0});
  EXPECT_TRUE(y.backward && y.sink);
  const program::Record &record = program->entries[0]->records[0];
  EXPECT_EQ(record.kind(), RecordKind::Observe);
  EXPECT_EQ(record.target(), static_cast<uint32_t>(ElementType::F16));
  EXPECT_EQ(record.extent(), 32u);
}

TEST_F(ExportProgramTest, RefusesProbesWithoutOutputOrSource) {
  EXPECT_TRUE(failed(exportText(probeModule(R"(
  exec.observe 0 %x to %r as "x" made_by "input" from [] : memref<4x8xf16>, memref<291xf64>
)"))));
  EXPECT_NE(message.find("expected a number of its own and a row that is an "
                         "output"),
            std::string::npos)
      << message;
  EXPECT_TRUE(failed(exportText(probeModule(R"(
  exec.observe 1 %x to %s as "y" made_by "graph.neg" from [0] : memref<4x8xf16>, memref<291xf64>
)"))));
  EXPECT_NE(message.find("expected to read an observation of the entry, but "
                         "there is no number 0"),
            std::string::npos)
      << message;
}

TEST_F(ExportProgramTest, RefusesConstantsThatAreElsewhere) {
  FailureOr<ProgramT> program =
      exportText("exec.entry @e {\n %c = exec.constant offset = 0 : "
                 "memref<2xf32> = dense_resource<nowhere> : tensor<2xf32>\n}");
  EXPECT_TRUE(failed(program));
  EXPECT_NE(message.find("expected a constant whose elements are written out"),
            std::string::npos)
      << message;
}

/// Of a module that nobody has verified, too.
TEST_F(ExportProgramTest, ReadsNoMoreOfAConstantThanThereIs) {
  module = mlir::parseSourceString<ModuleOp>(
      "exec.entry @e {\n %c = exec.constant offset = 0 : memref<2xf32> = "
      "dense_resource<short> : tensor<2xf32>\n}\n"
      "{-# dialect_resources: { builtin: { short: \"0x040000000000803F\" } } "
      "#-}",
      mlir::ParserConfig(&context, /*verifyAfterParse=*/false));
  ASSERT_TRUE(module) << message;
  EXPECT_TRUE(failed(target::exportProgram(*module, "cpu")));
  EXPECT_NE(message.find("expected 8 bytes for 'tensor<2xf32>', but resource "
                         "'short' has 4"),
            std::string::npos)
      << message;
}

TEST_F(ExportProgramTest, RefusesConstantsThatNoFileCanHold) {
  FailureOr<ProgramT> program = exportText(
      "exec.entry @e {\n"
      " %a = exec.constant offset = 0 : memref<1xf32> = dense<1.0> : "
      "tensor<1xf32>\n"
      " %c = exec.constant offset = 256 : memref<1099511627776xf32> = "
      "dense<1.0> : tensor<1099511627776xf32>\n}");
  EXPECT_TRUE(failed(program));
  EXPECT_NE(message.find("expected constants of at most 2^30 bytes in a "
                         "program file, but this one has 4398046511104 after "
                         "256 of others"),
            std::string::npos)
      << message;
}

TEST_F(ExportProgramTest, EverySymbolIsInEverySection) {
  ProgramT program;
  auto kernel = std::make_unique<KernelT>();
  kernel->symbol = "k_missing";
  program.kernels.push_back(std::move(kernel));
  target::addCode(program, {{"x86-64-v3", {'n', 'o', ' ', 'E', 'L', 'F'}}});
  Location location = mlir::UnknownLoc::get(&context);
  EXPECT_TRUE(failed(target::verifySymbols(program, location)));
  EXPECT_NE(message.find("expected code section 'x86-64-v3' to be a shared "
                         "object"),
            std::string::npos)
      << message;

  // A real object, with another kernel in it.
  auto kernels =
      mlir::parseSourceString<ModuleOp>("func.func @k_other(%a: memref<1xf32>, "
                                        "%lo: index, %hi: index) { return }",
                                        &context);
  auto code = target::compileCpuKernels(*kernels, {});
  ASSERT_TRUE(succeeded(code)) << message;
  program.code.clear();
  target::addCode(program, std::move(*code));
  message.clear();
  EXPECT_TRUE(failed(target::verifySymbols(program, location)));
  EXPECT_NE(message.find("expected kernel 'k_missing' in code section "
                         "'x86-64-v3', but it defines no such symbol"),
            std::string::npos)
      << message;
  program.kernels[0]->symbol = "k_other";
  EXPECT_TRUE(succeeded(target::verifySymbols(program, location)));
}

/// A program of kernels "k_0" and "k_1" whose stages are in PTX for sm_90.
class GpuSymbolsTest : public ExportProgramTest {
protected:
  GpuSymbolsTest() {
    for (const char *name : {"k_0", "k_1"}) {
      program.kernels.push_back(std::make_unique<KernelT>());
      program.kernels.back()->symbol = name;
    }
  }

  static target::CudaKernel kernel(unsigned number,
                                   std::vector<std::string> symbols) {
    emit::GpuKernel launch;
    for (std::string &symbol : symbols)
      launch.stages.push_back({std::move(symbol), 7, 128, 1024});
    launch.workspaceBytes = 64;
    return {number, launch};
  }

  void add(std::vector<target::CudaKernel> kernels, std::string ptx,
           std::vector<uint8_t> cubin = {}) {
    std::vector<target::CudaCode> code;
    code.push_back(
        {"sm_90", std::move(kernels), std::move(cubin), std::move(ptx)});
    target::addCode(program, std::move(code));
  }

  void expectError(const std::string &text) {
    message.clear();
    auto result =
        target::verifySymbols(program, mlir::UnknownLoc::get(&context));
    EXPECT_EQ(succeeded(result), text.empty()) << message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }

  ProgramT program;
};

TEST_F(GpuSymbolsTest, SectionsSayHowToLaunch) {
  add({kernel(0, {"k_0"}), kernel(1, {"k_1", "k_1_1"})},
      ".visible .entry k_0(\n)\n.visible .entry k_1(\n)\n"
      ".visible .entry k_1_1()\n");
  expectError("");
  ASSERT_EQ(program.code.size(), 1u);
  const CodeSectionT &section = *program.code[0];
  EXPECT_EQ(section.target, "sm_90");
  EXPECT_EQ(section.format, CodeFormat::Ptx);
  ASSERT_EQ(section.launches.size(), 2u);
  const KernelLaunchT &launch = *section.launches[1];
  EXPECT_EQ(launch.kernel, 1u);
  EXPECT_EQ(launch.workspace_bytes, 64u);
  ASSERT_EQ(launch.stages.size(), 2u);
  EXPECT_EQ(launch.stages[1]->symbol, "k_1_1");
  EXPECT_EQ(launch.stages[1]->grid, 7u);
  EXPECT_EQ(launch.stages[1]->block, 128u);
  EXPECT_EQ(launch.stages[1]->shared_bytes, 1024u);
}

TEST_F(GpuSymbolsTest, EveryStageIsAnEntry) {
  add({kernel(0, {"k_0"}), kernel(1, {"k_1"})}, ".visible .entry k_0()\n");
  expectError("expected kernel 'k_1' in code section 'sm_90' PTX, but it "
              "defines no such symbol");
}

TEST_F(GpuSymbolsTest, EveryKernelIsHeldOnce) {
  add({kernel(0, {"k_0"})}, ".visible .entry k_0()\n");
  expectError("expected kernel 'k_1' once in the code sections 'sm_90', but "
              "found it 0 times");
  add({kernel(0, {"k_0"}), kernel(1, {"k_1"})},
      ".visible .entry k_0()\n.visible .entry k_1()\n");
  expectError("expected kernel 'k_0' once in the code sections 'sm_90', but "
              "found it 2 times");
}

TEST_F(GpuSymbolsTest, CubinsAreObjects) {
  add({kernel(0, {"k_0"}), kernel(1, {"k_1"})},
      ".visible .entry k_0()\n.visible .entry k_1()\n", {1, 2, 3});
  expectError("expected code section 'sm_90' cubin to be a shared object");
}

} // namespace
