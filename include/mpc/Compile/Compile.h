// One compilation, from the bytes of a model to those of a program file: every
// stage, then kernels, then records. mpc-compile and libmpcc call this.
//
// Nothing is printed, and nothing of one compilation is shared with another,
// but for the cache of kernels on disk: several threads may compile at once.
// What LLVM itself would end the process for (report_fatal_error), and an end
// of memory, are a failure of the compilation (mpc/Target/FatalErrors.h).
#ifndef MPC_COMPILE_COMPILE_H
#define MPC_COMPILE_COMPILE_H

#include "mpc/CommandLine/Exit.h"
#include "mpc/Compile/Options.h"
#include "mpc/Support/DType.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mpc::compile {

using cli::Exit;

struct Model {
  StringRef bytes;  ///< Text, bytecode, or a program file of which `probe` is
                    ///< compiled. Read only while the compilation runs.
  std::string name; ///< In locations and messages: a path, or what you like.
  /// The byte after the last one is there, and 0: text is not copied then.
  bool isTerminated = false;
};

enum class Severity { Error, Warning, Remark, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string message;
  std::string file;              ///< Empty: about no place of the model.
  unsigned line = 0, column = 0; ///< From 1; 0 without a file.
  std::vector<Diagnostic> notes; ///< They have no text and no notes.
  /// The whole as people read it, with its notes, the lines of the model and
  /// carets. Ends with a newline. Empty if this is not about the model.
  std::string text;
};

/// Who hears of a compilation. Each function may be empty, and none is called
/// by two threads at a time, most often not by the caller's.
struct Listener {
  std::function<void(const Diagnostic &)> diagnostic;
  /// Takes what options with "print" in their names ask for, piece by piece.
  std::function<void(StringRef text)> report;
  /// Takes a line about each stage that has ended, with its time, and a
  /// newline.
  std::function<void(StringRef line)> progress;
  /// Whether `Diagnostic::text` has the colours of a terminal.
  bool colored = false;
};

/// A first value of a parameter or a running statistic, row-major and
/// little-endian.
struct Weight {
  std::string name;
  DType type; ///< F32 or F64.
  std::vector<int64_t> shape;
  ArrayRef<char> bytes; ///< In the compilation's memory.
};

struct Compiled {
  std::vector<uint8_t> program; ///< The program file.
  /// What a model in ONNX's format brings for states that the program has.
  std::vector<Weight> weights;
  std::shared_ptr<const void> memory; ///< Of the weights' bytes.
};

/// Compiles, on a thread of its own; `compiled` is set on success, and left
/// alone otherwise. The weights also go to the file of the options, if they
/// name one. At least one error was told to the listener on failure.
/// Exit::Usage: an option is wrong; BadInput: the model, or a file that an
/// option names; Failed: the system, a tool or LLVM, or there is no memory.
Exit compile(const Model &model, const Options &options,
             const Listener &listener, Compiled &compiled);

} // namespace mpc::compile

#endif // MPC_COMPILE_COMPILE_H
