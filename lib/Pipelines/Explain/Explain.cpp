#include "mpc/Pipelines/Explain.h"
#include "Sightings.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mpc/Pipelines/StageTracker.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <functional>
#include <map>

using namespace mpc;
using namespace mpc::explain;

namespace {

/// What a stage did to one value: where it is after the stage, and why.
struct Chapter {
  std::vector<std::string> lines;
  std::vector<std::string> rules;
};

/// The text of a remark that became a diagnostic, without its address:
/// `[Passed] cast | Category:p | Function=f | Remark="text"`.
std::string textOf(const mlir::Diagnostic &diagnostic) {
  std::string whole = diagnostic.str();
  StringRef text = whole;
  StringRef kind = text.split(" | ").first;
  StringRef rest = text.rsplit(" | ").second;
  if (rest.consume_front("Remark=\""))
    return rest.drop_back().str();
  return (kind.rsplit(' ').second + ": " + rest).str();
}

} // namespace

class Explanation::Recorder {
public:
  Recorder(std::vector<WatchedValue> values, ModuleOp module)
      : values(std::move(values)), module(module),
        stories(this->values.size()) {
    look("given");
    takeRemarks();
  }

  ~Recorder() { module.getContext()->getDiagEngine().eraseHandler(handler); }

  void beforePass() {
    watchGroups(last);
    watchReaders(last);
  }

  void afterPass(StringRef pass) {
    std::string stage = getName(stages.stageOf(pass)).str();
    std::vector<Sighting> before = last;
    look(stage);
    std::vector<Sighting> gone = findGone(before);
    std::vector<Sighting> moved = followReaders(module, gone);
    if (!moved.empty())
      look(stage);
    for (auto &[id, text] : pending)
      addRule(id, stage, pass.str() + ": " + text);
    pending.clear();
    for (const Sighting &old : gone) {
      bool isMoved = llvm::any_of(
          moved, [&](const Sighting &other) { return other.isSame(old); });
      addRule(old.id, stage,
              pass.str() + ": " +
                  (isMoved ? "an equal value takes its place in "
                           : "it is gone from ") +
                  old.place);
    }
  }

  void print(llvm::raw_ostream &stream) const {
    for (auto [value, story] : llvm::zip(values, stories)) {
      stream << value.name << " = " << value.what << " in " << value.function
             << ", " << value.location << "\n";
      ArrayRef<std::string> before;
      for (const auto &[stage, chapter] : story) {
        printChapter(stage, chapter, before, stream);
        before = chapter.lines;
      }
    }
  }

private:
  /// Remarks need no streamer of their own: as diagnostics they come here.
  void takeRemarks() {
    MLIRContext *context = module.getContext();
    mlir::remark::RemarkCategories all{".*", ".*", ".*", ".*", ".*"};
    (void)mlir::remark::enableOptimizationRemarks(
        *context, nullptr,
        std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), all,
        /*printAsEmitRemarks=*/true);
    handler = context->getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Remark)
            return failure();
          for (int64_t id : graph::idsWithin(diagnostic.getLocation()))
            pending.emplace_back(id, textOf(diagnostic));
          return success();
        });
  }

  /// What the module says of the values now is the end of `stage` so far.
  void look(const std::string &stage) {
    last = findSightings(module, values, last);
    for (size_t id = 0; id < values.size(); ++id)
      stories[id][stage].lines.clear();
    for (const Sighting &sighting : last)
      llvm::append_range(stories[sighting.id][stage].lines,
                         sighting.describe(values[sighting.id]));
  }

  void addRule(int64_t id, const std::string &stage, std::string rule) {
    std::vector<std::string> &rules = stories[id][stage].rules;
    if (!llvm::is_contained(rules, rule))
      rules.push_back(std::move(rule));
  }

  /// Values that were in a function which is still there, and are not now.
  std::vector<Sighting> findGone(ArrayRef<Sighting> before) const {
    std::vector<Sighting> gone;
    for (const Sighting &old : before) {
      StringRef function = old.place;
      bool isThere = llvm::any_of(last, [&](const Sighting &now) {
        return now.id == old.id && now.kind == old.kind &&
               now.place == old.place;
      });
      if (!isThere && function.consume_front("@") &&
          mlir::SymbolTable::lookupSymbolIn(module, function))
        gone.push_back(old);
    }
    return gone;
  }

  static void printChapter(StringRef stage, const Chapter &chapter,
                           ArrayRef<std::string> before,
                           llvm::raw_ostream &stream) {
    constexpr StringRef indent = "             ";
    stream << "  " << llvm::left_justify(stage, 11);
    if (chapter.lines.empty())
      stream << "nowhere\n";
    else if (ArrayRef(chapter.lines) == before)
      stream << "as before\n";
    else
      for (auto [at, line] : llvm::enumerate(chapter.lines))
        stream << (at ? indent : "") << line << "\n";
    for (const std::string &rule : chapter.rules)
      stream << indent << "by " << rule << "\n";
  }

  std::vector<WatchedValue> values;
  ModuleOp module;
  /// Per value its chapters by stage, in the order in which stages ran.
  std::vector<
      llvm::MapVector<std::string, Chapter, std::map<std::string, unsigned>>>
      stories;
  std::vector<Sighting> last;
  /// Remarks of the pass that runs.
  std::vector<std::pair<int64_t, std::string>> pending;
  StageTracker stages;
  mlir::DiagnosticEngine::HandlerID handler;
};

namespace {

/// Passes on the module only: what runs on a part of it is seen from there.
class Watcher final : public mlir::PassInstrumentation {
public:
  Watcher(std::function<void()> before, std::function<void(StringRef)> after)
      : before(std::move(before)), after(std::move(after)) {}

  void runBeforePass(mlir::Pass *, Operation *op) override {
    if (isa<ModuleOp>(op))
      before();
  }
  void runAfterPass(mlir::Pass *pass, Operation *op) override {
    if (isa<ModuleOp>(op) && !pass->getArgument().empty())
      after(pass->getArgument());
  }

private:
  std::function<void()> before;
  std::function<void(StringRef)> after;
};

} // namespace

Explanation::Explanation(std::vector<WatchedValue> values, ModuleOp module,
                         mlir::PassManager &pm)
    : recorder(std::make_shared<Recorder>(std::move(values), module)) {
  // Passes on functions would otherwise send their remarks at the same time.
  pm.getContext()->disableMultithreading();
  pm.addInstrumentation(std::make_unique<Watcher>(
      [recorder = recorder] { recorder->beforePass(); },
      [recorder = recorder](StringRef pass) { recorder->afterPass(pass); }));
}

Explanation::~Explanation() = default;

void Explanation::print(llvm::raw_ostream &stream) const {
  recorder->print(stream);
}
