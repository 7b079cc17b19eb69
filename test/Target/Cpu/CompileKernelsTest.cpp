// Compilation as a whole: the ABI, the cache, errors.
#include "KernelFixture.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::target;

namespace {

const char *kDouble = R"(
func.func @k(%x: memref<8xf32>, %y: memref<8xf32>, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
  scf.for %i = %lo to %hi step %one {
    %v = memref.load %x[%i] : memref<8xf32>
    %r = arith.addf %v, %v : f32
    memref.store %r, %y[%i] : memref<8xf32>
  }
  return
})";

class CompileKernelsTest : public KernelFixture {
protected:
  void SetUp() override {
    ASSERT_FALSE(
        llvm::sys::fs::createUniqueDirectory("mpc-cache-test", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  CpuOptions cached() {
    CpuOptions options;
    options.cache =
        ArtifactCache::open(std::string(folder), CacheTrust::Private);
    return options;
  }

  llvm::SmallString<128> folder;
};

TEST_F(CompileKernelsTest, KernelTouchesItsRangeOnly) {
  KernelFunction kernel = compile(kDouble);
  ASSERT_NE(kernel, nullptr);
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {};
  void *args[] = {x, y};
  kernel(args, 2, 5);
  const float expected[8] = {0, 0, 6, 8, 10, 0, 0, 0};
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], expected[i]);
}

// Stores that stream are not in order with the one by which a worker says that
// it is done.
TEST_F(CompileKernelsTest, StreamedStoresEndWithAFence) {
  const char *text = R"(
func.func @k(%x: memref<8xf32>, %y: memref<8xf32>, %lo: index, %hi: index) {
  %v = vector.load %x[%lo] : memref<8xf32>, vector<8xf32>
  vector.store %v, %y[%lo] {nontemporal = true, alignment = 32} : memref<8xf32>, vector<8xf32>
  return
})";
  auto hasFence = [&](const char *source) {
    CpuOptions options;
    options.targets = {"x86-64-v3"};
    auto code = compileCpuKernels(*parse(source), options);
    std::string_view bytes(
        reinterpret_cast<const char *>((*code)[0].data.data()),
        (*code)[0].data.size());
    return bytes.find("\x0f\xae\xf8") != bytes.npos; // sfence
  };
  EXPECT_TRUE(hasFence(text));
  EXPECT_FALSE(hasFence(kDouble));
  KernelFunction kernel = compile(text);
  ASSERT_NE(kernel, nullptr);
  alignas(32) float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {};
  void *args[] = {x, y};
  kernel(args, 0, 1);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], x[i]);
}

TEST_F(CompileKernelsTest, SecondCompilationComesFromTheCache) {
  auto module = parse(kDouble);
  CpuStatistics cold, warm;
  auto first = compileCpuKernels(*module, cached(), &cold);
  auto second = compileCpuKernels(*module, cached(), &warm);
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(cold.objectsCompiled, 2u);
  EXPECT_EQ(warm.objectsCompiled, 0u);
  EXPECT_EQ(warm.objectsFromCache, 2u);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ((*first)[i].data, (*second)[i].data);
}

// A kernel that rounds to bf16 takes the instruction for it, and what stands
// beside it is compiled as ever.
TEST_F(CompileKernelsTest, RoundingHasAnInstructionSet) {
  std::string rounds = R"(
func.func @round(%x: memref<16xf32>, %y: memref<16xbf16>, %lo: index, %hi: index) {
  %v = vector.load %x[%lo] : memref<16xf32>, vector<16xf32>
  %r = arith.truncf %v : vector<16xf32> to vector<16xbf16>
  vector.store %r, %y[%lo] : memref<16xbf16>, vector<16xbf16>
  return
})";
  auto plain = compileCpuKernels(*parse(kDouble), cached());
  CpuStatistics statistics;
  auto code = compileCpuKernels(*parse((rounds + kDouble).c_str()), cached(),
                                &statistics);
  ASSERT_TRUE(succeeded(code) && succeeded(plain));
  EXPECT_EQ(statistics.objectsCompiled, 2u);
  EXPECT_EQ(statistics.objectsFromCache, 2u);
  EXPECT_EQ((*plain)[1].target, kV4);
  EXPECT_EQ((*code)[1].target, kV4WithBFloat);
  // VCVTNEPS2BF16 of 512 bits: EVEX.512.F3.0F38.W0 72, behind the register
  // bits.
  auto hasInstruction = [](const CpuCode &each) {
    for (size_t i = 5; i < each.data.size(); ++i)
      if (each.data[i - 4] == 0x62 && (each.data[i - 3] & 0x0f) == 0x02 &&
          each.data[i - 2] == 0x7e && (each.data[i - 1] & 0x60) == 0x40 &&
          each.data[i] == 0x72)
        return true;
    return false;
  };
  EXPECT_FALSE(hasInstruction((*code)[0]));
  EXPECT_TRUE(hasInstruction((*code)[1]));
}

TEST_F(CompileKernelsTest, DamagedCacheEntryIsCompiledAgain) {
  auto module = parse(kDouble);
  auto first = compileCpuKernels(*module, cached());
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(folder, code), end;
       it != end && !code; it.increment(code)) {
    llvm::raw_fd_ostream file(it->path(), code, llvm::sys::fs::CD_OpenExisting);
    file << "damaged";
  }
  CpuStatistics again;
  auto second = compileCpuKernels(*module, cached(), &again);
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(again.objectsCompiled, 2u);
  EXPECT_EQ((*first)[0].data, (*second)[0].data);
}

TEST_F(CompileKernelsTest, UnwritableCacheIsNoError) {
  CpuOptions options;
  options.cache =
      ArtifactCache::open("/proc/no-such-folder", CacheTrust::Private);
  auto module = parse(kDouble);
  EXPECT_TRUE(succeeded(compileCpuKernels(*module, options)));
}

TEST_F(CompileKernelsTest, CallsOutAreRefused) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message += diagnostic.str();
                                          return success();
                                        });
  // No instruction and no polynomial for this one: LLVM would call libm.
  auto module = parse(R"(
func.func @k(%x: memref<f32>, %lo: index, %hi: index) {
  %v = memref.load %x[] : memref<f32>
  %p = arith.constant 3.0 : f32
  %r = arith.remf %v, %p : f32
  memref.store %r, %x[] : memref<f32>
  return
})");
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(compileCpuKernels(*module, CpuOptions())));
  EXPECT_NE(message.find("kernel 'k': kernel calls 'fmodf'"), std::string::npos)
      << message;
}

TEST_F(CompileKernelsTest, MissingLinkerIsNamed) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message += diagnostic.str();
                                          return success();
                                        });
  CpuOptions options;
  options.linker = "/no/such/ld.lld";
  auto module = parse(kDouble);
  EXPECT_TRUE(failed(compileCpuKernels(*module, options)));
  EXPECT_NE(message.find("cannot run '/no/such/ld.lld'"), std::string::npos)
      << message;
}

} // namespace
