// Text from a model that predicts the token that follows, as `mpc-run sample`
// makes it.
#ifndef MPC_TRAIN_SAMPLE_H
#define MPC_TRAIN_SAMPLE_H

#include "mpc/Train/Options.h"
#include "mpc/Train/Status.h"

#include <functional>
#include <string_view>

namespace mpc::train {

/// The entry `forward` of the program reads tokens, [batch, context], and
/// nothing else that is not for the loss alone; what it says of each place is
/// an output of logits, one row for each token. The first sample of the batch
/// is the text; mpc-compile --inference --drop-loss --batch=1 makes a program
/// that computes no others. Of a text that is longer than the context, the end
/// is read.
struct SampleOptions {
  ProgramFile program;
  DeviceOptions device;
  std::string weights;         ///< Needed if the program has parameters.
  bool convert = false;        ///< --convert: weights of other element types.
  bool allowNonFinite = false; ///< --allow-non-finite: weights that are not.
  std::string logits;          ///< --logits: the output's name ("logits").
  /// --vocabulary: what tokens stand for, a JSON list (mpc-run sample --help);
  /// "": prompt and result are numbers, one behind the other.
  std::string vocabulary;
  std::string prompt;             ///< How the text begins. Needed.
  std::optional<uint64_t> tokens; ///< How many to add (256).
  std::optional<uint64_t> seed;   ///< Of the choice among tokens (0).
  /// Logits are divided by it; 0: always the likeliest (1).
  std::optional<double> temperature;
  std::optional<uint64_t> topK; ///< Of the likeliest K only (all).
  /// Set by whoever wants it to end after the token under way.
  const std::atomic<bool> *stop = nullptr;
};

/// Tells the text as it comes, the prompt first: `onText` gets whole characters
/// of UTF-8, and U+FFFD for bytes that are none. Returns how many tokens were
/// added: fewer than asked for where `stop` was set.
Expected<uint64_t> sample(const SampleOptions &options,
                          const std::function<void(std::string_view)> &onText);

} // namespace mpc::train

#endif // MPC_TRAIN_SAMPLE_H
