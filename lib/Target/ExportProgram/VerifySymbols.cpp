// Gate of stage program. Reads the shared objects as a loader would: only what
// their dynamic symbol tables define, or PTX names as an entry, can be
// launched.
#include "mlir/IR/Diagnostics.h"
#include "mpc/Target/ExportProgram.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include <map>

using namespace mpc;

static StringRef bytesOf(const program::CodeSectionT &section) {
  return StringRef(reinterpret_cast<const char *>(section.data.data()),
                   section.data.size());
}

/// The names that `symbols` of an object define for others.
template <typename Symbols>
static llvm::Error collect(Symbols symbols, llvm::StringSet<> &names) {
  for (llvm::object::ELFSymbolRef symbol : symbols) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags)
      return flags.takeError();
    if (!name)
      return name.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      names.insert(*name);
  }
  return llvm::Error::success();
}

/// The kernels of a module of PTX.
static llvm::StringSet<> entriesOf(StringRef ptx) {
  constexpr StringRef keyword = ".entry ";
  llvm::StringSet<> names;
  for (size_t at = ptx.find(keyword); at != StringRef::npos;
       at = ptx.find(keyword, at)) {
    at += keyword.size();
    names.insert(ptx.slice(at, ptx.find('(', at)).trim());
  }
  return names;
}

static llvm::Expected<llvm::StringSet<>>
symbolsOf(const program::CodeSectionT &section) {
  if (section.format == program::CodeFormat::Ptx)
    return entriesOf(bytesOf(section));
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytesOf(section), section.target));
  if (!object)
    return object.takeError();
  auto *elf = cast<llvm::object::ELFObjectFileBase>(object->get());
  llvm::StringSet<> names;
  llvm::Error failed = section.format == program::CodeFormat::Cubin
                           ? collect(elf->symbols(), names)
                           : collect(elf->getDynamicSymbolIterators(), names);
  if (failed)
    return std::move(failed);
  return names;
}

namespace {

/// Checks the sections of a program one by one.
class SymbolCheck {
public:
  SymbolCheck(const program::ProgramT &program, Location location)
      : program(program), location(location) {}

  LogicalResult run() {
    for (const auto &section : program.code) {
      auto symbols = symbolsOf(*section);
      if (!symbols)
        return mlir::emitError(location) << "expected " << describe(*section)
                                         << " to be a shared object: "
                                         << llvm::toString(symbols.takeError());
      if (section->format == program::CodeFormat::ElfSharedObject
              ? failed(checkHost(*section, *symbols))
              : failed(checkGpu(*section, *symbols)))
        return failure();
    }
    return checkCounts();
  }

private:
  using Key = std::pair<std::string, program::CodeFormat>;

  std::string describe(const program::CodeSectionT &section) const {
    std::string format = section.format == program::CodeFormat::Cubin ? " cubin"
                         : section.format == program::CodeFormat::Ptx ? " PTX"
                                                                      : "";
    return "code section '" + section.target + "'" + format;
  }

  LogicalResult check(StringRef symbol, const program::CodeSectionT &section,
                      const llvm::StringSet<> &symbols) const {
    if (symbols.contains(symbol))
      return success();
    return mlir::emitError(location)
           << "expected kernel '" << symbol << "' in " << describe(section)
           << ", but it defines no such symbol";
  }

  LogicalResult checkHost(const program::CodeSectionT &section,
                          const llvm::StringSet<> &symbols) const {
    for (const auto &kernel : program.kernels)
      if (failed(check(kernel->symbol, section, symbols)))
        return failure();
    return success();
  }

  LogicalResult checkGpu(const program::CodeSectionT &section,
                         const llvm::StringSet<> &symbols) {
    auto &counts = held[{section.target, section.format}];
    for (const auto &launch : section.launches) {
      ++counts[launch->kernel];
      for (const auto &stage : launch->stages)
        if (failed(check(stage->symbol, section, symbols)))
          return failure();
    }
    return success();
  }

  /// The sections of one architecture and format hold every kernel once.
  LogicalResult checkCounts() const {
    for (const auto &[key, counts] : held)
      for (auto [number, kernel] : llvm::enumerate(program.kernels)) {
        auto found = counts.find(number);
        unsigned count = found == counts.end() ? 0 : found->second;
        if (count != 1)
          return mlir::emitError(location)
                 << "expected kernel '" << kernel->symbol
                 << "' once in the code sections '" << key.first
                 << "', but found it " << count << " times";
      }
    return success();
  }

  const program::ProgramT &program;
  Location location;
  /// By architecture and format: how often each kernel is held.
  std::map<Key, std::map<unsigned, unsigned>> held;
};

} // namespace

LogicalResult target::verifySymbols(const program::ProgramT &program,
                                    Location location) {
  return SymbolCheck(program, location).run();
}
