// How passes change the dims of an op: their sizes where it does not infer them,
// and their order.
#ifndef MPC_INTERFACES_DIMSOPINTERFACES_TD
#define MPC_INTERFACES_DIMSOPINTERFACES_TD

include "mlir/IR/OpBase.td"

def ResizableOpInterface : OpInterface<"ResizableOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The shape of the op's single result is written on the op and does not all
    follow from its operands, but the op has a meaning for other sizes, too.
    `graph.broadcast` fits: it repeats as often as it says. `graph.add` does
    not: its shape follows.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether dim `dim` of the result may get any size, whatever the operands
      are: whether elements are the same along it, or count it.
    }], "bool", "isFreeAlong", (ins "int64_t":$dim)>,
    InterfaceMethod<[{
      Makes the result `type`, of the same element type, and with it what the
      op says about its shape elsewhere. Sizes differ from the present ones
      along free dims, and where those of the operands do.
    }], "void", "resize", (ins "::mlir::RankedTensorType":$type)>
  ];
}

def ChannelsOpInterface : OpInterface<"ChannelsOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    Operand 0, what is of its rank among the other operands and results, have
    channels, which stand in front of the dims of space, or behind them; the op
    says which. `graph.convolution` fits.
  }];
  let methods = [
    InterfaceMethod<"Whether they stand behind.", "bool", "isChannelsLast">,
    InterfaceMethod<"Says so. Types are the caller's matter.",
      "void", "moveChannelsLast">,
    InterfaceMethod<[{
      Whether channels that stand behind are worth a transpose to the op. Else it
      takes its operand as it lies.
    }], "bool", "wantsChannelsLast", (ins), "", "return true;">
  ];
}

def PermutableOpInterface : OpInterface<"PermutableOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op, which names dims of its operands, all of one rank, can do the same on
    operands with their dims in another order: dim i of an operand is then what
    was dim permutation[i]. `graph.sum` fits; `graph.add` names none and needs no
    such word, `graph.reshape` cannot.
  }];
  let methods = [
    InterfaceMethod<"The order of the result's dims then: dim i is what was dim [i] of the answer.",
      "::llvm::SmallVector<int64_t>", "permuteResult",
      (ins "::llvm::ArrayRef<int64_t>":$permutation), "", [{
        return ::llvm::SmallVector<int64_t>(permutation);
      }]>,
    InterfaceMethod<"Renames the dims that the op says. Types are the caller's matter.",
      "void", "permuteDims", (ins "::llvm::ArrayRef<int64_t>":$permutation)>
  ];
}

/// Words of an op record.
def IsResizable : TraitList<[DeclareOpInterfaceMethods<ResizableOpInterface>]>;
def HasChannels : TraitList<[DeclareOpInterfaceMethods<ChannelsOpInterface>]>;
/// Of an op that takes its operand as it lies.
def HasFollowingChannels
  : TraitList<[DeclareOpInterfaceMethods<ChannelsOpInterface, ["wantsChannelsLast"]>]>;
def IsPermutable : TraitList<[DeclareOpInterfaceMethods<PermutableOpInterface>]>;
/// Of a reduction, whose result may lack dims.
def IsPermutableReduction
  : TraitList<[DeclareOpInterfaceMethods<PermutableOpInterface, ["permuteResult"]>]>;

#endif // MPC_INTERFACES_DIMSOPINTERFACES_TD
