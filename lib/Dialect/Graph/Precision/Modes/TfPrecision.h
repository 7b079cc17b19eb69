// Mode tf: the painting of TensorFlow's graph rewrite
// (tensorflow/core/grappler/optimizers/auto_mixed_precision.cc), on the forward
// graph. TensorFlow paints the joint forward and backward graph; here autodiff
// comes later and gives each gradient op the types of its primal.
//
// Vertices are ops, edges are float values. An op is *paintable* if its float
// operands are declared f32, and *processable* if none of its results is
// returned: a returned value is a fetch, and the rewrite preserves the nodes
// that are fetched. Steps, in TensorFlow's order:
//   1  Paintable, processable ops of list allow become ALLOW. None: stop.
//   2  deny spreads downstream, through infer and clear ops as far as a deny or
//      infer op follows: U = deny and infer ops and the clear ops upstream of
//      them; what is reached from a deny op inside U becomes DENY.
//   3  infer and clear ops that are neither DENY nor fetched and lie on a path
//      of such ops from an allow op to an allow op become ALLOW.
//   4  bf16 alone: an infer op with an ALLOW operand and no DENY operand
//      becomes ALLOW, in topological order.
//   5  clear ops next to ALLOW, in both directions, become ALLOW, and so on.
//   6  An ALLOW op that cannot be retyped loses the colour: such ops are not
//      paintable, so none is left. (Loops and tensor lists do not occur.)
//   7  A cast to f32 whose readers are all ALLOW gives 16 bits instead. Every
//      other border between colours gets one cast per value.
#ifndef MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_TFPRECISION_H
#define MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_TFPRECISION_H

#include "mpc/Dialect/Graph/Precision/OpPolicy.h"

namespace mpc::graph {

class TfPrecision {
public:
  explicit TfPrecision(PrecisionAnalysis &analysis) : analysis(analysis) {}

  LogicalResult run(mlir::func::FuncOp func);

private:
  enum class Color : uint8_t { None, Allow, Deny };
  struct Vertex {
    Operation *op;
    OpPolicy words;
    TensorFlowPolicy place;
    SmallVector<unsigned> operands; ///< The retypeable ones.
    bool processable;
    bool paintable;
    Color color = Color::None;
    SmallVector<unsigned> fanins = {}, fanouts = {}; ///< Indices of vertices.
  };
  using Set = std::vector<bool>; ///< Of vertices.

  LogicalResult checkRules(mlir::func::FuncOp func) const;
  void addVertices(Block &body);
  bool isPaintable(Operation *op, ArrayRef<unsigned> operands) const;

  void paintAllow();
  void paintDeny();
  void paintBetweenAllow();
  void paintInferBehindAllow();
  void paintClearNextToAllow();
  bool has(TensorFlowPolicy place, unsigned vertex) const {
    return vertices[vertex].place == place;
  }

  void retargetCasts();
  LogicalResult writeDecision(const Vertex &vertex);
  /// Whether the vertex is narrow in the type of the model.
  bool isAllowOfModel(const Vertex &vertex) const;
  std::string explain(const Vertex &vertex) const;

  PrecisionAnalysis &analysis;
  std::vector<Vertex> vertices; ///< In the order of the block.
  DenseMap<Operation *, unsigned> indexOf;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_TFPRECISION_H
