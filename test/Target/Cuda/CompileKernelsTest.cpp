// Compilation as a whole: modules, the cache, threads.
#include "mpc/Target/Cuda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::target;

namespace {

class CompileCudaTest : public testing::Test {
protected:
  void SetUp() override {
    auto found = CudaToolkit::find();
    if (!found) {
      GTEST_SKIP() << llvm::toString(found.takeError());
    } else if (found->ptxas.empty()) {
      GTEST_SKIP() << "no ptxas in " << found->folder;
    } else {
      options.toolkit = *found;
    }
    context.loadDialect<mlir::arith::ArithDialect, mlir::gpu::GPUDialect,
                        mlir::math::MathDialect, mlir::memref::MemRefDialect>();
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("mpc-cuda-test", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  /// `count` kernels k0, k1, ... each with its own constant.
  void makeKernels(unsigned count) {
    std::string text = "gpu.module @kernels {\n";
    for (unsigned i = 0; i < count; ++i) {
      std::string n = std::to_string(i);
      text += "gpu.func @k" + n +
              "(%x: memref<64xf32>) kernel {\n %t = gpu.thread_id x\n"
              " %v = memref.load %x[%t] : memref<64xf32>\n"
              " %c = arith.constant " +
              n +
              ".5 : f32\n"
              " %e = math.exp %v : f32\n %r = arith.mulf %e, %c : f32\n"
              " memref.store %r, %x[%t] : memref<64xf32>\n gpu.return\n}\n";
    }
    module = mlir::parseSourceString<ModuleOp>(text + "}", &context);
    ASSERT_TRUE(module);
  }

  CudaKernels kernelsFor(const std::string &arch) {
    auto gpuModule = *module->getOps<mlir::gpu::GPUModuleOp>().begin();
    CudaKernels set{arch, gpuModule, {}};
    for (auto function : gpuModule.getOps<mlir::gpu::GPUFuncOp>()) {
      emit::GpuKernel launch;
      launch.stages.push_back({function.getName().str()});
      set.kernels.push_back({unsigned(set.kernels.size()), launch});
    }
    return set;
  }

  FailureOr<std::vector<CudaCode>>
  compile(std::vector<std::string> archs,
          CudaStatistics *statistics = nullptr) {
    std::vector<CudaKernels> sets;
    for (const std::string &arch : archs)
      sets.push_back(kernelsFor(arch));
    return compileCudaKernels(sets, options, statistics);
  }

  static void expectSame(const std::vector<CudaCode> &lhs,
                         const std::vector<CudaCode> &rhs) {
    ASSERT_EQ(lhs.size(), rhs.size());
    for (size_t i = 0; i < lhs.size(); ++i) {
      EXPECT_EQ(lhs[i].ptx, rhs[i].ptx);
      EXPECT_EQ(lhs[i].cubin, rhs[i].cubin);
    }
  }

  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
  CudaOptions options;
  llvm::SmallString<128> folder;
};

TEST_F(CompileCudaTest, EightKernelsMakeAModule) {
  makeKernels(19);
  CudaStatistics statistics;
  auto code = compile({"sm_80", "sm_90"}, &statistics);
  ASSERT_TRUE(succeeded(code));
  EXPECT_EQ(statistics.kernelsCompiled, 38u);
  EXPECT_EQ(statistics.modulesAssembled, 6u);
  ASSERT_EQ(code->size(), 6u);
  const std::pair<const char *, unsigned> expected[] = {
      {"sm_80", 8}, {"sm_80", 8}, {"sm_80", 3},
      {"sm_90", 8}, {"sm_90", 8}, {"sm_90", 3}};
  for (size_t i = 0; i < 6; ++i) {
    const CudaCode &part = (*code)[i];
    EXPECT_EQ(part.arch, expected[i].first);
    EXPECT_EQ(part.kernels.size(), expected[i].second);
    EXPECT_FALSE(part.cubin.empty());
    for (const CudaKernel &kernel : part.kernels)
      EXPECT_NE(part.ptx.find(".visible .entry " +
                              kernel.launch.stages[0].symbol + "("),
                std::string::npos);
  }
  EXPECT_EQ((*code)[5].kernels[2].number, 18u);
}

TEST_F(CompileCudaTest, SameBytesOnAnyNumberOfThreadsAndFromTheCache) {
  makeKernels(11);
  options.threads = 1;
  auto serial = compile({"sm_90"});
  options.threads = 4;
  options.cache = ArtifactCache::open(std::string(folder), CacheTrust::Private);
  CudaStatistics cold, warm;
  auto parallel = compile({"sm_90"}, &cold);
  auto cached = compile({"sm_90"}, &warm);
  ASSERT_TRUE(succeeded(serial) && succeeded(parallel) && succeeded(cached));
  expectSame(*serial, *parallel);
  expectSame(*serial, *cached);
  EXPECT_EQ(cold.kernelsCompiled, 11u);
  EXPECT_EQ(cold.kernelsFromCache, 0u);
  EXPECT_EQ(warm.kernelsCompiled, 0u);
  EXPECT_EQ(warm.kernelsFromCache, 11u);
  EXPECT_EQ(warm.modulesAssembled, 0u);
  EXPECT_EQ(warm.modulesFromCache, 2u);
}

TEST_F(CompileCudaTest, ArchitecturesDoNotShareEntriesOfTheCache) {
  makeKernels(1);
  options.cache = ArtifactCache::open(std::string(folder), CacheTrust::Private);
  ASSERT_TRUE(succeeded(compile({"sm_90"})));
  CudaStatistics statistics;
  auto code = compile({"sm_100", "sm_90"}, &statistics);
  ASSERT_TRUE(succeeded(code));
  EXPECT_EQ(statistics.kernelsCompiled, 1u);
  EXPECT_EQ(statistics.kernelsFromCache, 1u);
  EXPECT_NE((*code)[0].ptx.find(".target sm_100"), std::string::npos);
  EXPECT_NE((*code)[1].ptx.find(".target sm_90"), std::string::npos);
}

TEST_F(CompileCudaTest, WithoutPtxasThereIsPtx) {
  makeKernels(1);
  options.toolkit.ptxas.clear();
  CudaStatistics statistics;
  auto code = compile({"sm_90"}, &statistics);
  ASSERT_TRUE(succeeded(code));
  EXPECT_TRUE((*code)[0].cubin.empty());
  EXPECT_FALSE((*code)[0].ptx.empty());
  EXPECT_EQ(statistics.modulesAssembled, 0u);
}

TEST_F(CompileCudaTest, LibdeviceMustBeReadable) {
  makeKernels(1);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message += diagnostic.str();
                                          return success();
                                        });
  std::string damaged = (folder + "/libdevice.bc").str();
  {
    std::error_code failed;
    llvm::raw_fd_ostream file(damaged, failed);
    file << "no bitcode";
  }
  options.toolkit.libdevice = damaged;
  EXPECT_TRUE(failed(compile({"sm_90"})));
  EXPECT_NE(message.find("cannot read " + damaged), std::string::npos)
      << message;
  message.clear();
  options.toolkit.libdevice = "/nowhere/libdevice.bc";
  EXPECT_TRUE(failed(compile({"sm_90"})));
  EXPECT_NE(message.find("cannot read /nowhere/libdevice.bc"),
            std::string::npos)
      << message;
}

TEST_F(CompileCudaTest, StagesMustBeInTheModule) {
  makeKernels(1);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message += diagnostic.str();
                                          return success();
                                        });
  CudaKernels set = kernelsFor("sm_90");
  set.kernels[0].launch.stages[0].symbol = "missing";
  EXPECT_TRUE(failed(compileCudaKernels(set, options)));
  EXPECT_EQ(message, "expected a gpu.func @missing, but the module has none");
}

} // namespace
