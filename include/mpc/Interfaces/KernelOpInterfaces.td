// Interfaces through which kernels are built from ops.
#ifndef MPC_INTERFACES_KERNELOPINTERFACES_TD
#define MPC_INTERFACES_KERNELOPINTERFACES_TD

include "mlir/IR/OpBase.td"

def KernelBodyOpInterface : OpInterface<"KernelBodyOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op computes each element of its results, which have one shape, from the
    elements of its operands at the same (broadcast) index. Most have one result
    and build it by `buildBody`; others build all of theirs by `buildBodies`.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the computation of one element of each result. `args` are scalars or vectors (all
      of one shape) in the *compute type* of the operand's element type (f32
      for f16 and bf16, i1 for i1); the answer is for each result a value of the
      same shape in the compute type of its element type. Builds only ops of the
      arith and math dialects, with no fast-math flags.
    }], "::llvm::SmallVector<::mlir::Value>", "buildBodies",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder,
           "::mlir::ValueRange":$args), "", [{
        return {$_op.buildBody(builder, args)};
      }]>,
    InterfaceMethod<"The same of an op with one result.",
      "::mlir::Value", "buildBody",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder,
           "::mlir::ValueRange":$args), "", [{
        llvm_unreachable("has several results, which are built together");
      }]>
  ];
  let verify = "return ::mpc::verifyKernelBody($_op);";
}

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op folds elements of its operands, which have one shape, along some dims
    into as many results by an associative and commutative combiner, in the
    compute type. Most have one operand.
  }];
  let methods = [
    InterfaceMethod<"How two elements are combined.",
      "::mpc::ReductionCombiner", "getCombiner">,
    InterfaceMethod<"The reduced dims of the operands, ascending.",
      "::llvm::SmallVector<int64_t>", "getReducedDims">
  ];
}

def SegmentSumOpInterface : OpInterface<"SegmentSumOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op adds slices of operand 0 along some dims to those slices of its
    single result along one dim that operand 1, of these dims, names. What it
    names outside of the result adds nothing.
  }];
  let methods = [
    InterfaceMethod<"The dim of the result that indices name, and the first dim of operand 0 that they run along.",
      "int64_t", "getSegmentDim">,
    InterfaceMethod<"The index, besides those outside, that adds nothing.",
      "::std::optional<int64_t>", "getIgnoredIndex">
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op is a composite: it can be written with elementwise ops, reductions
    and movements, or with an op that a library executes. `graph.softmax` fits;
    `graph.exp` does not.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether the op has to be written so as it stands: a matmul has to only if
      no library yields its result type.
    }], "bool", "isComposite", (ins), "", "return true;">,
    InterfaceMethod<[{
      Builds replacements for all results, with exactly the results' types.
      16-bit operands are cast to f32 first and results cast back last, so that
      arithmetic is f32 inside whatever the rounding mode is.
    }], "::llvm::SmallVector<::mlir::Value>", "decompose",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder)>
  ];
}

def MovementOpInterface : OpInterface<"MovementOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    Each element of the op's single result is an element of an operand, an
    index, or zero; nothing is computed. `graph.transpose` and `graph.iota` fit.
  }];
  let methods = [
    InterfaceMethod<"Where the elements of the result come from.",
      "::mpc::Movement", "getMovement">
  ];
}

def LibraryCallOpInterface : OpInterface<"LibraryCallOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op is executed by a library (`graph.matmul`), which can apply some
    elementwise ops to its result before it is stored.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether the library of `target` applies `epilogue` to the result before
      it is stored.
    }], "bool", "supportsEpilogue",
      (ins "const ::mpc::TargetDescription &":$target,
           "::mpc::Epilogue":$epilogue)>,
    InterfaceMethod<[{
      Whether the library of `target` reads operand `index` where it lies so, in
      the memory of another tensor.
    }], "bool", "readsInPlace",
      (ins "const ::mpc::TargetDescription &":$target, "unsigned":$index,
           "const ::mpc::StridedShape &":$operand)>,
    InterfaceMethod<[{
      Whether the library of `target` computes with operands of `element` type
      as they are. Else it widens them to f32 first: nothing is lost by that,
      and nothing won.
    }], "bool", "computesIn",
      (ins "const ::mpc::TargetDescription &":$target,
           "::mlir::Type":$element)>,
    InterfaceMethod<"Multiplications and additions of the call.",
      "double", "countFlops">
  ];
}

def EpilogueOpInterface : OpInterface<"EpilogueOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op may be the epilogue of a library call on its first operand; where it
    is an addend, on either.
  }];
  let methods = [
    InterfaceMethod<"Which epilogue the op is with its present operands, if any.",
      "::std::optional<::mpc::Epilogue>", "getEpilogue">
  ];
}

/// Computing the body again costs more than storing and loading its result:
/// exponentials and their like.
def CostlyBody : NativeOpTrait<"CostlyBody"> { let cppNamespace = "::mpc"; }

/// The result jumps where operands are equal, so that to be close is not enough:
/// kernels round the operands to their types as if they had been stored.
def ComparesExactly : NativeOpTrait<"ComparesExactly"> {
  let cppNamespace = "::mpc";
}

/// The result is the first operand, in its memory; the others only say what is
/// to be computed before it is read.
def OrdersOnly : NativeOpTrait<"OrdersOnly"> { let cppNamespace = "::mpc"; }

/// The result is a sum of products of elements of both operands, over dims that
/// it lacks: rows of it come from rows, and of parts of those dims it is the sum.
def SumsProducts : NativeOpTrait<"SumsProducts"> {
  let cppNamespace = "::mpc";
}

/// Kernel words of an op record.
def HasBody : TraitList<[DeclareOpInterfaceMethods<KernelBodyOpInterface, ["buildBody"]>]>;
/// Of an op with several results.
def HasBodies : TraitList<[DeclareOpInterfaceMethods<KernelBodyOpInterface, ["buildBodies"]>]>;
def IsMovement : TraitList<[DeclareOpInterfaceMethods<MovementOpInterface>]>;
def IsLibraryCall : TraitList<[DeclareOpInterfaceMethods<LibraryCallOpInterface>]>;
def IsEpilogue : TraitList<[DeclareOpInterfaceMethods<EpilogueOpInterface>]>;
def Composite : TraitList<[DeclareOpInterfaceMethods<DecomposableOpInterface>]>;
def CompositeAtTimes : TraitList<[
  DeclareOpInterfaceMethods<DecomposableOpInterface, ["isComposite"]>]>;

#endif // MPC_INTERFACES_KERNELOPINTERFACES_TD
