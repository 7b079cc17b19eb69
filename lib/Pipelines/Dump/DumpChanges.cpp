// Whether a pass changed something is asked of op fingerprints, not of text:
// they are exact for ops, types and attributes and cheaper than printing.
#include "mpc/Pipelines/DumpChanges.h"
#include "Layout.h"
#include "LocationNames.h"
#include "Naming.h"
#include "PrintedNames.h"
#include "Rename.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "mpc/Pipelines/StageTracker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <optional>

using namespace mpc;

namespace {

class DumpInstrumentation final : public mlir::PassInstrumentation {
public:
  DumpInstrumentation(StringRef directory, StringRef model,
                      dump::LocationNames names, bool &incomplete)
      : directory(directory), model(model), names(std::move(names)),
        incomplete(incomplete) {}

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
          describe(stage, *pass) + print(root(op)), root(op)->getLoc());
  }

private:
  static Operation *root(Operation *op) {
    while (op->getParentOp())
      op = op->getParentOp();
    return op;
  }

  /// The comment that begins a dump.
  std::string describe(StringRef stage, mlir::Pass &pass) const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    pass.printAsTextualPipeline(stream);
    return comment("model: " + model) + comment("stage: " + stage) +
           comment("pass: " + dump::dropEmptyOptions(text));
  }

  /// `text` may hold what somebody typed; a comment ends with its line.
  static std::string comment(const Twine &text) {
    std::string line = ("// " + text).str();
    for (char &c : line)
      if (llvm::isSpace(c))
        c = ' ';
    return line + "\n";
  }

  std::string print(Operation *module) const {
    mlir::OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(16).elideLargeResourceString(64);
    mlir::AsmState::LocationMap lines;
    mlir::AsmState state(module, flags, &lines);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, state);
    dump::PrintedNames printed(module, state);
    llvm::BumpPtrAllocator memory;
    llvm::StringSaver strings(memory);
    auto values = dump::nameValues(module, names, printed, strings);
    text = dump::renameValues(text, lines, values, printed);
    return dump::breakSignatures(text);
  }

  void write(const std::string &name, const std::string &text,
             Location location) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, name);
    std::error_code failed;
    llvm::raw_fd_ostream file(path, failed);
    if (!failed) {
      file << text;
      file.flush();
      failed = file.error();
      file.clear_error();
    }
    if (!failed)
      return;
    incomplete = true;
    mlir::emitError(location)
        << "cannot write dump file '" << path << "': " << failed.message();
  }

  std::string directory, model;
  dump::LocationNames names;
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
                               llvm::MemoryBufferRef model, bool &incomplete,
                               std::string &error) {
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
  pm.addInstrumentation(std::make_unique<DumpInstrumentation>(
      directory, llvm::sys::path::filename(model.getBufferIdentifier()),
      dump::LocationNames(model, pm.getContext()), incomplete));
  return success();
}
