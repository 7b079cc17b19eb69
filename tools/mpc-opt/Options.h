// The command line of mpc-opt, beyond that of mlir-opt.
#ifndef MPC_TOOLS_MPC_OPT_OPTIONS_H
#define MPC_TOOLS_MPC_OPT_OPTIONS_H

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mpc/CommandLine/Tables.h"
#include "mpc/Import/Onnx.h"
#include "mpc/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"

namespace mpc::opt {

struct Options {
  std::optional<Stage> compileFrom, compileTo;
  PipelineOptions pipeline;
  /// Empty: no dumps.
  std::string dumpDirectory;
  /// The value to explain: an SSA name, a name or a place. Empty: none.
  std::string explain;
  bool remarks = false, werror = false;
  /// The input is a model in ONNX's format, read with these options.
  bool importOnnx = false;
  onnx::Options onnx;
  /// Whether an option of the pipeline was given.
  bool choosesPipeline = false;
};

/// Registers the options with LLVM's command line while it lives.
class OptionParser {
public:
  OptionParser();

  /// Leaves `--help` to our options and the few of mlir-opt that people use;
  /// `--help-hidden` shows all. Call after mlir::registerCLIOptions.
  void hideForeignOptions();

  /// Errors name their op, and do not print it, unless that is asked for. Call
  /// after parsing.
  static void leaveOutOps();

  /// What was given, after parsing; failure with a message in `error`.
  FailureOr<Options> get(std::string &error) const;

  /// Our options as a table: for the manual page and completion.
  cli::ToolInfo describe() const;

  static constexpr const char *header =
      "mpc-opt: runs passes, stages and pipelines on graphs\n\n"
      "  mpc-opt model.mlir --compile-to=update --precision=fp16\n"
      "  mpc-opt model.mlir --mpc-autocast --mpc-verify-autocast\n\n"
      "--list-passes shows every pass and pipeline.\n";

private:
  LogicalResult readStages(Options &options, std::string &error) const;
  /// The options of the pipeline that have a text.
  LogicalResult readTexts(Options &options, std::string &error) const;
  LogicalResult readFlags(Options &options, std::string &error) const;
  LogicalResult readOnnx(Options &options, std::string &error) const;

  llvm::cl::OptionCategory category;
  llvm::cl::opt<std::string> compileTo, compileFrom, dumpDirectory, explain;
  llvm::cl::opt<bool> remarks, werror, inference, dropLoss, probe, importOnnx;
  std::vector<std::unique_ptr<llvm::cl::opt<std::string>>> texts, onnxTexts;
};

} // namespace mpc::opt

#endif // MPC_TOOLS_MPC_OPT_OPTIONS_H
