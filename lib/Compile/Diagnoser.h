// What MLIR says about a model, for the listener of a compilation.
#ifndef MPC_LIB_COMPILE_DIAGNOSER_H
#define MPC_LIB_COMPILE_DIAGNOSER_H

#include "mpc/Compile/Compile.h"
#include "mpc/Text/Diagnostics.h"
#include <mutex>
#include <optional>

namespace mpc::compile {

/// The listener, called by one thread at a time.
class Teller {
public:
  explicit Teller(const Listener &listener) : listener(listener) {}

  void tell(const Diagnostic &diagnostic);
  /// About no place of the model.
  void tell(Severity severity, const Twine &message);
  void progress(StringRef line);
  bool wantsProgress() const { return bool(listener.progress); }
  bool isColored() const { return listener.colored; }
  /// Where reports are written to, piece by piece.
  llvm::raw_ostream &reports() { return stream; }
  /// Hands on what was written there.
  void flushReports() { stream.flush(); }

private:
  class Reports final : public llvm::raw_ostream {
  public:
    explicit Reports(Teller &teller) : teller(teller) {}
    ~Reports() override { flush(); }

  private:
    void write_impl(const char *data, size_t size) override;
    uint64_t current_pos() const override { return position; }

    Teller &teller;
    uint64_t position = 0;
  };

  const Listener &listener;
  std::mutex mutex;
  Reports stream{*this};
};

/// While it lives, diagnostics of `context` are told.
class Diagnoser : SourceDiagnostics {
public:
  Diagnoser(llvm::SourceMgr &sources, MLIRContext *context, Teller &teller);

private:
  /// Whether `given` says no more than that the error before it, of the same
  /// op, is one.
  bool isEcho(mlir::Diagnostic &given);

  std::optional<mlir::Location> lastError;
};

} // namespace mpc::compile

#endif // MPC_LIB_COMPILE_DIAGNOSER_H
