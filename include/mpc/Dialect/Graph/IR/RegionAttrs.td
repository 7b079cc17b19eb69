// The attribute of an autocast region.
#ifndef MPC_DIALECT_GRAPH_IR_REGIONATTRS_TD
#define MPC_DIALECT_GRAPH_IR_REGIONATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mpc/Dialect/Graph/IR/GraphDialect.td"

def Graph_AutocastRegionAttr : AttrDef<Graph_Dialect, "AutocastRegion"> {
  let mnemonic = "autocast_region";
  let summary = "what holds in a region: autocast on or off, its 16-bit type, its lists; whether it is recomputed";
  let description = [{
    What is left out is that of the region around; the outermost region is the
    model: on, with the type of `precision`. `lists` gives ops the words of
    PyTorch's (`cuda`, `cpu`) or Apex's (`apex`) lists. On an op, as
    `graph.autocast_region`, it is the region that the op stands in, and `name`
    is the path of all regions around it.

    `recompute` keeps no value for the backward that the region makes and does
    not yield: the backward computes them again, from what the region reads
    (activation checkpointing). It holds for regions inside too. On ops it is the
    mark `graph.recompute`.

    ```mlir
    #graph.autocast_region<name = "encoder/tail", dtype = bf16>
    #graph.autocast_region<enabled = false>
    #graph.autocast_region<name = "layer.3", recompute = true>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"regions in policy rules", "\"\"">:$name,
    DefaultValuedParameter<"bool", "true">:$enabled,
    OptionalParameter<"::mlir::FloatType", "f16 or bf16">:$dtype,
    StringRefParameter<"cuda, cpu, apex, or empty", "\"\"">:$lists,
    DefaultValuedParameter<"bool", "false">:$recompute);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_REGIONATTRS_TD
