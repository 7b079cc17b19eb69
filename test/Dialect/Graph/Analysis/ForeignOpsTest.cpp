// Ops of a dialect that mpc does not know: the interface alone lets autocast
// treat them. Also reaches what no graph op has: PyTorch's fp32_append_dtype,
// and operands of different float types in one op.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {

template <AutocastPolicy policy, TorchPolicy torch, TensorFlowPolicy place>
struct Words {
  template <typename Op>
  using Policy =
      typename mpc::OpTrait::HasAutocastPolicy<policy>::template Impl<Op>;
  template <typename Op>
  using Lists =
      typename mpc::OpTrait::HasAutocastLists<torch, torch, torch, place,
                                              place>::template Impl<Op>;
};

/// foreign.norm: DenyIO, fp32_append_dtype, with a `dtype` attribute.
using NormWords = Words<AutocastPolicy::DenyIO, TorchPolicy::Fp32AppendDtype,
                        TensorFlowPolicy::Deny>;
class NormOp : public mlir::Op<NormOp, mlir::OpTrait::OneResult,
                               mlir::OpTrait::OneOperand, NormWords::Policy,
                               NormWords::Lists, AutocastOpInterface::Trait,
                               mlir::InferTypeOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NormOp)
  using Op::Op;
  static StringRef getOperationName() { return "foreign.norm"; }
  static ArrayRef<StringRef> getAttributeNames() {
    static const StringRef names[] = {"dtype"};
    return names;
  }
  static LogicalResult
  inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                   DictionaryAttr attributes, mlir::OpaqueProperties,
                   mlir::RegionRange, SmallVectorImpl<Type> &types) {
    Type element = mlir::getElementTypeOrSelf(operands[0]);
    if (auto dtype = attributes.getAs<mlir::TypeAttr>("dtype"))
      element = dtype.getValue();
    types.push_back(RankedTensorType::get({}, element));
    return success();
  }
};

/// foreign.blend: Infer, fallthrough, operands of any float types, no type
/// inference.
using BlendWords = Words<AutocastPolicy::Infer, TorchPolicy::Fallthrough,
                         TensorFlowPolicy::Infer>;
class BlendOp
    : public mlir::Op<BlendOp, mlir::OpTrait::OneResult,
                      mlir::OpTrait::VariadicOperands, BlendWords::Policy,
                      BlendWords::Lists, AutocastOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BlendOp)
  using Op::Op;
  static StringRef getOperationName() { return "foreign.blend"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

class ForeignDialect : public mlir::Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForeignDialect)
  explicit ForeignDialect(MLIRContext *context)
      : Dialect("foreign", context, mlir::TypeID::get<ForeignDialect>()) {
    addOperations<NormOp, BlendOp>();
  }
  static StringRef getDialectNamespace() { return "foreign"; }
};

struct ForeignOps : testing::Test {
  ForeignOps() {
    context
        .loadDialect<mlir::func::FuncDialect, GraphDialect, ForeignDialect>();
  }

  /// The decision of `mode` for the only op called `name` in `source`.
  OpDecision decide(const char *source, StringRef name, PrecisionMode mode) {
    module = mlir::parseSourceString<ModuleOp>(source, &context);
    PrecisionOptions options;
    options.mode = mode;
    options.lowp = mlir::Float16Type::get(&context);
    OpDecision decision;
    for (auto func : module->getOps<mlir::func::FuncOp>()) {
      auto analysis = PrecisionAnalysis::compute(func, options);
      EXPECT_TRUE(succeeded(analysis));
      for (Operation &op : func.getBody().front())
        if (op.getName().getStringRef() == name)
          decision = analysis->lookup(&op);
    }
    return decision;
  }

  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
};

constexpr const char *kNorm = R"(
func.func @model(%x: tensor<8x8xf32>) -> tensor<f32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "foreign.norm"(%0) : (tensor<8x8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
})";

// The operand stays f16, the result is f32 through the dtype.
TEST_F(ForeignOps, AppendDtype) {
  OpDecision norm = decide(kNorm, "foreign.norm", PrecisionMode::Torch);
  EXPECT_EQ(norm.word, "fp32_append_dtype");
  EXPECT_TRUE(norm.operandTypes[0].isF16());
  EXPECT_TRUE(norm.dtype && norm.dtype.isF32());
  EXPECT_TRUE(mlir::getElementTypeOrSelf(norm.resultTypes[0]).isF32());
  EXPECT_EQ(norm.reason, "fp32_append_dtype: norm returns f32 from f16");
}

// In mode tf the op stands in the list that it says.
TEST_F(ForeignOps, TensorFlowList) {
  OpDecision norm = decide(R"(
func.func @model(%x: tensor<8x8xf32>) -> (tensor<f32>, tensor<8x8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "foreign.norm"(%0) : (tensor<8x8xf32>) -> tensor<f32>
  %2 = graph.reshape %1 : (tensor<f32>) -> tensor<f32>
  %3 = graph.reshape %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2, %3 : tensor<f32>, tensor<8x8xf32>
})",
                           "foreign.norm", PrecisionMode::TensorFlow);
  EXPECT_EQ(norm.word, "deny");
  EXPECT_TRUE(norm.operandTypes[0].isF32());
}

// An op that already has its dtype is left alone.
TEST_F(ForeignOps, AppendDtypeKeepsTheUsers) {
  OpDecision norm = decide(R"(
func.func @model(%x: tensor<8x8xf32>) -> tensor<f16> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "foreign.norm"(%0) {dtype = f16} : (tensor<8x8xf32>) -> tensor<f16>
  return %1 : tensor<f16>
})",
                           "foreign.norm", PrecisionMode::Torch);
  EXPECT_FALSE(norm.dtype);
  EXPECT_TRUE(mlir::getElementTypeOrSelf(norm.resultTypes[0]).isF16());
}

// A DenyIO op with a dtype changes width inside in mode cheapest too.
TEST_F(ForeignOps, WidthInside) {
  OpDecision norm = decide(kNorm, "foreign.norm", PrecisionMode::Cheapest);
  EXPECT_TRUE(norm.type.isF16());
  EXPECT_TRUE(norm.dtype && norm.dtype.isF32());
}

constexpr const char *kBlend = R"(
func.func @model(%x: tensor<8xf32>) -> tensor<8xbf16> {
  %0 = graph.cast %x : (tensor<8xf32>) -> tensor<8xf16>
  %1 = graph.cast %x : (tensor<8xf32>) -> tensor<8xbf16>
  %2 = "foreign.blend"(%1, %0) : (tensor<8xbf16>, tensor<8xf16>) -> tensor<8xbf16>
  return %2 : tensor<8xbf16>
})";

// bf16 and f16 meet in f32, in both modes.
TEST_F(ForeignOps, TwoTypesMeetInF32) {
  for (PrecisionMode mode : {PrecisionMode::Cheapest, PrecisionMode::Torch}) {
    OpDecision blend = decide(kBlend, "foreign.blend", mode);
    EXPECT_TRUE(blend.operandTypes[0].isF32());
    EXPECT_TRUE(blend.operandTypes[1].isF32());
    EXPECT_TRUE(mlir::getElementTypeOrSelf(blend.resultTypes[0]).isF32());
  }
  EXPECT_EQ(decide(kBlend, "foreign.blend", PrecisionMode::Cheapest).reason,
            "mixed: blend meets two 16-bit types in f32");
}

// f64 next to other floats is not touched, nor are they.
TEST_F(ForeignOps, DoubleIsLeftAlone) {
  for (PrecisionMode mode : {PrecisionMode::Cheapest, PrecisionMode::Torch}) {
    OpDecision blend = decide(R"(
func.func @model(%x: tensor<8xf64>, %y: tensor<8xf32>) -> tensor<8xf64> {
  %0 = "foreign.blend"(%x, %y) : (tensor<8xf64>, tensor<8xf32>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
})",
                              "foreign.blend", mode);
    EXPECT_FALSE(blend.type);
    EXPECT_TRUE(mlir::getElementTypeOrSelf(blend.resultTypes[0]).isF64());
  }
}

// The gate finds operands of two types, which graph ops themselves refuse.
TEST_F(ForeignOps, GateRefusesMixedOperands) {
  module = mlir::parseSourceString<ModuleOp>(kBlend, &context);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message += diagnostic.str();
                                          return success();
                                        });
  mlir::PassManager pm(&context);
  pm.addPass(createVerifyAutocast());
  EXPECT_TRUE(failed(pm.run(*module)));
  EXPECT_NE(message.find("expected float operands of one type, but got 'bf16' "
                         "and 'f16' at operand #1"),
            std::string::npos)
      << message;
}

} // namespace
