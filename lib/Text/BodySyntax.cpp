#include "mpc/Text/BodySyntax.h"

using namespace mpc;
using mlir::ParseResult;
using mlir::Region;

ParseResult mpc::parseBody(mlir::OpAsmParser &parser, Region &body) {
  if (failed(parser.parseRegion(body))) {
    for (Block &block : body)
      block.dropAllDefinedValueUses();
    return failure();
  }
  if (body.empty())
    body.emplaceBlock();
  return success();
}

void mpc::printBody(mlir::OpAsmPrinter &printer, Operation *, Region &body) {
  printer.printRegion(body);
}

void mpc::printOpenBody(mlir::OpAsmPrinter &printer, Operation *,
                        Region &body) {
  Operation *end = body.empty() ? nullptr : body.front().getTerminator();
  bool saysSomething =
      !end || !end->getAttrDictionary().empty() || end->getNumOperands() != 0;
  printer.printRegion(body, /*printEntryBlockArgs=*/true,
                      /*printBlockTerminators=*/saysSomething);
}

ParseResult mpc::parseResultTypes(mlir::OpAsmParser &parser,
                                  SmallVectorImpl<Type> &types) {
  bool isInParentheses = succeeded(parser.parseOptionalLParen());
  if (parser.parseTypeList(types))
    return failure();
  return isInParentheses ? parser.parseRParen() : success();
}

void mpc::printResultTypes(mlir::OpAsmPrinter &printer, Operation *,
                           mlir::TypeRange types) {
  printer << types;
}
