// Diagnostics of MLIR as text, of models that are no text, too.
#ifndef MPC_TEXT_DIAGNOSTICS_H
#define MPC_TEXT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mpc {
namespace detail {

/// Text that may be coloured as on a terminal. Made before the handler, which
/// writes to it.
struct RenderedText {
  explicit RenderedText(bool colored) : stream(text, colored) {}

  class Stream final : public llvm::raw_string_ostream {
  public:
    Stream(std::string &text, bool colored)
        : raw_string_ostream(text), colored(colored) {
      enable_colors(colored);
    }
    bool has_colors() const override { return colored; }

  private:
    bool colored;
  };

  std::string text;
  Stream stream;
};

} // namespace detail

/// MLIR's handler, by which "m.onnx:0:0: error:" is "m.onnx: error:": what is
/// in no line of a file has no number of one.
class SourceDiagnostics : detail::RenderedText,
                          public mlir::SourceMgrDiagnosticHandler {
public:
  /// Writes nothing by itself.
  SourceDiagnostics(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                    bool colored);
  /// Writes to `out`.
  SourceDiagnostics(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                    llvm::raw_ostream &out);

protected:
  /// With its line of the source, and its notes.
  std::string render(mlir::Diagnostic &diagnostic);
};

} // namespace mpc

#endif // MPC_TEXT_DIAGNOSTICS_H
