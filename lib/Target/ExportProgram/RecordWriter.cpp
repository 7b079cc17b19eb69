#include "RecordWriter.h"
#include "ProgramTypes.h"
#include "StepNames.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Program/Calls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mpc;
using namespace mpc::target;
using program::Arg;
using program::RecordKind;
using program::Space;

RecordWriter::RecordWriter(exec::EntryOp entry, ProgramTables &tables)
    : entry(entry), tables(tables),
      result(std::make_unique<program::EntryT>()) {}

/// Where the memory of `buffer` is when the entry runs.
Arg RecordWriter::locate(Value buffer) const {
  Value root = exec::getRoot(buffer);
  return llvm::TypeSwitch<Operation *, Arg>(root.getDefiningOp())
      .Case([&](exec::InputOp) {
        return Arg(Space::Input, inputs.lookup(root), 0);
      })
      .Case([&](exec::StateOp state) {
        return Arg(Space::State, 0, tables.states.lookup(state.getName()));
      })
      .Case([](exec::ConstantOp constant) {
        return Arg(Space::Constant, 0, *constant.getOffset());
      })
      .Case([](exec::AllocOp alloc) {
        return Arg(Space::Arena, 0, *alloc.getOffset());
      });
}

std::unique_ptr<program::TensorT> RecordWriter::tensor(StringRef name,
                                                       Value buffer) const {
  auto tensor = std::make_unique<program::TensorT>();
  tensor->name = name.str();
  tensor->type = elementTypeOf(buffer.getType());
  tensor->shape = shapeOf(buffer.getType());
  tensor->location = std::make_unique<Arg>(locate(buffer));
  return tensor;
}

uint32_t RecordWriter::nameOf(Operation *step) {
  auto [name, isNew] = tables.names.try_emplace(describeStep(step, symbols),
                                                tables.program.names.size());
  if (isNew)
    tables.program.names.push_back(name->first().str());
  return name->second;
}

LogicalResult RecordWriter::addRecord(Operation *step, RecordKind kind,
                                      ArrayRef<Value> args, uint32_t target,
                                      uint64_t extent, uint64_t grain) {
  constexpr size_t kMostArgs = UINT16_MAX;
  if (args.size() > kMostArgs)
    return step->emitOpError("expected at most ")
           << kMostArgs << " buffers in one record, but got " << args.size();
  result->records.emplace_back(kind, args.size(), result->args.size(), target,
                               nameOf(step), extent, grain);
  for (Value arg : args)
    result->args.push_back(locate(arg));
  return success();
}

LogicalResult RecordWriter::addLaunch(exec::LaunchOp launch) {
  auto kernel = symbols.lookupNearestSymbolFrom<exec::KernelOp>(
      launch, launch.getKernelAttr());
  SmallVector<Value> args(launch.getOperands());
  return addRecord(launch, RecordKind::Launch, args,
                   tables.kernels.lookup(launch.getKernel()),
                   kernel.getExtent(), kernel.getGrain());
}

/// A buffer as an operand.
static std::unique_ptr<program::CallOperandT>
makeOperand(program::OperandRole role, Value buffer, bool isWritten) {
  auto operand = std::make_unique<program::CallOperandT>();
  operand->role = role;
  operand->type = elementTypeOf(buffer.getType());
  operand->shape = shapeOf(buffer.getType());
  operand->strides = program::getDenseStrides(operand->shape);
  operand->written = isWritten;
  return operand;
}

/// A matrix as it is read: the last two dims swapped if `isTransposed`, and the
/// batch dims of `result`, those that broadcast with stride 0.
static std::unique_ptr<program::CallOperandT>
makeMatrix(program::OperandRole role, Value buffer, bool isTransposed,
           Value result) {
  auto operand = makeOperand(role, buffer, /*isWritten=*/false);
  std::vector<int64_t> &shape = operand->shape, &strides = operand->strides;
  if (isTransposed) {
    std::swap(shape.end()[-1], shape.end()[-2]);
    std::swap(strides.end()[-1], strides.end()[-2]);
  }
  ArrayRef<int64_t> batch =
      cast<mlir::MemRefType>(result.getType()).getShape().drop_back(2);
  shape.insert(shape.begin(), batch.size() + 2 - shape.size(), 1);
  strides.insert(strides.begin(), batch.size() + 2 - strides.size(), 0);
  for (auto [i, dim] : llvm::enumerate(batch))
    if (shape[i] == 1) {
      shape[i] = dim;
      strides[i] = 0;
    }
  return operand;
}

LogicalResult RecordWriter::addMatmul(exec::MatmulOp op) {
  using program::OperandRole;
  program::MatmulT options;
  options.epilogue = toProgram(op.getEpilogue());
  options.derivative = op.getDerivative();
  options.bias_gradient = toProgram(op.getBiasGradient());
  auto call = std::make_unique<program::CallT>();
  call->options.Set(std::move(options));

  // By number and not by buffer: equal products share a row of the table, and
  // one of them may read a buffer twice.
  SmallVector<int64_t> order;
  SmallVector<Value> args;
  auto add = [&](int64_t number,
                 std::unique_ptr<program::CallOperandT> operand) {
    order.push_back(number);
    args.push_back(op->getOperand(number));
    call->operands.push_back(std::move(operand));
  };
  Value result = op.getResultBuffer();
  int64_t numInputs = op.getInputs().size(), next = numInputs;
  add(0, makeMatrix(OperandRole::Lhs, op.getInputs()[0], op.getTransposeLhs(),
                    result));
  add(1, makeMatrix(OperandRole::Rhs, op.getInputs()[1], op.getTransposeRhs(),
                    result));
  add(next++, makeOperand(OperandRole::Result, result, true));
  if (Value bias = op.getBias())
    add(2, makeOperand(OperandRole::Bias, bias, false));
  if (Value aux = op.getAuxBuffer())
    add(op.getDerivative() ? 2 : next++,
        makeOperand(OperandRole::Aux, aux, !op.getDerivative()));
  if (Value sums = op.getBiasGradientBuffer())
    add(next++, makeOperand(OperandRole::BiasGradient, sums, true));
  if (op.getTail()) {
    call->tail_kernel = tables.kernels.lookup(*op.getTail());
    for (int64_t number : op.getTailBuffers())
      call->tail_args.push_back(llvm::find(order, number) - order.begin());
  }

  std::string key;
  llvm::raw_string_ostream(key)
      << op->getAttrDictionary() << op->getOperandTypes();
  auto [found, isNew] =
      tables.calls.try_emplace(key, tables.program.calls.size());
  if (isNew)
    tables.program.calls.push_back(std::move(call));
  return addRecord(op, RecordKind::Call, args, found->second);
}

LogicalResult RecordWriter::addAllReduce(exec::AllReduceOp op) {
  auto collective = std::make_unique<program::CollectiveT>();
  collective->kind = toProgram(op.getKind());
  collective->group = op.getGroup().str();
  SmallVector<Value> args;
  for (auto [input, output] : llvm::zip(op.getInputs(), op.getOutputs())) {
    auto type = cast<mlir::MemRefType>(input.getType());
    collective->type = elementTypeOf(type);
    collective->counts.push_back(type.getNumElements());
    args.append({input, output});
  }
  std::string key;
  llvm::raw_string_ostream(key) << int(collective->kind) << collective->group
                                << int(collective->type) << ":";
  for (uint64_t count : collective->counts)
    key += std::to_string(count) + ",";
  auto [found, isNew] =
      tables.collectives.try_emplace(key, tables.program.collectives.size());
  if (isNew)
    tables.program.collectives.push_back(std::move(collective));
  return addRecord(op, RecordKind::AllReduce, args, found->second);
}

/// The kind, element types and counts follow from the buffers; each step has an
/// entry of its own, since no two of a program are equal in practice.
LogicalResult RecordWriter::addMultiTensor(exec::MultiTensorOp op) {
  auto call = std::make_unique<program::MultiTensorT>();
  bool isNorm = op.getKind() == exec::MultiTensorKind::UnscaleL2Norm;
  call->kind = toProgram(op.getKind());
  ValueRange gradients = op.getInputList(isNorm ? 0 : 1);
  for (Value gradient : gradients)
    call->counts.push_back(
        cast<mlir::MemRefType>(gradient.getType()).getNumElements());
  call->gradient_type = elementTypeOf(gradients.front().getType());
  call->has_copies = op.getHasCopies();
  if (op.getHasCopies())
    call->copy_type = elementTypeOf(op.getOutputs().back().getType());
  call->has_found_inf = op.getHasFoundInf();
  call->has_scale = op.getHasScale();
  call->has_coefficient = op.getHasCoefficient();
  call->beta1 = op.getBeta1().convertToDouble();
  call->beta2 = op.getBeta2().convertToDouble();
  call->epsilon = op.getEpsilon().convertToDouble();
  call->weight_decay = op.getWeightDecay().convertToDouble();
  call->momentum = op.getMomentum().convertToDouble();
  call->nesterov = op.getNesterov();
  uint32_t index = tables.program.multi_tensors.size();
  tables.program.multi_tensors.push_back(std::move(call));

  SmallVector<Value> args(op.getInputs());
  llvm::append_range(args, op.getOutputs());
  return addRecord(op, RecordKind::MultiTensor, args, index);
}

LogicalResult RecordWriter::addObserve(exec::ObserveOp op) {
  mlir::MemRefType type = op.getValue().getType();
  return addRecord(op, RecordKind::Observe, {op.getValue(), op.getRow()},
                   static_cast<uint32_t>(elementTypeOf(type)),
                   type.getNumElements());
}

LogicalResult RecordWriter::addStep(Operation *step) {
  auto bytes = [](Value buffer) {
    return exec::getBytes(cast<mlir::MemRefType>(buffer.getType()));
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(step)
      .Case([&](exec::LaunchOp op) { return addLaunch(op); })
      .Case([&](exec::MatmulOp op) { return addMatmul(op); })
      .Case([&](exec::AllReduceOp op) { return addAllReduce(op); })
      .Case([&](exec::MultiTensorOp op) { return addMultiTensor(op); })
      .Case([&](exec::ObserveOp op) { return addObserve(op); })
      .Case([&](exec::CopyOp op) {
        return addRecord(op, RecordKind::Copy, {op.getSource(), op.getTarget()},
                         0, bytes(op.getSource()));
      })
      .Case([&](exec::FillOp op) {
        return addRecord(op, RecordKind::Fill, {op.getTarget()}, 0,
                         bytes(op.getTarget()));
      });
}

std::unique_ptr<program::TensorT>
RecordWriter::describe(exec::InputOp input) const {
  std::unique_ptr<program::TensorT> result = tensor(input.getName(), input);
  result->loss_only = input.getLossOnly();
  if (auto classes =
          dyn_cast_if_present<graph::ClassesAttr>(input.getClassesAttr()))
    result->classes = std::make_unique<program::Classes>(
        classes.getCount(), classes.getIgnored().value_or(0),
        classes.getIgnored().has_value());
  return result;
}

std::unique_ptr<program::EntryT> RecordWriter::write() {
  result->name = entry.getSymName().str();
  for (auto input : entry.getOps<exec::InputOp>()) {
    inputs[input] = inputs.size();
    result->inputs.push_back(describe(input));
  }
  for (auto step : entry.getOps<exec::StepOpInterface>())
    if (failed(addStep(step)))
      return nullptr;
  for (auto output : entry.getOps<exec::OutputOp>())
    result->outputs.push_back(tensor(output.getName(), output.getValue()));
  return std::move(result);
}
