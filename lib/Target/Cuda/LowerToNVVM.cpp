// GPU kernels -> NVVM dialect.
#include "Lowering.h"
#include "mpc/Emit/KernelAttrs.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mpc;
using namespace mpc::target;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace LLVM = mlir::LLVM;
namespace math = mlir::math;

/// Lanes of a warp, the same on every GPU of NVIDIA.
static constexpr unsigned kWarp = 32;

namespace {

/// The number of the warp in its block; blocks have one dimension.
struct SubgroupIdPattern final : mlir::OpRewritePattern<gpu::SubgroupIdOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::SubgroupIdOp op,
                                PatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    Value warp = arith::ConstantIndexOp::create(b, kWarp);
    rewriter.replaceOpWithNewOp<arith::DivUIOp>(op, thread, warp);
    return success();
  }
};

/// 1 / sqrt, each correctly rounded, as on the CPU; libdevice's is an
/// approximation.
struct RsqrtPattern final : mlir::OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    mlir::TypedAttr one =
        b.getFloatAttr(mlir::getElementTypeOrSelf(op.getType()), 1.0);
    if (auto vector = dyn_cast<mlir::VectorType>(op.getType()))
      one = mlir::DenseElementsAttr::get(vector, static_cast<Attribute>(one));
    Value root = math::SqrtOp::create(b, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(
        op, arith::ConstantOp::create(b, one), root);
    return success();
  }
};

/// LLVM's square root is correctly rounded on NVPTX.
struct SqrtPattern final : mlir::ConvertOpToLLVMPattern<math::SqrtOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::SqrtOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::SqrtOp>(op, adaptor.getOperand());
    return success();
  }
};

} // namespace

/// What has a simpler form in the same dialects: warps, reductions over them,
/// vectors of more than one dimension.
static LogicalResult expand(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  patterns.add<SubgroupIdPattern, RsqrtPattern>(patterns.getContext());
  populateLanePatterns(patterns);
  mlir::populateGpuRewritePatterns(patterns);
  mlir::populateGpuBreakDownSubgroupReducePatterns(patterns);
  mlir::populateGpuLowerSubgroupReduceToShufflePatterns(patterns, kWarp);
  mlir::populateGpuLowerClusteredSubgroupReduceToShufflePatterns(patterns,
                                                                 kWarp);
  mlir::vector::populateVectorBroadcastLoweringPatterns(patterns);
  mlir::vector::populateVectorMultiReductionLoweringPatterns(
      patterns, mlir::vector::VectorMultiReductionLowering::InnerReduction);
  mlir::vector::populateVectorShapeCastLoweringPatterns(patterns);
  mlir::vector::populateVectorTransposeLoweringPatterns(
      patterns, mlir::vector::VectorTransposeLowering::Shuffle1D);
  mlir::vector::populateVectorTransferLoweringPatterns(patterns);
  mlir::vector::populateVectorStepLoweringPatterns(patterns);
  mlir::vector::populateVectorRankReducingFMAPattern(patterns);
  return mlir::applyPatternsGreedily(module, std::move(patterns));
}

/// How loops are to be compiled: the lowering to branches hands it on.
static constexpr StringRef kLoopAnnotation = "llvm.loop_annotation";

/// ptxas writes out what has few rounds, if PTX does not say ".pragma
/// nounroll".
static void keepRolled(gpu::GPUModuleOp module) {
  Builder b(module.getContext());
  auto unroll = LLVM::LoopUnrollAttr::get(b.getContext(), b.getBoolAttr(true),
                                          {}, {}, {}, {}, {}, {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {}, unroll, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {}, {});
  module.walk([&](mlir::scf::ForOp loop) {
    if (loop->removeDiscardableAttr(emit::kRolled))
      loop->setAttr(kLoopAnnotation, annotation);
  });
}

/// Makes what a loop said of itself, which its branch has been handed, what
/// LLVM is told of the branch.
static void annotateBranches(gpu::GPUModuleOp module) {
  module.walk([](LLVM::BrOp branch) {
    if (Attribute said = branch->removeDiscardableAttr(kLoopAnnotation))
      branch.setLoopAnnotationAttr(cast<LLVM::LoopAnnotationAttr>(said));
  });
}

/// Loops to branches, addresses to arithmetic.
static void addFlattening(mlir::OpPassManager &passes) {
  passes.addPass(mlir::createConvertVectorToSCFPass());
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(mlir::memref::createExpandStridedMetadataPass());
  passes.addPass(mlir::createLowerAffinePass());
}

static void addTidying(mlir::OpPassManager &passes) {
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  passes.addPass(mlir::createCSEPass());
}

static LogicalResult run(gpu::GPUModuleOp module,
                         void (*addPasses)(mlir::OpPassManager &)) {
  mlir::PassManager passes(module.getContext(),
                           gpu::GPUModuleOp::getOperationName());
  passes.enableVerifier(false);
  addPasses(passes);
  return passes.run(module);
}

static LogicalResult convert(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  mlir::LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  mlir::LLVMTypeConverter converter(context, options);
  mlir::configureGpuToNVVMTypeConverter(converter);

  // Copies are waited for by their order.
  converter.addConversion([](mlir::nvgpu::DeviceAsyncTokenType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });

  RewritePatternSet patterns(context);
  mlir::populateNVGPUToNVVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  mlir::cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  mlir::index::populateIndexToLLVMConversionPatterns(converter, patterns);
  mlir::ub::populateUBToLLVMConversionPatterns(converter, patterns);
  mlir::populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  mlir::populateVectorToLLVMConversionPatterns(converter, patterns);
  mlir::populateGpuToNVVMConversionPatterns(converter, patterns);
  mlir::populateMathToLLVMConversionPatterns(converter, patterns,
                                             /*approximateLog1p=*/false);
  mlir::populateLibDeviceConversionPatterns(converter, patterns, 2);
  patterns.add<SqrtPattern>(converter, /*benefit=*/3);
  populateApproximations(converter, patterns);
  populateF8Patterns(converter, patterns);

  mlir::ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp, mlir::UnrealizedConversionCastOp>();
  // What libdevice has a function for.
  target.addIllegalOp<LLVM::CosOp, LLVM::ExpOp, LLVM::Exp2Op, LLVM::LogOp,
                      LLVM::Log10Op, LLVM::Log2Op, LLVM::PowOp, LLVM::SinOp,
                      LLVM::TanOp, LLVM::TanhOp>();
  SmallVector<Operation *> kernels;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>())
    kernels.push_back(kernel);
  return mlir::applyFullConversion(kernels, target, std::move(patterns));
}

/// Dynamic shared memory begins behind all static arrays only if it is declared
/// `.extern`. MLIR makes it an internal array of no elements, which ptxas lays
/// like a variable of one byte: among the arrays, so that they lie in it.
static void declareDynamicShared(gpu::GPUModuleOp module) {
  module.walk([](LLVM::GlobalOp global) {
    auto array = dyn_cast<LLVM::LLVMArrayType>(global.getType());
    if (array && array.getNumElements() == 0)
      global.setLinkage(LLVM::Linkage::External);
  });
}

void mpc::target::prepareForNVVM(MLIRContext &context) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  registry.insert<arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  gpu::GPUDialect, LLVM::LLVMDialect, math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::nvgpu::NVGPUDialect,
                  mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
  mlir::OpPassManager passes;
  addFlattening(passes);
  addTidying(passes);
  passes.getDependentDialects(registry);
  context.appendDialectRegistry(registry);
  for (StringRef dialect : registry.getDialectNames())
    context.getOrLoadDialect(dialect);
}

LogicalResult mpc::target::lowerToNVVM(gpu::GPUModuleOp module,
                                       const GpuDescription &gpu) {
  keepRolled(module);
  if (failed(checkF8(module, gpu)) || failed(expand(module)) ||
      failed(run(module, addFlattening)) || failed(convert(module)) ||
      failed(run(module, addTidying)))
    return failure();
  annotateBranches(module);
  declareDynamicShared(module);
  return success();
}
