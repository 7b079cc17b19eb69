// mpc-compile as a process of its own: mpc-run holds no compiler, so a program
// that is needed rarely (the entry `probe`) is compiled when it is.
#ifndef MPC_TOOLS_MPC_RUN_COMPILER_H
#define MPC_TOOLS_MPC_RUN_COMPILER_H

#include <string>
#include <vector>

namespace mpc::run {

/// A file for the time of an object's life, in the folder for temporary files.
class TemporaryFile {
public:
  TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();
  const std::string &path() const { return name; }

private:
  std::string name;
};

class Compiler {
public:
  /// `path`: the mpc-compile to use; "" takes the one beside mpc-run, else the
  /// first on the PATH. Nothing is looked for yet.
  explicit Compiler(std::string path) : path(std::move(path)) {}

  /// Compiles the entry `probe` of the program file `model`, from the source in
  /// it, to the file `output`. Fails if there is no compiler, and with the
  /// compiler's own words if it fails.
  void compileProbe(const std::string &model, const std::string &output) const;

private:
  std::string find() const;

  std::string path;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_COMPILER_H
