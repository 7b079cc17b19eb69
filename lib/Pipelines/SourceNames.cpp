#include "SourceNames.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;

std::string mpc::textOf(llvm::SMRange range) {
  if (!range.isValid())
    return "";
  const char *begin = range.Start.getPointer();
  return std::string(begin, range.End.getPointer() - begin);
}

SmallVector<NamedResult>
mpc::namesOfResults(const mlir::AsmParserState::OperationDefinition &op) {
  SmallVector<NamedResult> named;
  auto groups = ArrayRef(op.resultGroups);
  for (auto [at, group] : llvm::enumerate(groups)) {
    unsigned begin = group.startIndex;
    unsigned end = at + 1 < groups.size() ? groups[at + 1].startIndex
                                          : op.op->getNumResults();
    std::string name = textOf(group.definition.loc);
    for (unsigned result = begin; result < end; ++result)
      if (end - begin == 1)
        named.push_back({op.op->getResult(result), name, ""});
      else
        named.push_back({op.op->getResult(result),
                         name + "#" + std::to_string(result - begin), name});
  }
  return named;
}
