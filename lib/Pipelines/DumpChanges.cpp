// Whether a pass changed something is asked of op fingerprints, not of text:
// they are exact for ops, types and attributes and cheaper than printing.
#include "mpc/Pipelines/DumpChanges.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "mpc/Pipelines/StageTracker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <optional>

using namespace mpc;

namespace {

class DumpInstrumentation final : public mlir::PassInstrumentation {
public:
  DumpInstrumentation(StringRef directory, bool &incomplete)
      : directory(directory), incomplete(incomplete) {}

  void runBeforePass(mlir::Pass *, Operation *op) override {
    if (!last)
      last.emplace(root(op));
  }

  void runAfterPass(mlir::Pass *pass, Operation *op) override {
    if (incomplete || pass->getArgument().empty()) // An adaptor for nesting.
      return;
    StringRef stage = getName(stages.stageOf(pass->getArgument()));
    mlir::OperationFingerPrint now(root(op));
    if (*last == now)
      return;
    last = now;
    write(llvm::formatv("{0:d2}-{1}-{2}.mlir", ++count, stage,
                        pass->getArgument())
              .str(),
          root(op));
  }

private:
  static Operation *root(Operation *op) {
    while (op->getParentOp())
      op = op->getParentOp();
    return op;
  }

  void write(const std::string &name, Operation *module) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, name);
    std::error_code failed;
    llvm::raw_fd_ostream file(path, failed);
    if (!failed) {
      mlir::OpPrintingFlags flags;
      flags.elideLargeElementsAttrs(16).elideLargeResourceString(64);
      module->print(file, flags);
      file << "\n";
      file.flush();
      failed = file.error();
      file.clear_error();
    }
    if (!failed)
      return;
    incomplete = true;
    mlir::emitError(module->getLoc())
        << "cannot write dump file '" << path << "': " << failed.message();
  }

  std::string directory;
  bool &incomplete;
  StageTracker stages;
  std::optional<mlir::OperationFingerPrint> last;
  unsigned count = 0;
};

/// Dumps of an earlier run would be read as those of this one.
LogicalResult removeOldDumps(StringRef directory, std::string &message) {
  llvm::Regex name("^[0-9][0-9]+-[a-z]+-[a-z0-9-]+\\.mlir$");
  std::error_code failed;
  SmallVector<std::string> old;
  for (llvm::sys::fs::directory_iterator file(directory, failed), end;
       file != end && !failed; file.increment(failed))
    if (name.match(llvm::sys::path::filename(file->path())))
      old.push_back(file->path());
  for (const std::string &path : old)
    if (std::error_code error = llvm::sys::fs::remove(path)) {
      message = "cannot remove the old dump '" + path + "': " + error.message();
      return failure();
    }
  return success();
}

} // namespace

LogicalResult mpc::dumpChanges(mlir::PassManager &pm, StringRef directory,
                               bool &incomplete, std::string &error) {
  std::error_code code = llvm::sys::fs::create_directories(directory);
  if (!code && !llvm::sys::fs::is_directory(directory))
    code = std::make_error_code(std::errc::not_a_directory);
  if (code) {
    error =
        ("cannot create dump directory '" + directory + "': " + code.message())
            .str();
    return failure();
  }
  if (failed(removeOldDumps(directory, error)))
    return failure();
  pm.getContext()->disableMultithreading();
  pm.addInstrumentation(
      std::make_unique<DumpInstrumentation>(directory, incomplete));
  return success();
}
