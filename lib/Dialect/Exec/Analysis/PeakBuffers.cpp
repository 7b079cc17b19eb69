#include "mpc/Dialect/Exec/Analysis/PeakBuffers.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Text/Numbers.h"
#include "mpc/Text/Phases.h"
#include "mpc/Text/Places.h"
#include "llvm/Support/Format.h"
#include <tuple>

using namespace mpc;
using namespace mpc::exec;

namespace {

/// A write of a step.
struct Written {
  StepOpInterface step;
  unsigned index = 0;

  /// Where the op stands that made what is written; of fused ops the one of
  /// them that did.
  Location getLoc() const { return getResultPlace(step->getLoc(), index); }
};

/// The op of a kernel that makes what it writes first, second, ..., before it
/// is cast. Null: the kernel copies what it reads.
Operation *findMaker(KernelOp kernel, unsigned index) {
  Block &body = kernel.getGroup().getBody().front();
  Operation *maker = body.getTerminator()->getOperand(index).getDefiningOp();
  while (isa_and_nonnull<graph::CastOp>(maker) &&
         maker->getOperand(0).getDefiningOp())
    maker = maker->getOperand(0).getDefiningOp();
  return maker;
}

/// The op that makes what is written.
std::string makerOf(Written write, mlir::SymbolTableCollection &symbols) {
  if (auto launch = dyn_cast<LaunchOp>(*write.step)) {
    Operation *maker = findMaker(symbols.lookupNearestSymbolFrom<KernelOp>(
                                     launch, launch.getKernelAttr()),
                                 write.index);
    return maker ? maker->getName().stripDialect().str() : "copy";
  }
  if (auto call = dyn_cast<CallOp>(*write.step))
    return call.getKind()
        .getAbstractAttribute()
        .getName()
        .rsplit('.')
        .second.str();
  return write.step->getName().stripDialect().str();
}

/// The name that the location gives, "gradient of graph.gelu", or else the op
/// that makes the value; "recomputed gelu" where the backward does.
std::string nameOf(Written write, mlir::SymbolTableCollection &symbols) {
  std::string name;
  bool isRecomputed = false;
  write.getLoc()->walk([&](Location inner) {
    auto named = dyn_cast<mlir::NameLoc>(inner);
    if (named && isRecomputedName(named.getName()))
      isRecomputed = true;
    else if (named)
      name = named.getName().str();
    return name.empty() ? mlir::WalkResult::advance()
                        : mlir::WalkResult::interrupt();
  });
  if (name.empty())
    name = makerOf(write, symbols);
  return isRecomputed ? "recomputed " + name : name;
}

std::string typeOf(Value buffer) {
  auto type = cast<mlir::MemRefType>(buffer.getType());
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t size : type.getShape())
    stream << size << "x";
  stream << type.getElementType();
  return text;
}

/// "matmul at x.mlir:3", or "matmul".
std::string atPlace(const std::string &what, const std::string &place) {
  return place.empty() ? what : what + " at " + place;
}

} // namespace

PeakBuffers PeakBuffers::get(EntryOp entry) {
  PeakBuffers peak;
  Liveness liveness(entry);
  int64_t time = liveness.getPeak().time;
  mlir::SymbolTableCollection symbols;
  // The last write up to the peak made what a buffer holds then.
  DenseMap<Value, Written> writes;
  for (StepOpInterface step : liveness.steps().take_front(time + 1))
    for (auto [index, write] : llvm::enumerate(step.getWrites()))
      writes[getRoot(write)] = {step, unsigned(index)};
  for (LiveBuffer live : liveness.buffers()) {
    auto write = writes.find(live.alloc.getBuffer());
    if (!live.isLiveAt(time) || write == writes.end())
      continue;
    Written &made = write->second;
    peak.buffers.push_back(
        {live.bytes, live.alloc.getCategory().value_or(Category::Workspace),
         nameOf(made, symbols), describeLine(made.getLoc()),
         typeOf(getViewed(made.step.getWrites()[made.index]))});
    peak.bytes += live.bytes;
  }
  llvm::sort(peak.buffers, [](const PeakBuffer &a, const PeakBuffer &b) {
    return std::tie(b.bytes, a.place, a.value, a.type, a.category) <
           std::tie(a.bytes, b.place, b.value, b.type, b.category);
  });
  if (time < int64_t(liveness.steps().size())) {
    Written first = {liveness.steps()[time], 0};
    peak.step = atPlace(nameOf(first, symbols), describeLine(first.getLoc()));
  }
  return peak;
}

void PeakBuffers::print(EntryOp entry, llvm::raw_ostream &stream) const {
  stream << "live at the peak of " << entry.getSymName() << ": "
         << buffers.size() << (buffers.size() == 1 ? " buffer, " : " buffers, ")
         << withCommas(bytes)
         << " bytes; planned: " << withCommas(entry.getArena().value_or(0))
         << "\n";
  if (!step.empty())
    stream << "  while this runs: " << step << "\n";
  printLargest(buffers.size(), stream);
}

void PeakBuffers::printLargest(size_t count, llvm::raw_ostream &stream) const {
  int64_t rest = bytes;
  for (const PeakBuffer &buffer : ArrayRef(buffers).take_front(count)) {
    rest -= buffer.bytes;
    stream << llvm::right_justify(withCommas(buffer.bytes), 16) << "  "
           << llvm::left_justify(stringifyCategory(buffer.category), 11)
           << llvm::left_justify(buffer.type, 20) << " "
           << atPlace(buffer.value, buffer.place) << "\n";
  }
  if (count < buffers.size())
    stream << llvm::right_justify(withCommas(rest), 16) << "  in "
           << buffers.size() - count << " more\n";
}

void exec::printPeak(ModuleOp module, llvm::raw_ostream &stream) {
  EntryOp largest;
  for (auto entry : module.getOps<EntryOp>())
    if (entry.getArena().value_or(0) >
        (largest ? largest.getArena().value_or(0) : 0))
      largest = entry;
  if (largest)
    PeakBuffers::get(largest).print(largest, stream);
}
