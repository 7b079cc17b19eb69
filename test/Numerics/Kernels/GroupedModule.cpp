#include "GroupedModule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include <cstring>

using namespace mpc;
using namespace mpc::test;
using mlir::func::FuncOp;
using reference::Tensor;

namespace {
template <typename T> void put(Buffer &buffer, size_t i, T value) {
  std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
}
template <typename T> T take(const Buffer &buffer, size_t i) {
  T value;
  std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return value;
}

Buffer toBytes(const Tensor &tensor) {
  Buffer bytes(tensor.size() * getInfo(tensor.type).bytes);
  for (size_t i = 0; i < tensor.size(); ++i)
    switch (tensor.type) {
    case DType::F64:
      put(bytes, i, tensor.reals[i]);
      break;
    case DType::F32:
      put(bytes, i, float(tensor.reals[i]));
      break;
    case DType::F16:
      put(bytes, i, floatToHalf(float(tensor.reals[i])));
      break;
    case DType::BF16:
      put(bytes, i, floatToBFloat(float(tensor.reals[i])));
      break;
    case DType::I64:
      put(bytes, i, tensor.ints[i]);
      break;
    case DType::I32:
      put(bytes, i, int32_t(tensor.ints[i]));
      break;
    default:
      put(bytes, i, uint8_t(tensor.ints[i]));
      break;
    }
  return bytes;
}

Tensor fromBytes(const Buffer &bytes, Type type) {
  Tensor tensor = Tensor::zeros(type);
  for (size_t i = 0; i < tensor.size(); ++i)
    switch (tensor.type) {
    case DType::F64:
      tensor.reals[i] = take<double>(bytes, i);
      break;
    case DType::F32:
      tensor.reals[i] = take<float>(bytes, i);
      break;
    case DType::F16:
      tensor.reals[i] = halfToFloat(take<uint16_t>(bytes, i));
      break;
    case DType::BF16:
      tensor.reals[i] = bfloatToFloat(take<uint16_t>(bytes, i));
      break;
    case DType::I64:
      tensor.ints[i] = take<int64_t>(bytes, i);
      break;
    case DType::I32:
      tensor.ints[i] = take<int32_t>(bytes, i);
      break;
    default:
      tensor.ints[i] = take<uint8_t>(bytes, i);
      break;
    }
  return tensor;
}

/// The numbers of a constant: floats, or integers.
Tensor getTensor(mlir::DenseElementsAttr elements) {
  Tensor tensor = Tensor::zeros(elements.getType());
  for (size_t i = 0; i < tensor.size(); ++i) {
    if (!tensor.isFloat()) {
      tensor.ints[i] = elements.getValues<llvm::APInt>()[i].getSExtValue();
      continue;
    }
    llvm::APFloat number = elements.getValues<llvm::APFloat>()[i];
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    tensor.reals[i] = number.convertToDouble();
  }
  return tensor;
}
} // namespace

GroupedModule::GroupedModule(const std::string &text,
                             const std::string &target) {
  context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
  original = mlir::parseSourceString<ModuleOp>(text, &context);
  if (!original)
    return;
  Builder builder(&context);
  (*original)->setAttr(graph::kTargetAttr, builder.getStringAttr(target));
  grouped = original->clone();
  mlir::PassManager passes(&context);
  passes.addPass(graph::createDecompose());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(graph::createGroup());
  if (failed(passes.run(*grouped)))
    grouped = nullptr;
}

GroupedModule::~GroupedModule() = default;

LogicalResult GroupedModule::forEachGroup(
    llvm::function_ref<LogicalResult(graph::GroupOp, const std::string &, bool)>
        emit) {
  if (!grouped)
    return failure();
  auto result = grouped->walk([&](graph::GroupOp group) {
    std::string name = "k" + std::to_string(kernelNames.size());
    kernelNames[group] = name;
    auto training =
        group->getParentOfType<FuncOp>()->getAttrOfType<graph::TrainingAttr>(
            graph::kTrainingAttr);
    bool isStrict = training && training.getNumerics().rounding ==
                                    graph::RoundingMode::Strict;
    return failed(emit(group, name, isStrict)) ? mlir::WalkResult::interrupt()
                                               : mlir::WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

std::vector<std::string> GroupedModule::getNames() const {
  std::vector<std::string> names;
  for (FuncOp function : original.get().getOps<FuncOp>())
    names.push_back(function.getName().str());
  return names;
}

FuncOp GroupedModule::getOriginal(const std::string &name) const {
  return original.get().lookupSymbol<FuncOp>(name);
}

void GroupedModule::runGroup(graph::GroupOp group, RunOptions options) {
  auto shape = graph::KernelShape::get(group);
  std::vector<std::shared_ptr<Buffer>> results;
  for (Value result : group.getResults())
    results.push_back(
        std::make_shared<Buffer>(toBytes(Tensor::zeros(result.getType()))));
  if (options.inPlace) {
    DenseSet<unsigned> taken;
    DenseSet<unsigned> placed;
    for (auto [operand, result] : shape->inPlacePairs)
      if (!taken.contains(operand) && placed.insert(result).second) {
        taken.insert(operand);
        // A copy of the operand: others may still read it.
        results[result] =
            std::make_shared<Buffer>(*buffers[group.getInputs()[operand]]);
        buffers[group.getInputs()[operand]] = results[result];
      }
  }
  std::vector<KernelBuffer> all;
  for (Value input : group.getInputs()) {
    bool isWritten = llvm::is_contained(results, buffers[input]);
    all.push_back({buffers[input].get(), isWritten
                                             ? KernelBuffer::Role::InPlace
                                             : KernelBuffer::Role::Operand});
  }
  for (auto &buffer : results) {
    bool isRead = llvm::any_of(group.getInputs(), [&](Value input) {
      return buffers[input] == buffer;
    });
    all.push_back({buffer.get(), isRead ? KernelBuffer::Role::InPlace
                                        : KernelBuffer::Role::Result});
  }
  runKernel(kernelNames[group], *shape, all, options);
  for (auto [value, buffer] : llvm::zip(group.getResults(), results))
    buffers[value] = buffer;
}

std::vector<Tensor> GroupedModule::run(const std::string &name,
                                       const std::vector<Tensor> &arguments,
                                       RunOptions options) {
  auto function = grouped->lookupSymbol<FuncOp>(name);
  buffers.clear();
  runFailure.clear();
  for (auto [argument, tensor] : llvm::zip(function.getArguments(), arguments))
    buffers[argument] = std::make_shared<Buffer>(toBytes(tensor));
  // Operands that a kernel overwrites in place are read by later groups from
  // the buffer as it was.
  for (Operation &op : function.getBody().front().without_terminator()) {
    auto before = buffers;
    if (auto group = dyn_cast<graph::GroupOp>(op)) {
      runGroup(group, options);
      for (Value input : group.getInputs())
        buffers[input] = before[input];
    } else if (mlir::DenseElementsAttr elements;
               mlir::matchPattern(&op, mlir::m_Constant(&elements))) {
      buffers[op.getResult(0)] =
          std::make_shared<Buffer>(toBytes(getTensor(elements)));
    } else {
      buffers[op.getResult(0)] = buffers[op.getOperand(0)];
    }
  }
  std::vector<Tensor> results;
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    results.push_back(fromBytes(*buffers[result], result.getType()));
  return results;
}
