// What recurrent ops are made of: a product over all steps and a scan.
//
//   Scan scan(builder, op, steps, reverse);
//   Expr state = scan.carry(initial), now = scan.each(inputs);
//   Expr next = tanh(state + now);
//   scan.setNext(next);
//   unsigned states = scan.stack(next);
//   scan.finish(); // then scan.last(0) and scan.stacked(states)
//
// Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_TIME_STEPS_H
#define MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_TIME_STEPS_H

#include "../Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Recurrent.h"

namespace mpc::graph {

/// Builds a scan. What its body takes is told first, then the body is built.
class Scan {
public:
  Scan(mlir::ImplicitLocOpBuilder &builder, Operation *op, int64_t steps,
       bool reverse);
  ~Scan();

  /// Each answers with the argument of the body; of carried values it must be
  /// told what they are in the next step, before `finish`.
  Expr carry(Value initial);
  /// Element t + `shift`, or `edge`.
  Expr each(Value sequence, int64_t shift = 0, Value edge = {});
  Expr with(Value constant);

  /// In the body, casts name the op that is decomposed.
  Decomposition &inside() { return *body; }
  void setNext(ArrayRef<Expr> carried);
  /// Number of a result that is a sequence of such elements.
  unsigned stack(Expr element);
  void finish();

  /// What carried value `number` is after the last step, and the sequences.
  Expr last(unsigned number) const;
  Expr stacked(unsigned number) const;

private:
  Expr addArgument(Value value, bool isSequence);

  mlir::ImplicitLocOpBuilder &outer;
  std::unique_ptr<mlir::Region> region;
  mlir::ImplicitLocOpBuilder inner;
  std::unique_ptr<Decomposition> body;
  int64_t steps;
  bool reverse;
  SmallVector<Value> carried, sequences, edges, constants;
  SmallVector<Value> carriedArgs, sequenceArgs, constantArgs;
  SmallVector<int64_t> shifts;
  SmallVector<Value> next, elements;
  Operation *op = nullptr; ///< The scan.
};

/// lhs * rhs, accumulated and left in the compute type.
Expr multiplyWide(Expr lhs, Expr rhs, bool transposeRhs);
/// Part `number` of as many of `width` as there are in the last dim of `x`.
Expr takePart(Expr x, int64_t number, int64_t width);
/// Parts one after the other in the last dim; part i comes to lie at
/// `places`[i].
Expr joinParts(ArrayRef<Expr> parts, ArrayRef<int64_t> places);
/// Zeros of `shape`.
Expr makeZeros(mlir::ImplicitLocOpBuilder &builder, ArrayRef<int64_t> shape,
               Type element);
/// Which steps are some of each sequence, [time, batch, 1]; no value if all
/// are.
Expr findValid(mlir::ImplicitLocOpBuilder &builder, Value lengths,
               int64_t steps);

/// What the forward ops have in common.
class Layer {
public:
  template <typename Op>
  Layer(mlir::ImplicitLocOpBuilder &builder, Op op, int64_t gates)
      : b(builder), d(builder, op), input(op.getInput()),
        inputWeight(op.getInputWeight()), stateWeight(op.getStateWeight()),
        inputBias(op.getInputBias()), stateBias(op.getStateBias()),
        given(op.getInitial()), isBatchFirst(op.getBatchFirst()),
        reverse(op.getReverse()), gates(gates) {
    auto type = cast<RankedTensorType>(input.getType());
    steps = type.getDimSize(isBatchFirst ? 1 : 0);
    batch = type.getDimSize(isBatchFirst ? 0 : 1);
    features = type.getDimSize(2);
    width = cast<RankedTensorType>(stateWeight.getType()).getDimSize(1);
    element = type.getElementType();
    wide = getComputeType(element);
    valid = findValid(b, op.getLengths(), steps);
  }

  /// input * input_weight^T, [time, batch, gates * width] in the compute type,
  /// with `bias`, which may be none.
  Expr makeInputSums(Expr bias);
  /// Both biases, or none.
  Expr addBiases();
  Expr widenBias(Value bias) { return bias ? d.wide(bias) : Expr(); }
  Expr initial();
  /// The last element of a sequence.
  Expr takeLast(Expr sequence);
  /// The output that `states` are.
  Expr makeOutput(Expr states);

  mlir::ImplicitLocOpBuilder &b;
  Decomposition d;
  Value input, inputWeight, stateWeight, inputBias, stateBias, given;
  bool isBatchFirst, reverse;
  int64_t gates, steps, batch, features, width;
  Type element, wide;
  Expr valid;
};

/// What the scans of backward ops have in common: the cotangent of the state
/// after a step is that of the output, a product with the gradients of the next
/// step, and what goes past that product: in steps that are none of their
/// sequence all of it, in others something if `hasPast`.
class BackwardScan {
public:
  template <typename Op>
  BackwardScan(mlir::ImplicitLocOpBuilder &builder, Op op, bool hasPast)
      : b(builder), d(builder, op), cotangent(op.getOutputCotangent()),
        last(op.getLastCotangent()),
        scan(builder, op,
             cast<RankedTensorType>(op.getOutputCotangent().getType())
                 .getDimSize(0),
             !op.getReverse()),
        isReversed(op.getReverse()), passes(hasPast || op.getLengths()) {
    auto type = cast<RankedTensorType>(cotangent.getType());
    steps = type.getDimSize(0);
    batch = type.getDimSize(1);
    width = type.getDimSize(2);
    element = type.getElementType();
    wide = getComputeType(element);
    Expr sequence = findValid(b, op.getLengths(), steps);
    begin(sequence, op.getStateWeight());
  }

  /// Carries something besides; its number is that of the results.
  Expr carry(Value initial) { return scan.carry(initial); }
  unsigned numberOfOther(unsigned other) const { return 1 + passes + other; }
  /// The element of the step before of what the forward made.
  Expr eachBefore(Value sequence, Value initial);
  /// `x` in a step that is one of its sequence, else 0.
  Expr onlyValid(Expr x);
  /// Ends the body: `product` and `past` are what the step before gets, the
  /// latter none where nothing goes past. Other carried values follow.
  void setNext(Expr product, Expr past, ArrayRef<Expr> others = {});
  /// The cotangent of the first state.
  Expr first();

  mlir::ImplicitLocOpBuilder &b;
  Decomposition d;
  Value cotangent, last;
  Scan scan;
  bool isReversed, passes;
  int64_t steps, batch, width;
  Type element, wide;
  /// In the body: of the state after the step, in all and without the output's;
  /// what is the weight of states; the step's validity, or none.
  Expr state, carried, weight, valid;

private:
  void begin(Expr sequence, Value stateWeight);
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_TIME_STEPS_H
