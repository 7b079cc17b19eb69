// The attribute of an autocast region.
#ifndef MPC_DIALECT_GRAPH_IR_REGIONATTRS_TD
#define MPC_DIALECT_GRAPH_IR_REGIONATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mpc/Dialect/Graph/IR/GraphDialect.td"

def Graph_AutocastRegionAttr : AttrDef<Graph_Dialect, "AutocastRegion"> {
  let mnemonic = "autocast_region";
  let summary = "what holds in an autocast region: on or off, its 16-bit type, its lists";
  let description = [{
    What is left out is that of the region around; the outermost region is the
    model: on, with the type of `precision`. `lists` gives ops the words of
    PyTorch's (`cuda`, `cpu`) or Apex's (`apex`) lists. On an op, as
    `graph.autocast_region`, it is the region that the op stands in, and `name`
    is the path of all regions around it.

    ```mlir
    #graph.autocast_region<name = "encoder/tail", dtype = bf16>
    #graph.autocast_region<enabled = false>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"regions in policy rules", "\"\"">:$name,
    DefaultValuedParameter<"bool", "true">:$enabled,
    OptionalParameter<"::mlir::FloatType", "f16 or bf16">:$dtype,
    StringRefParameter<"cuda, cpu, apex, or empty", "\"\"">:$lists);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_REGIONATTRS_TD
