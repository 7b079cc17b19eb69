#include "mpc/Text/Diagnostics.h"
#include "llvm/ADT/Twine.h"

using namespace mpc;

/// Takes the numbers from places at the beginning of lines. What colours a line
/// ends with an 'm'.
static void dropNumbers(std::string &text, mlir::FileLineColLoc place) {
  std::string file = place.getFilename().str();
  std::string shown =
      (file + ":0:" + llvm::Twine(place.getColumn()) + ": ").str();
  for (size_t at = 0; (at = text.find(shown, at)) != text.npos;) {
    bool isFirst = at == 0 || text[at - 1] == '\n' || text[at - 1] == 'm';
    if (isFirst)
      text.erase(at + file.size(), shown.size() - file.size() - 2);
    at += file.size();
  }
}

static void dropNumbers(std::string &text, mlir::Location location) {
  location->walk([&](mlir::Location inner) {
    if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
        place && place.getLine() == 0)
      dropNumbers(text, place);
    return mlir::WalkResult::advance();
  });
}

SourceDiagnostics::SourceDiagnostics(llvm::SourceMgr &sources,
                                     mlir::MLIRContext *context, bool colored)
    : RenderedText(colored),
      SourceMgrDiagnosticHandler(sources, context, RenderedText::stream) {}

SourceDiagnostics::SourceDiagnostics(llvm::SourceMgr &sources,
                                     mlir::MLIRContext *context,
                                     llvm::raw_ostream &out)
    : SourceDiagnostics(sources, context, out.has_colors()) {
  setHandler([this, &out](mlir::Diagnostic &given) { out << render(given); });
}

std::string SourceDiagnostics::render(mlir::Diagnostic &diagnostic) {
  text.clear();
  emitDiagnostic(diagnostic);
  dropNumbers(text, diagnostic.getLocation());
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    if (note.getLocation() != diagnostic.getLocation())
      dropNumbers(text, note.getLocation());
  return text;
}
