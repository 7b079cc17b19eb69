#include "ProgramTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Support/Assert.h"
#include "mpc/Support/DType.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mpc;
using namespace mpc::target;

static program::ElementType toElementType(DType type) {
  switch (type) {
  case DType::F64:
    return program::ElementType::F64;
  case DType::F32:
    return program::ElementType::F32;
  case DType::F16:
    return program::ElementType::F16;
  case DType::BF16:
    return program::ElementType::BF16;
  case DType::I64:
    return program::ElementType::I64;
  case DType::I32:
    return program::ElementType::I32;
  case DType::I1:
    return program::ElementType::I1;
  case DType::F8E4M3:
    return program::ElementType::F8E4M3;
  case DType::F8E5M2:
    return program::ElementType::F8E5M2;
  }
  llvm_unreachable("not a word of the enum");
}

program::ElementType target::elementTypeOf(Type buffer) {
  std::string name;
  llvm::raw_string_ostream(name) << mlir::getElementTypeOrSelf(buffer);
  std::optional<DType> type = parseDType(name);
  MPC_ASSERT(type, "buffers have known element types");
  return toElementType(*type);
}

std::vector<int64_t> target::shapeOf(Type buffer) {
  return cast<mlir::MemRefType>(buffer).getShape().vec();
}

#define MPC_SAME_ROLE(word)                                                    \
  static_assert(static_cast<uint32_t>(graph::Role::word) ==                    \
                static_cast<uint32_t>(program::Role::word))
MPC_SAME_ROLE(Parameter);
MPC_SAME_ROLE(WeightCopy);
MPC_SAME_ROLE(Moment);
MPC_SAME_ROLE(Scaler);
MPC_SAME_ROLE(Counter);
MPC_SAME_ROLE(Hyperparameter);
MPC_SAME_ROLE(Accumulator);
MPC_SAME_ROLE(Compensation);
MPC_SAME_ROLE(LossScale);
MPC_SAME_ROLE(StepCounter);
MPC_SAME_ROLE(LearningRate);
static_assert(graph::getMaxEnumValForRole() ==
              static_cast<uint32_t>(program::Role::MAX));

program::Role target::toProgram(graph::Role role) {
  return static_cast<program::Role>(role);
}

program::Epilogue target::toProgram(exec::Epilogue epilogue) {
  switch (epilogue) {
  case exec::Epilogue::None:
    return program::Epilogue::None;
  case exec::Epilogue::Relu:
    return program::Epilogue::Relu;
  case exec::Epilogue::GeluErf:
    return program::Epilogue::GeluErf;
  case exec::Epilogue::GeluTanh:
    return program::Epilogue::GeluTanh;
  case exec::Epilogue::Tanh:
    return program::Epilogue::Tanh;
  case exec::Epilogue::Sigmoid:
    return program::Epilogue::Sigmoid;
  }
  llvm_unreachable("not a word of the enum");
}

program::BiasGradient target::toProgram(exec::BiasGradient sums) {
  switch (sums) {
  case exec::BiasGradient::None:
    return program::BiasGradient::None;
  case exec::BiasGradient::OfResult:
    return program::BiasGradient::OfResult;
  case exec::BiasGradient::OfLhs:
    return program::BiasGradient::OfLhs;
  case exec::BiasGradient::OfRhs:
    return program::BiasGradient::OfRhs;
  }
  llvm_unreachable("not a word of the enum");
}

program::MultiTensorKind target::toProgram(exec::MultiTensorKind kind) {
  switch (kind) {
  case exec::MultiTensorKind::UnscaleL2Norm:
    return program::MultiTensorKind::UnscaleL2Norm;
  case exec::MultiTensorKind::AdamW:
    return program::MultiTensorKind::AdamW;
  case exec::MultiTensorKind::Sgd:
    return program::MultiTensorKind::Sgd;
  }
  llvm_unreachable("not a word of the enum");
}

program::ReduceKind target::toProgram(graph::ReduceKind kind) {
  switch (kind) {
  case graph::ReduceKind::Sum:
    return program::ReduceKind::Sum;
  case graph::ReduceKind::Average:
    return program::ReduceKind::Average;
  case graph::ReduceKind::Max:
    return program::ReduceKind::Max;
  }
  llvm_unreachable("not a word of the enum");
}
