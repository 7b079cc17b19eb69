#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

Value AddOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value SubOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value MulOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value DivOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value PowOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value MaximumOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value MinimumOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value NegOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value AbsOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value ExpOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value LogOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value SqrtOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value RsqrtOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value ErfOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value TanhOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value SigmoidOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value ReluOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value GeluOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value CompareOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
Value SelectOp::buildBody(mlir::ImplicitLocOpBuilder &, ValueRange) { return {}; }
