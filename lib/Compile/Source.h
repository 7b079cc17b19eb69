// The source in a program file: what is needed to compile the same model again,
// so that the entry `probe` can be compiled when somebody needs it.
#ifndef MPC_LIB_COMPILE_SOURCE_H
#define MPC_LIB_COMPILE_SOURCE_H

#include "mpc/Compile/Options.h"
#include "mpc/Program/Program.h"
#include "llvm/Support/Error.h"

namespace mpc::compile {

/// `model`, the text of stage `import`, where it holds the effective settings,
/// beside the options that it does not hold. Files that options name
/// are taken in; an error if one cannot be read.
llvm::Expected<std::unique_ptr<program::SourceT>>
makeSource(std::string model, const Options &options);

/// Files with the contents that options had, removed at the end.
class SourceFiles {
public:
  SourceFiles() = default;
  SourceFiles(const SourceFiles &) = delete;
  SourceFiles &operator=(const SourceFiles &) = delete;
  ~SourceFiles();
  /// The path of a new file that holds `text`.
  llvm::Expected<std::string> add(StringRef text);

private:
  std::vector<std::string> paths;
};

/// Whether these are the bytes of a program file, by the first of them.
bool isProgramFile(StringRef bytes);

/// The source in the program file `name`, which holds `bytes`. Options that
/// were given stay; the others become those of the program.
llvm::Expected<std::string> readSource(StringRef bytes, StringRef name,
                                       Options &options, SourceFiles &files);

/// Copies what options name and can be read once only (a pipe), since passes
/// read it, and makeSource reads it again.
llvm::Error keepPipes(Options &options, SourceFiles &files);

} // namespace mpc::compile

#endif // MPC_LIB_COMPILE_SOURCE_H
