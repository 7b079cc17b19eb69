// What is asked of training, evaluation and profiling: plain structs, of which
// a field that is left alone asks for nothing. Each is an option of mpc-run, by
// the name of which messages call it; docs/Running.md tells of them. In
// parentheses: what is taken where nothing is given.
#ifndef MPC_TRAIN_OPTIONS_H
#define MPC_TRAIN_OPTIONS_H

#include <mpc-c/Types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mpc::train {

/// Of a name in a program and a file, {{"x", "train-images.npy"}}, or of two
/// names.
using NamePairs = std::vector<std::pair<std::string, std::string>>;

struct ProgramFile {
  std::string path;
  /// The file's kernels may run in this process; see docs/Security.md. Without
  /// it only programs that bring none can be run.
  bool allowCode = false;
  /// What keeps code out, for the message that says so.
  std::string guard = "allowCode = false";
};

/// An input of which each sample is a window of the stream in its file: as many
/// rows as the input's dim 1 says, `offset` behind the place that all inputs of
/// the sample share.
struct WindowInput {
  std::string input;
  uint64_t offset = 0;
};

/// What is done to samples of an input, images of rows and columns, before a
/// training step takes them: drawn anew for each sample in each epoch.
struct Augmentation {
  std::string input;
  /// So many rows and columns of zeros on each side, of which as much is cut
  /// off again, anywhere.
  uint64_t crop = 0;
  bool flips = false;        ///< Left and right change places, or not.
  bool channelsLast = false; ///< The last dim is channels, not columns.
};

struct DataOptions {
  NamePairs files;                  ///< --input: of each input of the program.
  std::vector<WindowInput> windows; ///< --window
  /// --augment: of training alone, not of evaluations.
  std::vector<Augmentation> augmentations;
  std::string ignore; ///< --ignore: the input with labels; "" if not given.
  std::optional<int64_t> ignoredLabel; ///< Of these, the one with no weight.
  bool convert = false;                ///< --convert: other element types.
  bool allowNonFinite = false;         ///< --allow-non-finite
};

/// Where a program runs. Those of another target than the program's are
/// refused.
struct DeviceOptions {
  std::optional<uint64_t> threads;            ///< Target "cpu"; 0: all.
  std::optional<uint64_t> device;             ///< Target "cuda": its number.
  std::optional<uint64_t> tuningMilliseconds; ///< --tune
  bool allowTf32 = false, allowNondeterministic = false, ownAttention = false;
  bool nvtx = false;
  std::string plans;     ///< Of matrix products: read if there, and written.
  mpc_log log = nullptr; ///< What the runtime tells: which library runs what.
  void *logContext = nullptr;
};

/// The mpc-compile that diagnosis runs as a process of its own.
struct CompilerOptions {
  std::string path;   ///< --compiler; "": it is searched.
  std::string folder; ///< Searched before the PATH: of mpc-run itself; or "".
};

/// "Every 500 steps", counted from the very beginning, or a time since the
/// save before.
struct SaveInterval {
  std::optional<uint64_t> steps;
  std::chrono::seconds time{0};
};

/// Which evaluation is the best: the least "eval_loss", say.
struct BestRule {
  std::string metric; ///< Or "eval_accuracy".
  bool isLeastBest = true;

  /// "eval_loss:min".
  std::string text() const { return metric + (isLeastBest ? ":min" : ":max"); }
  bool isBetter(double value, double than) const {
    return isLeastBest ? value < than : value > than;
  }
};

/// When and where the state is saved.
struct SaveOptions {
  std::string file; ///< --save; "": no file is.
  /// --save-dir: a folder for each step, written while training goes on, by all
  /// ranks; `file` is written at the end alone then.
  std::string folder;
  std::optional<SaveInterval> every; ///< --save-every: while training goes on.
  std::optional<uint64_t> keep;      ///< --keep: the last of these stay.
  std::optional<BestRule> best;      ///< --save-best: in a file of its own.
  /// --resume-if-saved: go on from `folder` or `file` if something is there,
  /// whatever the run was to begin with (weights, another checkpoint, a loss
  /// scale): the same options begin a run and, after a fault, go on with it.
  bool resumes = false;
};

/// Where several ranks train together: processes that were launched so
/// (mpc/Ranks/Launch.h).
struct RankOptions {
  /// --collectives: what sums go by. "gloo" or "mpi", of programs for
  /// processors; "nccl", of those for GPUs; "": on processors as what launched
  /// the ranks has it.
  std::string collectives;
  /// --shares: which samples are a rank's. "interleaved" (""): every N-th of
  /// the epoch's order, as with PyTorch's DistributedSampler; "contiguous": one
  /// of N parts of the files.
  std::string shares;
  /// --timeout: seconds that a rank waits for another (30).
  std::optional<uint64_t> timeout;
  /// --check-every: steps after which states are compared (100; on GPUs, of
  /// which they have to be copied, 1000); 0: never.
  std::optional<uint64_t> checkEvery;
};

struct TrainOptions {
  ProgramFile program;
  DataOptions data;
  DeviceOptions device;
  RankOptions ranks;

  // How long: epochs (1) or steps, from the very beginning, resumed or not.
  std::optional<uint64_t> epochs, steps;
  std::optional<uint64_t> seed; ///< Of first values and order (0).
  bool shuffle = true;          ///< Off: --no-shuffle.
  std::optional<double> lr;     ///< Another learning rate than the program's.

  // What to begin with: at most one of these.
  std::string weights; ///< Parameters of a safetensors file.
  /// A checkpoint: goes on as if it had never stopped. A file, a folder of one
  /// step, or of steps: the newest that is complete.
  std::string resume;

  // Steps that overflow: tried again, and how many in a row end training.
  std::optional<uint64_t> retry;    ///< (0)
  std::optional<uint64_t> maxSkips; ///< (20); 0: never.
  std::optional<double> scale;      ///< The loss scale to begin with.
  bool explainSkips = false;        ///< --on-overflow=explain: a note each.
  CompilerOptions compiler;         ///< For explanations.

  // Test data: evaluated after epochs or steps, and at the end.
  NamePairs evalFiles;               ///< --eval-input
  std::optional<uint64_t> evalEvery; ///< Epochs (1).
  std::optional<uint64_t> evalSteps; ///< Steps, in the place of epochs.
  NamePairs accuracy; ///< A logits output and its label input, behind which
                      ///< ",class_dim=1" may say where the classes are.

  // What is written; "": nothing.
  SaveOptions saving;
  std::string metrics; ///< A line of JSON for each step. Where it is a pipe of
                       ///< which the reader goes away, SIGPIPE comes.
  /// Of several ranks: the same lines of each by itself, before means are made,
  /// in a file with "rank-0" in its name, and so on.
  std::string rankMetrics;
  std::string summary; ///< The result as JSON.
  NamePairs outputs;   ///< --output: outputs of the last step.
  /// When each record of two steps ran, for Perfetto; target "cpu".
  std::string timeline;
  bool timings = false; ///< A table of the same of all steps, as a note.
  /// What both compare times with: GB/s of a copy, GFLOP/s of products
  /// (measured).
  std::optional<double> copyRate, productRate;

  /// Set by whoever wants training to end after the step under way, from any
  /// thread or signal handler; all is saved then.
  const std::atomic<bool> *stop = nullptr;
};

/// Of evaluate(), and of predict(), which takes no accuracy and no metrics.
struct EvaluateOptions {
  ProgramFile program;
  DataOptions data;
  DeviceOptions device;
  std::string weights; ///< Needed if the program has parameters.
  NamePairs outputs;   ///< --output: of all samples. "" as a file: none.
  NamePairs accuracy;  ///< As in TrainOptions.
  std::string metrics; ///< The result as a line of JSON; "": nowhere.
};

struct ProfileOptions {
  ProgramFile program;
  DataOptions data;
  DeviceOptions device;
  std::optional<uint64_t> steps, seed; ///< (16), (0)
  std::string weights, resume;         ///< To begin with: at most one.
  CompilerOptions compiler;
  std::string output; ///< -o: the profile, JSON. Needed.
  /// As in TrainOptions; nothing is written then.
  const std::atomic<bool> *stop = nullptr;
};

} // namespace mpc::train

#endif // MPC_TRAIN_OPTIONS_H
