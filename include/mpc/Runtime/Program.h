// A program that is ready to run: a verified file and, where the caller allows
// code, the kernels for this processor. Immutable; sessions share it.
#ifndef MPC_RUNTIME_PROGRAM_H
#define MPC_RUNTIME_PROGRAM_H

#include "mpc/Program/Program.h"
#include "mpc/Runtime/Log.h"

#include <memory>

namespace mpc::runtime {

/// void kernel(args, lo, hi): computes the work items [lo, hi).
using KernelFunction = void (*)(void *const *args, int64_t lo, int64_t hi);

struct LoadOptions {
  /// Whether the kernels in the file may be loaded into this process or onto
  /// its device. Without it a program that has some can be described, but not
  /// run.
  bool allowCode = false;
  Log log;
};

class CodeLibrary;

class Program {
public:
  static Result<std::shared_ptr<const Program>>
  open(const std::string &path, const LoadOptions &options);
  static Result<std::shared_ptr<const Program>>
  copy(std::span<const uint8_t> bytes, const LoadOptions &options);
  ~Program();

  const program::ProgramFile &file() const { return contents; }
  /// The code section in use ("x86-64-v4"); empty if there are no kernels or
  /// their device chooses when a session is made.
  const std::string &codeTarget() const { return target; }
  /// Whether it is for a GPU, not for the processor.
  bool isForDevice() const;
  /// Whether sessions can be made: CodeNotAllowed if it has kernels and the
  /// caller did not allow code.
  Status checkRunnable() const;
  /// By kernel number; target "cpu" only.
  KernelFunction kernel(uint32_t index) const { return kernels[index]; }

private:
  explicit Program(program::ProgramFile contents);
  static Result<std::shared_ptr<const Program>>
  load(program::ProgramFile contents, const LoadOptions &options);
  Status loadCode(const LoadOptions &options);

  program::ProgramFile contents;
  std::unique_ptr<CodeLibrary> code;
  std::vector<KernelFunction> kernels;
  std::string target;
  bool codeAllowed = false;
};

/// Whether this processor and system can run code for `target`; if not,
/// `missing` names the features it lacks.
bool canRun(std::string_view target, std::string *missing = nullptr);

} // namespace mpc::runtime

#endif // MPC_RUNTIME_PROGRAM_H
