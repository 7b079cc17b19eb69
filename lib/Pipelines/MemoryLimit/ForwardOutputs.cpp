#include "ForwardOutputs.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "mpc/Text/Numbers.h"
#include "llvm/ADT/StringSet.h"

using namespace mpc;
using namespace mpc::memory_limit;
using mlir::func::FuncOp;

// An output of less than this part of a work block is not what holds it up.
static constexpr int64_t kGoodPart = 8;

static NamedOutput asNamed(const graph::Marked &output) {
  return {output.name.str(),
          getStoredBytes(cast<RankedTensorType>(output.value.getType()))};
}

static llvm::StringSet<> namesOf(FuncOp entry) {
  llvm::StringSet<> names;
  for (const graph::Marked &output :
       graph::markedResults(entry, graph::kOutputAttr))
    names.insert(output.name);
  return names;
}

SmallVector<NamedOutput> memory_limit::findForwardOnly(ArrayRef<FuncOp> steps,
                                                       FuncOp forward) {
  llvm::StringSet<> returned;
  for (FuncOp step : steps)
    for (const auto &name : namesOf(step))
      returned.insert(name.getKey());
  SmallVector<NamedOutput> found;
  for (const graph::Marked &output :
       graph::markedResults(forward, graph::kOutputAttr))
    if (!returned.contains(output.name) &&
        !forward.getResultAttr(output.index, graph::kLossTermAttr))
      found.push_back(asNamed(output));
  llvm::sort(found, [](const NamedOutput &a, const NamedOutput &b) {
    return std::tie(b.bytes, a.name) < std::tie(a.bytes, b.name);
  });
  return found;
}

void memory_limit::dropOutputs(FuncOp forward, ArrayRef<NamedOutput> outputs) {
  graph::SignatureEditor signature(forward);
  signature.dropResults([&](mlir::DictionaryAttr marks) {
    auto name = marks.getAs<mlir::StringAttr>(graph::kOutputAttr);
    return name && llvm::any_of(outputs, [&](const NamedOutput &output) {
             return name == output.name;
           });
  });
  signature.finish();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(forward.getBody().front())))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

std::string memory_limit::describeLargeOutputs(FuncOp entry, FuncOp forward,
                                               int64_t bytes) {
  llvm::StringSet<> ofModel = namesOf(forward);
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const graph::Marked &marked :
       graph::markedResults(entry, graph::kOutputAttr)) {
    NamedOutput output = asNamed(marked);
    if (output.bytes < bytes / kGoodPart)
      continue;
    stream
        << (text.empty() ? "" : "\n") << "entry '"
        << entry->getAttrOfType<mlir::StringAttr>(graph::kEntryAttr).getValue()
        << "' returns '" << output.name << "' whole, "
        << withCommas(output.bytes) << " bytes: ";
    if (ofModel.contains(output.name))
      stream << "--drop-outputs=" << output.name
             << " leaves it out of a step, and of 'forward' where the limit "
                "has no room for it";
    else
      stream << "--output-gradients=none leaves it out";
  }
  return text;
}
