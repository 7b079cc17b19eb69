#include "Diagnoser.h"
#include "mpc/Target/FatalErrors.h"

using namespace mpc;
using namespace mpc::compile;

void Teller::tell(const Diagnostic &diagnostic) {
  std::scoped_lock lock(mutex);
  target::FatalErrors::Outside outside;
  if (listener.diagnostic)
    listener.diagnostic(diagnostic);
}

void Teller::tell(Severity severity, const Twine &message) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.message = message.str();
  tell(diagnostic);
}

void Teller::progress(StringRef line) {
  std::scoped_lock lock(mutex);
  target::FatalErrors::Outside outside;
  if (listener.progress)
    listener.progress(line);
}

void Teller::Reports::write_impl(const char *data, size_t size) {
  std::scoped_lock lock(teller.mutex);
  target::FatalErrors::Outside outside;
  position += size;
  if (teller.listener.report)
    teller.listener.report(StringRef(data, size));
}

static Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  case mlir::DiagnosticSeverity::Remark:
    return Severity::Remark;
  case mlir::DiagnosticSeverity::Note:
    return Severity::Note;
  }
  llvm_unreachable("a severity has one of four values");
}

static Diagnostic convert(mlir::Diagnostic &given) {
  Diagnostic result;
  result.severity = severityOf(given.getSeverity());
  result.message = given.str();
  if (auto place =
          given.getLocation()->findInstanceOf<mlir::FileLineColLoc>()) {
    result.file = place.getFilename().str();
    result.line = place.getLine();
    result.column = place.getColumn();
  }
  for (mlir::Diagnostic &note : given.getNotes())
    result.notes.push_back(convert(note));
  return result;
}

/// MLIR's verifier infers types, which says what is wrong, and then that this
/// has failed.
bool Diagnoser::isEcho(mlir::Diagnostic &given) {
  if (given.getSeverity() != mlir::DiagnosticSeverity::Error)
    return false;
  bool isSame = lastError == given.getLocation();
  lastError = given.getLocation();
  return isSame && StringRef(given.str())
                       .ends_with("' op failed to infer returned types");
}

Diagnoser::Diagnoser(llvm::SourceMgr &sources, MLIRContext *context,
                     Teller &teller)
    : SourceDiagnostics(sources, context, teller.isColored()) {
  setHandler([this, &teller](mlir::Diagnostic &given) {
    if (isEcho(given))
      return;
    Diagnostic result = convert(given);
    result.text = render(given);
    teller.tell(result);
  });
}
