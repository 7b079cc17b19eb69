#include "Options.h"
#include "llvm/Support/FileSystem.h"

using namespace mpc;
using namespace mpc::compile;

static cli::Command makeCommand() {
  return {"mpc-compile", "",
          "compiles a model to a program that mpc-run trains", "MODEL.mlir"};
}

static void declare(cli::Command &command, CommandLine &line) {
  command.setDetails(
      "Compiles a model to a program that mpc-run trains. What is said here "
      "about how to train overrides the model's graph.training. A failure "
      "leaves the program file as it was.");
  command.alsoTakes(".mlirbc");
  command.alsoTakes(".onnx");
  command.alsoTakes(".mpcx"); // with --probe
  command.beginGroup("Output");
  command.addText("-o", "FILE", "the program file to write", line.output)
      .required();
  declareOptions(command, line.options);
}

Result<CommandLine>
compile::parseCommandLine(const std::vector<std::string> &arguments) {
  CommandLine line;
  cli::Command command = makeCommand();
  declare(command, line);
  Result<cli::Request> request = command.parse(arguments);
  if (!request)
    return request.status();
  line.help = request->help;
  line.model = request->argument;
  if (line.help)
    return line;
  if (line.output == "-") // that of a model is the standard input
    return Status(StatusCode::InvalidArgument,
                  "expected '-o' to name a file, which is replaced whole, but "
                  "got '-'; './-' is a file of that name");
  if (llvm::sys::fs::equivalent(line.model, line.output))
    return Status(StatusCode::InvalidArgument,
                  "expected a program file that is not the model, but '-o' "
                  "names '" +
                      line.model + "' too");
  if (Status status = completeOptions(line.options); !status.ok())
    return status;
  const std::string &weights = line.options.weights;
  for (const auto &[what, path] :
       {std::pair("the model", &line.model), std::pair("-o", &line.output)})
    if (!weights.empty() &&
        (weights == *path || llvm::sys::fs::equivalent(weights, *path)))
      return Status(StatusCode::InvalidArgument,
                    "expected '--weights' to name a file of its own, but '" +
                        weights + "' is the file of " + what + " too");
  return line;
}

cli::ToolInfo compile::describeTool() {
  CommandLine line;
  cli::Command command = makeCommand();
  declare(command, line);
  cli::ToolInfo tool;
  tool.name = "mpc-compile";
  tool.version = MPC_VERSION;
  tool.summary = "compiles a model to a program that mpc-run trains";
  tool.commands = {command.information()};
  tool.environment = {{"MPC_CACHE_DIR", "where compiled kernels are kept"},
                      {"MPC_DUMP", "as --dump-dir"},
                      {"MPC_PTXAS", "the ptxas to use for target cuda"},
                      {"CUDA_HOME", "the CUDA toolkit"}};
  tool.exitCodes = {{"0", "success"},
                    {"1", "the compiler or the system failed"},
                    {"2", "the command line is wrong"},
                    {"3", "the model, or a file that an option names, is "
                          "missing, malformed or not supported"}};
  tool.examples = {
      {"mpc-compile model.mlir -o model.mpcx",
       "Compile as the model's graph.training says:"},
      {"mpc-compile model.mlir -o model.mpcx --precision bf16 --lr 1e-3",
       "Compile for bf16, with another learning rate:"},
      {"mpc-compile model.onnx -o model.mpcx "
       "--loss=cross_entropy:logits,labels --dim=batch=32",
       "Compile a model that another framework has exported, with a loss:"}};
  return tool;
}
