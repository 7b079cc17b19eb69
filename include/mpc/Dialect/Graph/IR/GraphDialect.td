// The graph dialect.
#ifndef MPC_DIALECT_GRAPH_IR_GRAPHDIALECT_TD
#define MPC_DIALECT_GRAPH_IR_GRAPHDIALECT_TD

include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::mpc::graph";
  let summary = "Models and training steps on tensors with value semantics";
  let description = [{
    A model is a `func.func` on statically shaped tensors. Its arguments are
    parameters (`graph.parameter`, `graph.init`) and inputs (`graph.input`);
    its results are the loss (`graph.loss`) and outputs (`graph.output`).
    `graph.training` on the function says how to train it.
  }];
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// An attribute that the dialect does not have is answered by those it has.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;

    /// Called for ops that the dialect does not have: names the nearest.
    std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef opName) const override;

  private:
    /// Adds to errors of MLIR's for ops written without "graph.".
    void addHints();
    /// Each beside the generated definitions of its family.
    #define FAMILY(name) void register##name##Ops();
    #include "mpc/Dialect/Graph/IR/Ops/Families.inc"
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_GRAPHDIALECT_TD
