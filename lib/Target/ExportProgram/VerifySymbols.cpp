// Gate of stage program. Reads the shared objects as a loader would: only what
// their dynamic symbol tables define can be launched.
#include "mlir/IR/Diagnostics.h"
#include "mpc/Target/ExportProgram.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace mpc;

namespace {

/// The names that a shared object defines for others.
llvm::Expected<llvm::StringSet<>>
definedSymbols(const program::CodeSectionT &section) {
  StringRef bytes(reinterpret_cast<const char *>(section.data.data()),
                  section.data.size());
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, section.target));
  if (!object)
    return object.takeError();
  llvm::StringSet<> names;
  auto *elf = cast<llvm::object::ELFObjectFileBase>(object->get());
  for (llvm::object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags)
      return flags.takeError();
    if (!name)
      return name.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      names.insert(*name);
  }
  return names;
}

} // namespace

LogicalResult target::verifySymbols(const program::ProgramT &program,
                                    Location location) {
  for (const auto &section : program.code) {
    auto symbols = definedSymbols(*section);
    if (!symbols)
      return mlir::emitError(location)
             << "expected code section '" << section->target
             << "' to be a shared object: "
             << llvm::toString(symbols.takeError());
    for (const auto &kernel : program.kernels)
      if (!symbols->contains(kernel->symbol))
        return mlir::emitError(location)
               << "expected kernel '" << kernel->symbol << "' in code section '"
               << section->target << "', but it defines no such symbol";
  }
  return success();
}
