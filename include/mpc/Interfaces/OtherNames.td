// What other systems call an op.
#ifndef MPC_INTERFACES_OTHERNAMES_TD
#define MPC_INTERFACES_OTHERNAMES_TD

include "mlir/IR/OpBase.td"

def OtherNamesOpInterface : OpInterface<"OtherNamesOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op is known by other names to who comes from PyTorch, ONNX or NumPy. The
    error for an op that the dialect does not have leads from them to the op.
  }];
  let methods = [
    StaticInterfaceMethod<"The names, as they are spelled there.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getOtherNames">
  ];
}

class HasOtherNames<list<string> names> : NativeOpTrait<"HasOtherNames", [], [{
  static ::llvm::ArrayRef<::llvm::StringRef> getOtherNames() {
    static constexpr ::llvm::StringRef names[] = {"}] # !interleave(names, "\", \"") # [{"};
    return names;
  }
}]> {
  let cppNamespace = "::mpc";
}

/// Word of an op record: names that are not near to its own.
class AlsoCalled<list<string> names>
    : TraitList<[HasOtherNames<names>, OtherNamesOpInterface]>;

#endif // MPC_INTERFACES_OTHERNAMES_TD
