#include "Injection.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/InitAll.h"
#include "mpc/Target/ArtifactCache.h"
#include "mpc/Target/ExportProgram.h"
#include "llvm/Support/Path.h"

using namespace mpc;
using namespace mpc::test;
using mlir::func::FuncOp;

namespace {

std::string placeOf(Location location) {
  std::string place;
  location->walk([&](Location inner) {
    auto file = dyn_cast<mlir::FileLineColLoc>(inner);
    if (!file)
      return mlir::WalkResult::advance();
    place = llvm::sys::path::filename(file.getFilename().getValue()).str() +
            ":" + std::to_string(file.getLine()) + ":" +
            std::to_string(file.getColumn());
    return mlir::WalkResult::interrupt();
  });
  return place;
}

/// Gives every float result of a step its scalar input.
class Injector {
public:
  explicit Injector(FuncOp step) : step(step) {}

  std::vector<InjectionSite> run() {
    bool isBackward = false;
    Block &body = step.getBody().front();
    for (Operation &op :
         llvm::make_early_inc_range(body.without_terminator())) {
      isBackward |= op.hasAttr(graph::kSeedAttr);
      if (made.contains(&op) || op.hasTrait<mlir::OpTrait::ConstantLike>())
        continue;
      for (OpResult result : op.getResults())
        if (isa<mlir::FloatType>(mlir::getElementTypeOrSelf(result)))
          inject(result, isBackward);
    }
    return std::move(sites);
  }

private:
  Value addInput(const std::string &name) {
    OpBuilder builder(step.getContext());
    unsigned index = step.getNumArguments();
    NamedAttribute mark(builder.getStringAttr(graph::kInputAttr),
                        builder.getStringAttr(name));
    (void)step.insertArgument(index,
                              RankedTensorType::get({}, builder.getF32Type()),
                              builder.getDictionaryAttr(mark), step.getLoc());
    return step.getArgument(index);
  }

  void inject(OpResult result, bool isBackward) {
    Operation *op = result.getOwner();
    std::string name = "inject." + std::to_string(sites.size());
    Value amount = addInput(name);
    mlir::ImplicitLocOpBuilder builder(op->getLoc(), step.getContext());
    builder.setInsertionPointAfter(op);
    auto type = cast<RankedTensorType>(result.getType());
    auto wide = type.clone(builder.getF32Type());
    auto cast = [&](Value value, Type to) -> Value {
      return value.getType() == to
                 ? value
                 : graph::CastOp::create(builder, to, value, StringAttr());
    };
    Value first = cast(result, wide);
    Value sum = graph::AddOp::create(builder, wide, first, amount);
    sum = graph::AddOp::create(builder, wide, sum, amount);
    Value last = cast(sum, type);
    for (Operation *next = op->getNextNode();
         next != last.getDefiningOp()->getNextNode();
         next = next->getNextNode())
      made.insert(next);
    result.replaceUsesWithIf(
        last, [&](OpOperand &use) { return !made.contains(use.getOwner()); });
    sites.push_back({name, op->getName().getStringRef().str(),
                     placeOf(op->getLoc()), isBackward});
  }

  FuncOp step;
  std::vector<InjectionSite> sites;
  DenseSet<Operation *> made;
};

LogicalResult writeProgram(ModuleOp module, const std::string &output) {
  auto program = target::exportProgram(module);
  auto loops = target::emitKernels(module);
  if (failed(program) || failed(loops))
    return failure();
  target::CpuOptions cpu;
  cpu.targets = {"x86-64-v3"};
  cpu.cache = target::ArtifactCache::open(target::defaultCacheDir(),
                                          target::CacheTrust::Private);
  auto code = target::compileCpuKernels(**loops, cpu);
  if (failed(code))
    return failure();
  target::addCode(*program, std::move(*code));
  Result<std::vector<uint8_t>> bytes = program::serialize(*program);
  Status status = bytes ? program::writeFile(output, *bytes) : bytes.status();
  return status.ok() ? success()
                     : LogicalResult(module.emitError(status.message()));
}

} // namespace

Result<std::vector<InjectionSite>>
test::writeInjectedProbe(const std::string &path, PipelineOptions options,
                         const std::string &output) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    if (d.getSeverity() == mlir::DiagnosticSeverity::Error)
      message += d.str() + "\n";
    return success();
  });
  auto failed = [&] { return Status(StatusCode::Internal, message); };
  auto module = mlir::parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return failed();
  mlir::PassManager toReduce(&context);
  buildPipeline(toReduce, std::nullopt, Stage::Reduce, options);
  if (mlir::failed(toReduce.run(*module)))
    return failed();
  auto steps = graph::entryFunctions(*module, "step");
  std::vector<InjectionSite> sites = Injector(steps.front()).run();
  mlir::PassManager toExec(&context);
  toExec.addPass(graph::createInsertProbes());
  for (Stage stage :
       {Stage::Update, Stage::Simplify, Stage::Group, Stage::Exec}) {
    buildStage(toExec, stage, options);
    if (stage == Stage::Update)
      toExec.addPass(graph::createKeepProbes());
  }
  if (mlir::failed(toExec.run(*module)) ||
      mlir::failed(writeProgram(*module, output)))
    return failed();
  return sites;
}
