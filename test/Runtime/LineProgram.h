// A whole training program by hand: fit t = w x + b to 32 points by gradient
// descent. What mpc-compile makes of examples/embed/line.mlir, in miniature.
// And the points.
#ifndef MPC_TEST_RUNTIME_LINEPROGRAM_H
#define MPC_TEST_RUNTIME_LINEPROGRAM_H

#include "HandMade.h"
#include "Kernels.h"
#include "mpc/Runtime/Session.h"

namespace mpc::test {

inline HandMade makeLineProgram() {
  HandMade made;
  constexpr ElementType f32 = ElementType::F32;
  Arg w = made.state("w", f32, {1, 1}, Init(InitKind::Normal, 0, 0.1));
  Arg b = made.state("b", f32, {1});
  Arg copy = made.state("w.copy", f32, {1, 1}, Init(InitKind::Derived, 0, 0),
                        Role::WeightCopy);
  Arg lr = made.state("optimizer.lr", f32, {}, Init(InitKind::Fill, 0.1, 0),
                      Role::Hyperparameter);
  made.program.states[2]->of = "w";
  Arg loss = made.arena(4), dw = made.arena(4), db = made.arena(4);

  HandMade::record(made.entry("init"), RecordKind::Copy, 0, {w, copy}, 4);

  uint32_t line = made.kernel("k_line", {128, 128, 4, 4, 4, 4, 4}, 3);
  uint32_t sgd = made.kernel("k_sgd", {4, 4, 4}, 1);
  made.program.names = {"the line at line.mlir:3", "the update"};
  EntryT &step = made.entry("step");
  Arg x = HandMade::input(step, "x", f32, {32, 1});
  Arg target = HandMade::input(step, "target", f32, {32, 1});
  HandMade::record(step, RecordKind::Launch, line,
                   {x, target, w, b, loss, dw, db}, 1, 1, 0);
  HandMade::record(step, RecordKind::Launch, sgd, {lr, dw, w}, 1, 1, 1);
  HandMade::record(step, RecordKind::Launch, sgd, {lr, db, b}, 1, 1, 1);
  HandMade::record(step, RecordKind::Copy, 0, {w, copy}, 4);
  HandMade::output(step, "loss", f32, {}, loss);
  made.code("x86-64-v3", readKernels());
  return made;
}

/// 32 points of t = 3 x - 1.
struct Line {
  float x[32], t[32];
  Line() {
    for (int i = 0; i < 32; ++i) {
      x[i] = static_cast<float>(i - 16) / 16;
      t[i] = 3 * x[i] - 1;
    }
  }
  std::vector<runtime::Input> inputs() const { return {{x, 128}, {t, 128}}; }
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_LINEPROGRAM_H
