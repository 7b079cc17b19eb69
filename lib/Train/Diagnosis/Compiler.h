// mpc-compile as a process of its own: this library holds no compiler, so a
// program that is needed rarely (the entry `probe`) is compiled when it is.
#ifndef MPC_LIB_TRAIN_DIAGNOSIS_COMPILER_H
#define MPC_LIB_TRAIN_DIAGNOSIS_COMPILER_H

#include "mpc/Train/Options.h"

namespace mpc::train {

/// A folder for the time of an object's life, in that for temporary files. It
/// goes with all that is in it.
class TemporaryFolder {
public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();
  const std::string &path() const { return name; }
  /// The path of the file `base` in it.
  std::string file(const std::string &base) const { return name + "/" + base; }

private:
  std::string name;
};

class Compiler {
public:
  /// Nothing is looked for yet. `stop`: see TrainOptions; or null.
  Compiler(CompilerOptions options, const std::atomic<bool> *stop)
      : options(std::move(options)), stop(stop) {}

  /// Compiles the entry `probe` of the program file `model`, from the source in
  /// it, to a file in `folder`, which it names. Fails if there is no compiler,
  /// with the compiler's own words if it fails, and if `stop` is set meanwhile:
  /// the compiler is ended then, and what it leaves is in `folder`.
  std::string compileProbe(const std::string &model,
                           const TemporaryFolder &folder) const;

private:
  std::string find() const;

  CompilerOptions options;
  const std::atomic<bool> *stop;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_DIAGNOSIS_COMPILER_H
