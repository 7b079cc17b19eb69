#include "mpc/Interfaces/Target.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;

namespace {
// oneDNN has no products of f16 on processors without AVX512-FP16, and of bf16
// emulates what a processor lacks.
constexpr DType kCpuProducts[] = {DType::F64, DType::F32, DType::BF16};
constexpr DType kCudaProducts[] = {DType::F64, DType::F32, DType::BF16,
                                   DType::F16};
constexpr DType kConvolutions[] = {DType::F64, DType::F32, DType::BF16,
                                   DType::F16};
constexpr DType kCudaBiasedConvolutions[] = {DType::BF16, DType::F16};
// Kernels of our own.
constexpr DType kAttention[] = {DType::F32, DType::BF16, DType::F16};
// Post-operations of oneDNN. Its sum is none that we take: a part of the
// contracted dim after the other is added to what is there, so that of products
// that are small against it nothing may be left.
constexpr Epilogue kCpuEpilogues[] = {Epilogue::Bias,    Epilogue::Relu,
                                      Epilogue::GeluErf, Epilogue::GeluTanh,
                                      Epilogue::Tanh,    Epilogue::Sigmoid};
// Epilogues of cuBLASLt: its GELU is the tanh form. Its relu makes 0 of NaN
// (cuBLASLt 13.1, operands of 16 bits), so that nothing would see an overflow.
// Its bias is only defined for products up to f32. The addend is its C. Its
// sums for gradients of biases are slower than kernels of ours
// (docs/benchmarks/cuda-step.md).
constexpr Epilogue kCudaEpilogues[] = {Epilogue::Bias, Epilogue::Addend,
                                       Epilogue::GeluTanh,
                                       Epilogue::GeluTanhBackward};
constexpr Epilogue kCudaStored[] = {Epilogue::GeluTanh};
} // namespace

ArrayRef<TargetDescription> mpc::allTargets() {
  static const TargetDescription targets[] = {
      {.name = "cpu",
       .productTypes = kCpuProducts,
       .convolutionTypes = kConvolutions,
       .reordersWeights = true,
       .hasWideConvolutions = true,
       .biasedConvolutionTypes = kConvolutions,
       .mixesBiasedTypes = true,
       .attentionTypes = kAttention,
       .maxAttentionWidth = int64_t(1) << 24,
       .epilogues = kCpuEpilogues,
       .storesInputOf = {},
       .auxMultiple = 1,
       .f64Epilogues = true,
       .mayLackEpilogues = false,
       .wantedParts = 64,
       .maxRowsPerPart = 32,
       .hasMultiTensorKernels = false,
       .walksBatchDims = true,
       // oneDNN 2.6 on Zen 5: a step of
       // attention takes 4 to 8 % more.
       .readsBf16InPlace = false,
       .operandAlignment = 1},
      {.name = "cuda",
       .productTypes = kCudaProducts,
       .convolutionTypes = kConvolutions,
       .reordersWeights = false,
       // cuDNN 9.19 has a forward of many channels alone.
       .hasWideConvolutions = false,
       // Of f32 a kernel rounds no more, and has what follows with it.
       .biasedConvolutionTypes = kCudaBiasedConvolutions,
       // A bias of f32 beside 16 bits: not depthwise, nor channels first.
       .mixesBiasedTypes = false,
       .attentionTypes = kAttention,
       .maxAttentionWidth = 128,
       .epilogues = kCudaEpilogues,
       .storesInputOf = kCudaStored,
       .auxMultiple = 8,
       .f64Epilogues = false,
       .mayLackEpilogues = true,
       // Two blocks for each of the 132 multiprocessors of an H100, which have
       // room for no more where the blocks keep three columns in registers.
       .wantedParts = 264,
       .maxRowsPerPart = 128,
       .hasMultiTensorKernels = true,
       .walksBatchDims = false,
       .readsBf16InPlace = true,
       .operandAlignment = 256}};
  return targets;
}

const TargetDescription *mpc::findTarget(StringRef name) {
  for (const TargetDescription &target : allTargets())
    if (target.name == name)
      return &target;
  return nullptr;
}

std::string mpc::targetNames() {
  return llvm::join(llvm::map_range(allTargets(),
                                    [](const TargetDescription &target) {
                                      return target.name;
                                    }),
                    ", ");
}
