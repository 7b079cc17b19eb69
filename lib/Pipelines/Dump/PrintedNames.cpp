#include "PrintedNames.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::dump;

PrintedNames::PrintedNames(Operation *module, mlir::AsmState &state) {
  module->walk([&](Operation *op) {
    for (Value result : op->getResults())
      add(result, state);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          add(argument, state);
  });
}

void PrintedNames::add(Value value, mlir::AsmState &state) {
  llvm::SmallString<32> text;
  llvm::raw_svector_ostream stream(text);
  value.printAsOperand(stream, state);
  auto [name, digits] = text.str().drop_front().split('#');
  PrintedName printed{name.copy(memory), std::nullopt};
  unsigned number = 0;
  if (!digits.empty() && !digits.getAsInteger(10, number))
    printed.number = number;
  names.try_emplace(value, printed);
}

const PrintedName &PrintedNames::of(Value value) const {
  return names.find(value)->second;
}
