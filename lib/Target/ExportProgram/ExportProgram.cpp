// States, kernels and entries of a planned module as the objects of the schema.
#include "mpc/Target/ExportProgram.h"
#include "Probes.h"
#include "ProgramTypes.h"
#include "RecordWriter.h"
#include "Settings.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"
#include "mpc/Dialect/Exec/Analysis/MemoryMap.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Interfaces/ConstantBytes.h"
#include "mpc/Program/Names.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::target;
using program::InitKind;

namespace {

/// A program file is a FlatBuffer, which ends at 2 GiB; the code needs room.
constexpr int64_t kMaxConstantBytes = int64_t(1) << 30;

program::Init initOf(Attribute init) {
  if (isa_and_present<graph::ZerosAttr>(init))
    return {InitKind::Zeros, 0, 0};
  if (auto fill = dyn_cast_if_present<graph::FillAttr>(init))
    return {InitKind::Fill, fill.getValue().value, 0};
  if (auto normal = dyn_cast_if_present<graph::NormalAttr>(init))
    return {InitKind::Normal, normal.getMean().value, normal.getStddev().value};
  if (auto uniform = dyn_cast_if_present<graph::UniformAttr>(init))
    return {InitKind::Uniform, uniform.getLow().value, uniform.getHigh().value};
  return {InitKind::Derived, 0, 0};
}

/// Fills a program from a module.
class Exporter {
public:
  Exporter(ModuleOp module, StringRef target) : module(module) {
    program.target = target.str();
  }

  FailureOr<program::ProgramT> run() {
    program.producer = "mpc " MPC_VERSION;
    if (auto model = module->getAttrOfType<StringAttr>("exec.model"))
      program.model = model.str();
    if (auto training =
            module->getAttrOfType<graph::TrainingAttr>(graph::kTrainingAttr))
      addSettings(program, training);
    addMemoryLimit(program, module);
    addStates();
    addKernels();
    addMemory();
    if (failed(addConstants()) || failed(addEntries()))
      return failure();
    addReduction();
    return std::move(program);
  }

private:
  void addStates() {
    for (auto decl : module.getOps<exec::StateDeclOp>()) {
      auto state = std::make_unique<program::StateT>();
      Type type = decl.getType();
      state->name = decl.getName().str();
      state->type = exec::getProgramType(type);
      state->shape = shapeOf(type);
      state->role = toProgram(decl.getRole());
      state->of = decl.getOf().value_or("").str();
      state->init = std::make_unique<program::Init>(initOf(decl.getInitAttr()));
      state->offset = decl.getOffset().value_or(0);
      state->bytes = exec::getBytes(cast<mlir::MemRefType>(type));
      tables.states[decl.getName()] = state->offset;
      program.states.push_back(std::move(state));
    }
  }

  void addKernels() {
    auto bytes = [](Type tensor) -> uint64_t {
      return getStoredBytes(cast<RankedTensorType>(tensor));
    };
    for (auto op : module.getOps<exec::KernelOp>()) {
      auto kernel = std::make_unique<program::KernelT>();
      graph::GroupOp group = op.getGroup();
      kernel->symbol = op.getSymName().str();
      kernel->bytes_read = op.getReads();
      kernel->bytes_written = op.getWrites();
      for (Type type : group->getOperandTypes())
        kernel->arg_bytes.push_back(bytes(type));
      for (mlir::OpResult written : group.getResults())
        kernel->arg_bytes.push_back(
            group.getReach(written.getResultNumber()) *
            getStoredBytes({}, mlir::getElementTypeOrSelf(written)));
      kernel->num_results = group->getNumResults();
      kernel->extent = op.getExtent();
      tables.kernels[op.getSymName()] = program.kernels.size();
      program.kernels.push_back(std::move(kernel));
    }
  }

  void addMemory() {
    exec::MemoryMap map = exec::MemoryMap::get(module);
    program.state_bytes = map.stateBytes;
    program.arena_bytes = map.arenaBytes;
    for (const exec::MemoryMap::Row &row : map.rows) {
      auto category = std::make_unique<program::MemoryCategoryT>();
      category->name = row.name.str();
      category->bytes = row.bytes;
      program.memory.push_back(std::move(category));
    }
  }

  LogicalResult addConstants() {
    for (auto entry : module.getOps<exec::EntryOp>())
      for (auto constant : entry.getOps<exec::ConstantOp>())
        if (failed(addConstant(constant)))
          return failure();
    return success();
  }

  LogicalResult addConstant(exec::ConstantOp constant) {
    int64_t bytes = exec::getBytes(constant.getBuffer().getType());
    int64_t offset = *constant.getOffset(), end = addBytes(offset, bytes);
    if (end > kMaxConstantBytes)
      return constant.emitError()
             << "expected constants of at most 2^"
             << llvm::Log2_64(kMaxConstantBytes)
             << " bytes in a program file, but this one has " << bytes
             << " after " << offset
             << " of others; make it an input or a parameter";
    auto elements = getConstantBytes(constant.getValue(),
                                     [&] { return constant.emitError(); });
    if (failed(elements))
      return failure();
    if (program.constants.size() < size_t(end))
      program.constants.resize(exec::alignUp(end));
    llvm::copy(*elements, program.constants.begin() + offset);
    return success();
  }

  LogicalResult addEntries() {
    for (auto entry : module.getOps<exec::EntryOp>()) {
      program.entries.push_back(RecordWriter(entry, tables).write());
      if (!program.entries.back() || failed(addProbes(program, entry)))
        return failure();
    }
    return success();
  }

  /// How ranks are combined is a fact of the step, not of its settings.
  void addReduction() {
    bool trains = llvm::any_of(program.entries, [](const auto &entry) {
      return entry->name == program::kStepEntry;
    });
    if (!trains)
      return;
    auto setting = std::make_unique<program::KeyValueT>();
    setting->key = "reduce";
    setting->value =
        program.collectives.empty() ? "none"
        : program.collectives.front()->kind == program::ReduceKind::Sum
            ? "sum"
            : "average";
    program.settings.push_back(std::move(setting));
  }

  ModuleOp module;
  program::ProgramT program;
  ProgramTables tables{program, {}, {}, {}, {}, {}};
};

} // namespace

FailureOr<program::ProgramT> target::exportProgram(ModuleOp module,
                                                   StringRef target) {
  return Exporter(module, target).run();
}
