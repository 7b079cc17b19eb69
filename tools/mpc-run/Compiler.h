// mpc-compile as a process of its own: mpc-run holds no compiler, so a program
// that is needed rarely (the entry `probe`) is compiled when it is.
#ifndef MPC_TOOLS_MPC_RUN_COMPILER_H
#define MPC_TOOLS_MPC_RUN_COMPILER_H

#include <string>
#include <vector>

namespace mpc::run {

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
  /// `path`: the mpc-compile to use; "" takes the one beside mpc-run, else the
  /// first on the PATH. Nothing is looked for yet.
  explicit Compiler(std::string path) : path(std::move(path)) {}

  /// Compiles the entry `probe` of the program file `model`, from the source in
  /// it, to a file in `folder`, which it names. Fails if there is no compiler,
  /// with the compiler's own words if it fails, and if the run is asked to end
  /// meanwhile (see Interrupt.h): the compiler is ended then, and what it
  /// leaves is in `folder`.
  std::string compileProbe(const std::string &model,
                           const TemporaryFolder &folder) const;

private:
  std::string find() const;

  std::string path;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_COMPILER_H
