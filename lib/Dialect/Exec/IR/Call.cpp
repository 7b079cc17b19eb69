// exec.call: operands with roles, and the checks that the program file makes.
#include "CallSyntax.h"
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Program/Calls.h"
#include "mpc/Support/Assert.h"
#include "mpc/Support/DType.h"
#include "mpc/Text/TypeText.h"

using namespace mpc;
using namespace mpc::exec;
using mlir::MemRefType;
using program::OperandRole;

//===-- Syntax ------------------------------------------------------------===//

/// `ins(lhs %x : type, ...) outs(result %y : type, ...)`.
static mlir::ParseResult parseOperands(mlir::OpAsmParser &parser,
                                       StringRef keyword,
                                       UnresolvedOperands &operands,
                                       SmallVectorImpl<Type> &types,
                                       SmallVectorImpl<int32_t> &roles) {
  if (parser.parseKeyword(keyword))
    return failure();
  return parser.parseCommaSeparatedList(
      mlir::AsmParser::Delimiter::Paren, [&]() -> mlir::ParseResult {
        StringRef word;
        llvm::SMLoc where = parser.getCurrentLocation();
        if (parser.parseKeyword(&word))
          return failure();
        std::optional<OperandRole> role = program::parseRole(word);
        if (!role)
          return parser.emitError(where, "expected a role of an operand, such "
                                         "as 'lhs' or 'result', but got '")
                 << word << "'";
        roles.push_back(static_cast<int32_t>(*role));
        return failure(parser.parseOperand(operands.emplace_back()) ||
                       parser.parseColonType(types.emplace_back()));
      });
}

mlir::ParseResult exec::parseCallOperands(mlir::OpAsmParser &parser,
                                          UnresolvedOperands &inputs,
                                          SmallVectorImpl<Type> &inputTypes,
                                          UnresolvedOperands &outputs,
                                          SmallVectorImpl<Type> &outputTypes,
                                          mlir::DenseI32ArrayAttr &roles) {
  SmallVector<int32_t> list;
  if (parseOperands(parser, "ins", inputs, inputTypes, list) ||
      parseOperands(parser, "outs", outputs, outputTypes, list))
    return failure();
  roles = parser.getBuilder().getDenseI32ArrayAttr(list);
  return success();
}

void exec::printCallOperands(mlir::OpAsmPrinter &printer, Operation *,
                             mlir::OperandRange inputs, mlir::TypeRange,
                             mlir::OperandRange outputs, mlir::TypeRange,
                             mlir::DenseI32ArrayAttr roles) {
  auto print = [&](StringRef keyword, ValueRange operands,
                   ArrayRef<int32_t> own) {
    printer << keyword << "(";
    llvm::interleaveComma(llvm::zip_equal(operands, own), printer,
                          [&](auto operand) {
                            auto [value, role] = operand;
                            printer << getName(static_cast<OperandRole>(role))
                                    << " " << value << " : " << value.getType();
                          });
    printer << ")";
  };
  print("ins", inputs, roles.asArrayRef().take_front(inputs.size()));
  print(" outs", outputs, roles.asArrayRef().drop_front(inputs.size()));
}

//===-- As the program file has it ----------------------------------------===//

#define MPC_SAME(word)                                                         \
  static_assert(static_cast<int>(DType::word) ==                               \
                static_cast<int>(program::ElementType::word))
MPC_SAME(F64);
MPC_SAME(F32);
MPC_SAME(F16);
MPC_SAME(BF16);
MPC_SAME(I64);
MPC_SAME(I32);
MPC_SAME(I1);
MPC_SAME(F8E4M3);
MPC_SAME(F8E5M2);

program::ElementType exec::getProgramType(Type buffer) {
  std::string name = toString(mlir::getElementTypeOrSelf(buffer));
  std::optional<DType> type = parseDType(name);
  MPC_ASSERT(type, "buffers have known element types");
  return static_cast<program::ElementType>(*type);
}

program::CallT CallOp::describe() {
  program::CallT call;
  getKind().setOptions(call);
  for (auto [number, role] : llvm::enumerate(getRoles())) {
    auto type = cast<MemRefType>((*this)->getOperand(number).getType());
    StridedLayout layout = getLayout(type);
    auto operand = std::make_unique<program::CallOperandT>();
    operand->role = static_cast<OperandRole>(role);
    operand->type = getProgramType(type);
    operand->shape = type.getShape().vec();
    operand->strides =
        std::vector<int64_t>(layout.strides.begin(), layout.strides.end());
    operand->written = number >= getInputs().size();
    call.operands.push_back(std::move(operand));
  }
  return call;
}

LogicalResult CallOp::verify() {
  bool isKnown = getRoles().size() == (*this)->getNumOperands();
  for (int32_t role : getRoles())
    isKnown &= 0 <= role && role <= static_cast<int32_t>(OperandRole::MAX);
  if (!isKnown) // [call-c1]
    return emitOpError("expected a known role for each operand");
  flatbuffers::FlatBufferBuilder builder;
  program::CallT call = describe();
  builder.Finish(program::Call::Pack(builder, &call));
  auto verifyFor = [&](bool isForGpu) {
    return program::verifyCall(
        *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()),
        isForGpu);
  };
  Status onGpu = verifyFor(true), onCpu = verifyFor(false);
  if (onGpu.ok() || onCpu.ok()) // [call-c1]
    return success();
  if (onGpu.message() == onCpu.message())
    return emitOpError(onCpu.message());
  return emitOpError("on target 'cpu': ")
         << onCpu.message() << "; on target 'cuda': " << onGpu.message();
}

//===-- Tail --------------------------------------------------------------===//

Value CallOp::getTailBuffer(int64_t number) {
  return getWholeBuffer((*this)->getOperand(number));
}

namespace {
/// The buffers are there, like the kernel's operands and results, and results
/// are written anyway.
LogicalResult verifyTailBuffers(CallOp op, graph::GroupOp group) {
  SmallVector<Type> tensors(group.getOperandTypes());
  llvm::append_range(tensors, group.getResultTypes());
  ArrayRef<int64_t> numbers = op.getTailBuffers();
  if (numbers.size() != tensors.size()) // [call-c2]
    return op.emitOpError("expected ")
           << tensors.size() << " buffers for the tail, but got "
           << numbers.size();
  int64_t count = op->getNumOperands(), inputs = op.getInputs().size();
  for (auto [index, number] : llvm::enumerate(numbers)) {
    bool isResult = index >= group.getNumOperands();
    if (number < (isResult ? inputs : 0) || number >= count) // [call-c2]
      return op.emitOpError("expected ")
             << (isResult ? "an output" : "a buffer")
             << " of the call as buffer " << index << " of the tail, but got "
             << number;
    Value whole = op.getTailBuffer(number);
    if (!whole) // [call-c2]
      return op.emitOpError("expected a whole buffer as buffer ")
             << index << " of the tail, but got "
             << op->getOperand(number).getType() << ", a part of one";
    auto buffer = cast<MemRefType>(whole.getType());
    auto tensor = cast<RankedTensorType>(tensors[index]);
    if (buffer.getElementType() != tensor.getElementType() ||
        buffer.getShape() != tensor.getShape()) // [call-c2]
      return op.emitOpError("expected a buffer like ")
             << tensor << " as buffer " << index << " of the tail, but got "
             << buffer;
  }
  return success();
}

/// The tail works in place only on pairs that it may have so.
LogicalResult verifyTailPairs(CallOp op, KernelOp kernel) {
  ArrayRef<int64_t> numbers = op.getTailBuffers(), pairs = kernel.getInPlace();
  unsigned operands = kernel.getGroup().getNumOperands();
  for (unsigned read = 0; read < operands; ++read)
    for (unsigned write = operands; write < numbers.size(); ++write) {
      if (op.getTailBuffer(numbers[read]) != op.getTailBuffer(numbers[write]))
        continue;
      bool isPair = false;
      for (size_t i = 0; i + 1 < pairs.size(); i += 2)
        isPair |= pairs[i] == read && pairs[i + 1] == write - operands;
      if (!isPair) // [call-c2]
        return op.emitOpError("expected operand ")
               << read << " and result " << write - operands
               << " of the tail to be a pair that can be in place";
    }
  return success();
}
} // namespace

LogicalResult CallOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  if (!getTail())
    return success();
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getTailAttr());
  if (!kernel) // [call-c2]
    return emitOpError("expected a kernel named ")
           << getTailAttr() << " in the module";
  if (failed(verifyTailBuffers(*this, kernel.getGroup())))
    return failure();
  return verifyTailPairs(*this, kernel);
}
