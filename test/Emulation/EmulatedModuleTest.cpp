// gpu.func on the CPU: what each op becomes, and what is found in a kernel that
// lacks a barrier.
#include "Emulation/EmulatedModule.h"
#include "Emulation/MemoryChecker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace mpc;
using namespace mpc::emulation;

namespace {
class EmulatedModule : public ::testing::Test {
protected:
  EmulatedModule() {
    context.loadDialect<mlir::gpu::GPUDialect, mlir::arith::ArithDialect,
                        mlir::math::MathDialect, mlir::memref::MemRefDialect,
                        mlir::nvgpu::NVGPUDialect, mlir::scf::SCFDialect,
                        mlir::vector::VectorDialect>();
  }
  /// The kernel's module, its barriers but for number `without`.
  mlir::OwningOpRef<ModuleOp> parse(const std::string &functions,
                                    int without = -1) {
    auto module = mlir::parseSourceString<ModuleOp>(
        "gpu.module @kernels {\n" + functions + "}", &context);
    int number = 0;
    module->walk([&](mlir::gpu::BarrierOp barrier) {
      if (number++ == without)
        barrier.erase();
    });
    return module;
  }
  std::unique_ptr<EmulatedCode> compile(ModuleOp module,
                                        bool checksMemory = true) {
    CompileOptions options;
    options.checksMemory = checksMemory;
    auto object = compileKernels(
        *module.getOps<mlir::gpu::GPUModuleOp>().begin(), options);
    std::string failure = "not compiled";
    auto code =
        succeeded(object) ? EmulatedCode::load(*object, failure) : nullptr;
    EXPECT_TRUE(code) << failure;
    return code;
  }

  MLIRContext context;
};

// One block per row: y = x / sum(x), in which the warps' sums meet in shared
// memory, twice, so that its two barriers order reads before writes too.
const char *const kNormalize = R"(
gpu.func @normalize(%x: memref<5x256xf32>, %y: memref<5x256xbf16>)
    workgroup(%parts: memref<8xf32, #gpu.address_space<workgroup>>)
    kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
  %row = gpu.block_id x
  %thread = gpu.thread_id x
  %lane = gpu.lane_id
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %warp = arith.divui %thread, %c32 : index
  %own = memref.load %x[%row, %thread] : memref<5x256xf32>
  %value = scf.for %round = %c0 to %c2 step %c1 iter_args(%v = %own) -> f32 {
    %sum = gpu.subgroup_reduce add %v : (f32) -> f32
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      memref.store %sum, %parts[%warp] : memref<8xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %all = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
      %part = memref.load %parts[%i] : memref<8xf32, #gpu.address_space<workgroup>>
      %next = arith.addf %s, %part : f32
      scf.yield %next : f32
    }
    gpu.barrier
    %quotient = arith.divf %v, %all : f32
    scf.yield %quotient : f32
  }
  %narrow = arith.truncf %value : f32 to bf16
  memref.store %narrow, %y[%row, %thread] : memref<5x256xbf16>
  gpu.return
}
)";

struct Normalization {
  std::vector<float> x = std::vector<float>(5 * 256, 0.5f);
  std::vector<uint16_t> y = std::vector<uint16_t>(5 * 256, 0);
  MemoryChecker checker;

  std::string run(const EmulatedCode &code, bool checksMemory,
                  uint64_t seed = 1) {
    if (checksMemory) {
      checker.addBuffer("x", x.data(), x.size() * 4,
                        MemoryChecker::Content::ReadOnly);
      checker.addBuffer("y", y.data(), y.size() * 2,
                        MemoryChecker::Content::Unwritten);
    }
    void *args[] = {x.data(), y.data()};
    return code.run("normalize",
                    {.grid = {5},
                     .block = {256},
                     .seed = seed,
                     .checker = checksMemory ? &checker : nullptr},
                    args);
  }
  /// 1/256 everywhere: exact in bf16.
  bool isRight() const { return y == std::vector<uint16_t>(5 * 256, 0x3b80); }
};
} // namespace

TEST_F(EmulatedModule, kernelsOfBlocksThatCooperateRun) {
  auto code = compile(*parse(kNormalize));
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Normalization call;
    EXPECT_EQ(call.run(*code, true, seed), "");
    EXPECT_TRUE(call.isRight());
  }
}

TEST_F(EmulatedModule, anErasedBarrierIsARace) {
  for (int without : {0, 1}) {
    Normalization call;
    std::string failure = call.run(*compile(*parse(kNormalize, without)), true);
    EXPECT_NE(failure.find(": shared memory, byte "), std::string::npos)
        << failure;
  }
}

// Without looking at the accesses, numbers tell.
TEST_F(EmulatedModule, anErasedBarrierGivesWrongNumbers) {
  for (int without : {0, 1}) {
    Normalization call;
    auto code = compile(*parse(kNormalize, without), false);
    EXPECT_EQ(call.run(*code, false), "");
    EXPECT_FALSE(call.isRight());
  }
}

// Each thread moves four elements and hands the last of them to its neighbour;
// dynamic shared memory, 64-bit shuffles, masks and gathers.
TEST_F(EmulatedModule, opsBecomeWhatTheyAre) {
  auto code = compile(*parse(R"(
gpu.func @move(%x: memref<126xi32>, %y: memref<126xi32>, %z: memref<64xf64>, %n: memref<3xindex>) kernel {
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %blocks = gpu.grid_dim x
  %threads = gpu.block_dim x
  %other = gpu.thread_id y
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c126 = arith.constant 126 : index
  memref.store %blocks, %n[%c0] : memref<3xindex>
  memref.store %threads, %n[%c1] : memref<3xindex>
  memref.store %other, %n[%c2] : memref<3xindex>
  %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %shared = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128xi32, #gpu.address_space<workgroup>>
  %at = arith.muli %thread, %c4 : index
  %left = arith.subi %c126, %at : index
  %mask = vector.create_mask %left : vector<4xi1>
  %none = arith.constant dense<-1> : vector<4xi32>
  %v = vector.maskedload %x[%at], %mask, %none : memref<126xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  vector.store %v, %shared[%at] : memref<128xi32, #gpu.address_space<workgroup>>, vector<4xi32>
  gpu.barrier
  %back = arith.constant dense<[3, 2, 1, 0]> : vector<4xindex>
  %all = arith.constant dense<true> : vector<4xi1>
  %r = vector.gather %shared[%at][%back], %all, %none : memref<128xi32, #gpu.address_space<workgroup>>, vector<4xindex>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  vector.maskedstore %y[%at], %mask, %r : memref<126xi32>, vector<4xi1>, vector<4xi32>
  %i = arith.index_cast %thread : index to i64
  %f = arith.sitofp %i : i64 to f64
  %o1 = arith.constant 1 : i32
  %w = arith.constant 32 : i32
  %up, %valid = gpu.shuffle up %f, %o1, %w : f64
  %flag = arith.uitofp %valid : i1 to f64
  %down, %ignored = gpu.shuffle down %f, %o1, %w : f64
  %z0 = arith.muli %thread, %c2 : index
  %z1 = arith.addi %z0, %c1 : index
  %both = arith.addf %up, %down : f64
  memref.store %both, %z[%z0] : memref<64xf64>
  memref.store %flag, %z[%z1] : memref<64xf64>
  gpu.return
})"));
  std::vector<int32_t> x(126), y(126);
  std::iota(x.begin(), x.end(), 0);
  std::vector<double> z(64);
  std::vector<int64_t> n(3);
  void *args[] = {x.data(), y.data(), z.data(), n.data()};
  EXPECT_EQ(code->run("move", {.block = {32}, .sharedBytes = 512}, args), "");
  for (int32_t i = 0; i < 126; ++i)
    EXPECT_EQ(y[i], i < 124 ? i / 4 * 4 + 3 - i % 4 : -1);
  EXPECT_EQ(n, (std::vector<int64_t>{1, 32, 0}));
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(z[2 * i], (i ? i - 1 : 0) + (i < 31 ? i + 1 : 31));
    EXPECT_EQ(z[2 * i + 1], i > 0);
  }
}

// As late as a GPU may: when the thread waits for them.
TEST_F(EmulatedModule, copiesAreThereWhenTheyAreWaitedFor) {
  const std::string before = R"(
gpu.func @copy(%x: memref<64xf32>, %y: memref<64xf32>)
    workgroup(%shared: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
  %thread = gpu.thread_id x
  %c2 = arith.constant 2 : index
  %at = arith.muli %thread, %c2 : index
  %0 = nvgpu.device_async_copy %x[%at], %shared[%at], 2 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
  %1 = nvgpu.device_async_create_group %0
)";
  const std::string after = R"(
  %v = vector.load %shared[%at] : memref<64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
  vector.store %v, %y[%at] : memref<64xf32>, vector<2xf32>
  gpu.return
})";
  std::vector<float> x(64), y(64);
  std::iota(x.begin(), x.end(), 0.0f);
  MemoryChecker checker;
  checker.addBuffer("x", x.data(), 256, MemoryChecker::Content::ReadOnly);
  checker.addBuffer("y", y.data(), 256, MemoryChecker::Content::Unwritten);
  void *args[] = {x.data(), y.data()};
  Launch launch{.block = {32}, .checker = &checker};
  auto code = compile(*parse(before + "nvgpu.device_async_wait %1\n" + after));
  EXPECT_EQ(code->run("copy", launch, args), "");
  EXPECT_EQ(x, y);
  std::string failure =
      compile(*parse(before + after))->run("copy", launch, args);
  EXPECT_NE(failure.find("never written"), std::string::npos) << failure;
}

TEST_F(EmulatedModule, namesOfKernelsAreKnown) {
  auto code = compile(*parse(kNormalize));
  EXPECT_TRUE(code->hasKernel("normalize"));
  EXPECT_FALSE(code->hasKernel("other"));
  EXPECT_EQ(code->run("other", {}, nullptr), "no kernel is named 'other'");
}

TEST_F(EmulatedModule, damagedCodeIsRefused) {
  std::string failure;
  EXPECT_EQ(EmulatedCode::load(std::vector<uint8_t>(100), failure), nullptr);
  EXPECT_NE(failure, "");
}

TEST_F(EmulatedModule, whatIsNotEmulatedIsAnError) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &d) { message = d.str(); });
  auto expect = [&](const std::string &body, const std::string &expected) {
    auto module =
        parse("gpu.func @k(%x: memref<32xf16>, %y: memref<32xi32>) kernel {\n"
              "%c = arith.constant 0 : index\n"
              "%w = arith.constant 16 : i32\n" +
              body + "gpu.return\n}");
    ASSERT_TRUE(module);
    EXPECT_TRUE(failed(
        compileKernels(*module->getOps<mlir::gpu::GPUModuleOp>().begin(), {})));
    EXPECT_EQ(message, expected);
  };
  expect("%0 = gpu.cluster_id x\n"
         "%i = arith.index_cast %0 : index to i32\n"
         "memref.store %i, %y[%c] : memref<32xi32>\n",
         "cannot be emulated");
  expect("%v = memref.load %x[%c] : memref<32xf16>\n"
         "%r, %p = gpu.shuffle xor %v, %w, %w : f16\n"
         "memref.store %r, %x[%c] : memref<32xf16>\n",
         "expected a shuffle of f32, f64 or an integer, but got 'f16'");
  expect("%r, %p = gpu.shuffle xor %w, %w, %w : i32\n"
         "memref.store %r, %y[%c] : memref<32xi32>\n",
         "expected a shuffle of 32 lanes");
  expect("%0 = nvgpu.device_async_create_group\n"
         "nvgpu.device_async_wait %0 {numGroups = 1 : i32}\n",
         "expected to wait for all copies");
  expect("%v = arith.constant 0.0 : f16\n"
         "%r = memref.atomic_rmw addf %v, %x[%c] : (f16, memref<32xf16>) -> "
         "f16\n",
         "has accesses to memory that cannot be checked");
}
