// Where a step's first infinity or NaN came from.
//
// A value is bad if it has an element that is not finite; a producer is a bad
// value of which everything that it was made from is good. Only what leads to a
// bad loss or gradient counts: a mask of -inf that softmax turns to zero does
// not. The answer is the first producer in the order of the program.
#ifndef MPC_LIB_TRAIN_DIAGNOSIS_OVERFLOWEXPLANATION_H
#define MPC_LIB_TRAIN_DIAGNOSIS_OVERFLOWEXPLANATION_H

#include "Probe.h"

#include <memory>

namespace mpc::train {

/// Numbers of values, in the order of the program.
struct OverflowExplanation {
  /// The first producer, or nothing if every value is finite.
  std::optional<size_t> first;
  /// Whether it leads to a bad loss or gradient. If nothing bad does, `first`
  /// is the first producer of all that is no constant.
  bool reachesSink = false;
  std::vector<size_t> others; ///< Further producers that lead there.
  /// Where infinities became the first NaN, if that is not at `first`.
  std::optional<size_t> firstNan;
  std::vector<size_t> sinks;        ///< Bad loss and gradients.
  std::vector<size_t> nearOverflow; ///< Good ones, the nearest first.
  size_t badForward = 0, badBackward = 0;

  bool isLossBad(const std::vector<ObservedValue> &values) const;
};

OverflowExplanation explainOverflow(const std::vector<ObservedValue> &values);

/// The explanation for people, lines that end with a newline.
std::string describe(const OverflowExplanation &explanation,
                     const std::vector<ObservedValue> &values);

/// Watches a training run and explains its skipped steps.
class OverflowWatch {
public:
  /// `file`: what `program` was loaded from.
  OverflowWatch(const rt::Program &program, ProgramFile file, Compiler compiler,
                std::optional<uint64_t> threads)
      : program(program), file(std::move(file)), compiler(std::move(compiler)),
        threads(threads) {}

  /// To be called in front of each step: keeps the small states that also a
  /// skipped step changes (loss scale, counters), and the parameters if some
  /// of them move although others are skipped.
  void beforeStep(const rt::Session &session);
  /// The loss scale of the step to explain, where beforeStep was not called.
  void useScale(double scale);
  /// Replays the step that was just skipped with its own inputs, one batch per
  /// micro-batch. Compiles the program for it the first time.
  std::string explain(const rt::Session &session,
                      std::span<const data::Batch> batches);

  /// What a replay of the step after the one that is asked for tells of that,
  /// for a diagnosis; does not end with a newline.
  std::string explainLate(const rt::Session &session,
                          std::span<const data::Batch> batches);

private:
  struct Replay {
    std::string text;
    bool isBad; ///< A loss or a gradient was not finite.
  };
  Replay replay(const rt::Session &session,
                std::span<const data::Batch> batches);

  const rt::Program &program;
  ProgramFile file;
  Compiler compiler;
  std::optional<uint64_t> threads;
  double firstDraw(const rt::Session &session, const mpc_state_info &state,
                   size_t count) const;
  StateValues before;
  std::unique_ptr<Probe> probe;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_DIAGNOSIS_OVERFLOWEXPLANATION_H
