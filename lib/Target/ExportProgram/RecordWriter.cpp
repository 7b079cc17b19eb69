#include "RecordWriter.h"
#include "ProgramTypes.h"
#include "StepNames.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
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

/// Where the first element of `buffer` is when the entry runs.
Arg RecordWriter::locate(Value buffer) const {
  Value root = exec::getRoot(buffer);
  auto type = cast<mlir::MemRefType>(buffer.getType());
  uint64_t width = getStoredBytes({}, type.getElementType());
  uint64_t begin = exec::getLayout(type).offset * width;
  if (auto argument = dyn_cast<mlir::BlockArgument>(root)) {
    auto loop = cast<exec::LoopOp>(argument.getOwner()->getParentOp());
    exec::LoopOp::Place place = loop.getPlace(argument.getArgNumber(), turn);
    auto whole = cast<mlir::MemRefType>(place.operand.getType());
    Arg arg = locate(place.operand);
    if (place.slice)
      begin += *place.slice * exec::getLayout(whole).strides.front() * width;
    return Arg(arg.space(), arg.index(), arg.offset() + begin);
  }
  return llvm::TypeSwitch<Operation *, Arg>(root.getDefiningOp())
      .Case([&](exec::InputOp) {
        return Arg(Space::Input, inputs.lookup(root), begin);
      })
      .Case([&](exec::StateOp state) {
        return Arg(Space::State, 0,
                   tables.states.lookup(state.getName()) + begin);
      })
      .Case([&](exec::ConstantOp constant) {
        return Arg(Space::Constant, 0, *constant.getOffset() + begin);
      })
      .Case([&](exec::AllocOp alloc) {
        return Arg(Space::Arena, 0, *alloc.getOffset() + begin);
      });
}

std::unique_ptr<program::TensorT> RecordWriter::tensor(StringRef name,
                                                       Value buffer) const {
  auto tensor = std::make_unique<program::TensorT>();
  tensor->name = name.str();
  tensor->type = exec::getProgramType(buffer.getType());
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
  llvm::append_range(ofTurn, args);
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

/// Equal calls share a row of the table.
LogicalResult RecordWriter::addCall(exec::CallOp op) {
  std::string key;
  llvm::raw_string_ostream(key)
      << op->getAttrDictionary() << op->getOperandTypes();
  auto [found, isNew] =
      tables.calls.try_emplace(key, tables.program.calls.size());
  if (isNew) {
    auto call = std::make_unique<program::CallT>(op.describe());
    if (op.getTail())
      call->tail_kernel = tables.kernels.lookup(*op.getTail());
    call->tail_args.assign(op.getTailBuffers().begin(),
                           op.getTailBuffers().end());
    tables.program.calls.push_back(std::move(call));
  }
  SmallVector<Value> args(op->getOperands());
  return addRecord(op, RecordKind::Call, args, found->second);
}

template <typename ReduceOp> uint32_t RecordWriter::collectiveOf(ReduceOp op) {
  auto collective = std::make_unique<program::CollectiveT>();
  collective->kind = toProgram(op.getKind());
  collective->group = op.getGroup().str();
  for (Value input : op.getInputs()) {
    auto type = cast<mlir::MemRefType>(input.getType());
    collective->type = exec::getProgramType(type);
    collective->counts.push_back(type.getNumElements());
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
  return found->second;
}

/// Pairs (source, result).
template <typename ReduceOp> static SmallVector<Value> pairsOf(ReduceOp op) {
  SmallVector<Value> pairs;
  for (auto [input, output] : llvm::zip(op.getInputs(), op.getOutputs()))
    pairs.append({input, output});
  return pairs;
}

LogicalResult RecordWriter::addAllReduce(exec::AllReduceOp op) {
  return addRecord(op, RecordKind::AllReduce, pairsOf(op), collectiveOf(op));
}

LogicalResult RecordWriter::addStart(exec::AllReduceStartOp op) {
  begun[op] = result->records.size();
  return addRecord(op, RecordKind::AllReduceStart, pairsOf(op),
                   collectiveOf(op));
}

LogicalResult RecordWriter::addDone(exec::AllReduceDoneOp op) {
  exec::AllReduceStartOp start = op.getStart();
  return addRecord(op, RecordKind::AllReduceDone, pairsOf(start),
                   collectiveOf(start), begun.lookup(start));
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
  call->gradient_type = exec::getProgramType(gradients.front().getType());
  call->has_copies = op.getHasCopies();
  if (op.getHasCopies())
    call->copy_type = exec::getProgramType(op.getOutputs().back().getType());
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
                   static_cast<uint32_t>(exec::getProgramType(type)),
                   type.getNumElements());
}

/// The records of one time are those of every other, on other arguments.
/// A program is held in memory, and a record takes some 30 bytes of it.
static constexpr uint64_t kMostOfLoop = uint64_t(1) << 24;

LogicalResult RecordWriter::addLoop(exec::LoopOp loop) {
  size_t first = result->records.size();
  ofTurn.clear();
  turn = 0;
  for (auto step : loop.getBody().getOps<exec::StepOpInterface>())
    if (failed(addStep(step)))
      return failure();
  SmallVector<Value> args = std::move(ofTurn);
  size_t perTurn = result->records.size() - first;
  uint64_t mostOfTurn = std::max<uint64_t>({1, perTurn, args.size()});
  if (uint64_t(loop.getSteps()) > kMostOfLoop / mostOfTurn)
    return loop.emitError("expected a loop of at most ")
           << kMostOfLoop << " records, but " << loop.getSteps() << " steps of "
           << mostOfTurn << " have more; take fewer steps at a time";
  for (++turn; turn < int64_t(loop.getSteps()); ++turn) {
    auto shift = static_cast<uint32_t>(turn * args.size());
    for (size_t number = first; number < first + perTurn; ++number) {
      program::Record record = result->records[number];
      record.mutate_first_arg(record.first_arg() + shift);
      result->records.push_back(record);
    }
    for (Value arg : args)
      result->args.push_back(locate(arg));
  }
  return success();
}

LogicalResult RecordWriter::addStep(Operation *step) {
  auto bytes = [](Value buffer) {
    return exec::getBytes(cast<mlir::MemRefType>(buffer.getType()));
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(step)
      .Case([&](exec::LaunchOp op) { return addLaunch(op); })
      .Case([&](exec::CallOp op) { return addCall(op); })
      .Case([&](exec::AllReduceOp op) { return addAllReduce(op); })
      .Case([&](exec::AllReduceStartOp op) { return addStart(op); })
      .Case([&](exec::AllReduceDoneOp op) { return addDone(op); })
      .Case([&](exec::MultiTensorOp op) { return addMultiTensor(op); })
      .Case([&](exec::ObserveOp op) { return addObserve(op); })
      .Case([&](exec::LoopOp op) { return addLoop(op); })
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
