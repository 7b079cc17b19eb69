// Family Cast: the element type changed. Most stages name this op, few any other:
// its own record keeps theirs from being compiled again.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_CAST_TD
#define MPC_DIALECT_GRAPH_IR_OPS_CAST_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

/// A note, which does not make two casts different: CastReason.h. As an
/// attribute, in the generic form, none is `unit`.
def Graph_CastReason
    : Property<"::mpc::graph::CastReason", "reason", "::mlir::StringAttr"> {
  let defaultValue = "::mlir::StringAttr()";
  let storageTypeValueOverride = "::mpc::graph::CastReason()";
  let convertFromStorage = "$_storage.text";
  let assignToStorage = "$_storage.text = $_value";
  let hashProperty = "hash_value($_storage)";
  let convertToAttribute = [{
    if ($_storage.text)
      return $_storage.text;
    return ::mlir::UnitAttr::get($_ctxt);
  }];
  let convertFromAttribute = [{
    $_storage.text = ::mlir::dyn_cast<::mlir::StringAttr>($_attr);
    if (!$_storage.text && !::mlir::isa<::mlir::UnitAttr>($_attr))
      return $_diag() << "expected the reason of a cast to be a string, but "
                         "got " << $_attr;
    return ::mlir::success();
  }];
  let parser = [{
    if (::mlir::failed($_parser.parseAttribute(
            $_storage.text,
            $_parser.getBuilder().getType<::mlir::NoneType>())))
      return ::mlir::failure();
  }];
  let optionalParser = [{
    return $_parser.parseOptionalAttribute(
        $_storage.text, $_parser.getBuilder().getType<::mlir::NoneType>());
  }];
  let printer = "$_printer.printAttributeWithoutType($_storage.text)";
  let writeToMlirBytecode = "$_writer.writeOptionalAttribute($_storage.text)";
  let readFromMlirBytecode = [{
    if (::mlir::failed($_reader.readOptionalAttribute($_storage.text)))
      return ::mlir::failure();
  }];
}

def Graph_CastOp : Graph_Op<"cast", Clear, Unlisted, HasVjp,
                            [HasBody, SameOperandsAndResultShape, AlsoCalled<["to", "convert"]>]> {
  let summary = "element type changed, value rounded to nearest even";
  let description = [{
    To a float: rounded to nearest even, overflowing to inf; i1 becomes 0 or 1.
    Float to integer: rounded toward zero, unspecified outside the integer's
    range. Integer to integer: the low bits, or the sign extended. To i1:
    whether the value is not zero. A cast with a reason was put in by a pass and
    may be taken out by one; a cast without is the user's and stays. What the
    reason says is a note: CSE makes one of casts that differ in nothing else,
    and keeps the first's.

    `result[i] = round(input[i])`

    - C1: input and result have one shape

    ```mlir
    %y = graph.cast %x because "matmul is Allow" : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_CastReason:$reason);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input (`because` $reason^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The types of a cast were written by somebody: autocast leaves them.
    bool isRetypeable(unsigned) { return false; }
  }];
  let hasFolder = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_CAST_TD
