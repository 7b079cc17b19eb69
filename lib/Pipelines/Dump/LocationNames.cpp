#include "LocationNames.h"
#include "../SourceNames.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mpc/Text/Phases.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mpc;
using namespace mpc::dump;

LocationNames::LocationNames(llvm::MemoryBufferRef model,
                             MLIRContext *context) {
  if (mlir::isBytecode(model))
    return;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(model,
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  // What is to say about the text has been said when it was parsed.
  mlir::ScopedDiagnosticHandler silence(
      context, [](mlir::Diagnostic &) { return success(); });
  Block block;
  mlir::AsmParserState state;
  if (succeeded(mlir::parseAsmSourceFile(sources, &block,
                                         mlir::ParserConfig(context), &state)))
    collect(state);
}

void LocationNames::collect(const mlir::AsmParserState &state) {
  for (const auto &block : state.getBlockDefs())
    for (auto [index, argument] : llvm::enumerate(block.arguments)) {
      std::string name = textOf(argument.loc);
      if (index < block.block->getNumArguments() &&
          StringRef(name).starts_with("%"))
        add(block.block->getArgument(index).getLoc(),
            {"", {name.substr(1)}, block.block->getArgument(index).getType()});
    }
  for (const auto &op : state.getOpDefs()) {
    Definition definition{op.op->getName().getStringRef(), {}, {}};
    for (const NamedResult &result : namesOfResults(op))
      definition.names.push_back(result.name.substr(1));
    if (definition.names.empty())
      continue;
    definition.type = op.op->getResult(0).getType();
    add(op.op->getLoc(), std::move(definition));
  }
}

void LocationNames::add(Location location, Definition definition) {
  if (!isa<mlir::UnknownLoc>(location))
    definitions[location].push_back(std::move(definition));
}

Origin LocationNames::originOf(Location location) const {
  if (auto known = definitions.find(location); known != definitions.end())
    return {known->second, false};
  if (auto named = dyn_cast<mlir::NameLoc>(location)) {
    // What updates a parameter is no value of the model.
    if (isUpdateName(named.getName()))
      return {};
    Origin origin = originOf(named.getChildLoc());
    origin.isGradient |= isGradientName(named.getName());
    return origin;
  }
  if (auto call = dyn_cast<mlir::CallSiteLoc>(location)) {
    Origin origin = originOf(call.getCallee());
    return origin.definitions.empty() ? originOf(call.getCaller()) : origin;
  }
  return {};
}
