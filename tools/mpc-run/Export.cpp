// mpc-run export: its command line, and what it prints.
#include "Commands.h"
#include "Failure.h"
#include "Print.h"

#include "mpc/Data/File.h"
#include "mpc/Onnx/WriteBack.h"
#include "mpc/Support/Links.h"
#include "mpc/Train/Export.h"

#include <filesystem>

using namespace mpc;
using namespace mpc::run;

namespace {

struct ExportCommand {
  std::string output, model, keep;
  bool inference = false;

  static Options command();
  void declare(Options &table);
};

} // namespace

Options ExportCommand::command() {
  return {"mpc-run", "export",
          "write a checkpoint as one file, or into a copy of its model",
          "CHECKPOINT"};
}

void ExportCommand::declare(Options &table) {
  table.setDetails(
      "Of a folder of train --save-dir the newest step that is complete, or of "
      "one step the folder itself. The file is what train --save would have "
      "written then. With --onnx, of a folder or of a file of --save, a copy "
      "of "
      "the model that was compiled, with the weights and running statistics of "
      "the checkpoint: its names, types and nodes. Weights that lie in files "
      "beside the model lie in one beside the copy, FILE.data.");
  table
      .addText("-o", "FILE",
               "the file to write: safetensors, or the copy; - is the standard "
               "output",
               output)
      .required();
  table.addText("--onnx", "MODEL.onnx", "the model whose copy gets the weights",
                model);
  table
      .addText("--keep", "REGEX",
               "weights of these names may be missing, and stay as they are",
               keep)
      .needs("--onnx");
  table
      .addFlag("--inference",
               "the copy predicts where the model has nodes as they train: "
               "dropout, batch norm",
               inference)
      .needs("--onnx");
}

cli::CommandInfo mpc::run::describeExport() {
  return describe<ExportCommand>();
}

static void tellWarnings(const std::vector<std::string> &warnings) {
  for (const std::string &warning : warnings)
    complain("warning", warning.c_str());
}

/// To standard error where the file is none, which may be standard output.
static void report(const std::string &output, const std::string &line) {
  std::error_code none;
  bool isFile =
      !descriptorOf(output) && std::filesystem::is_regular_file(output, none);
  printLines(isFile ? stdout : stderr, printable(line) + "\n");
}

static Exit exportFile(const ExportCommand &command,
                       const std::string &checkpoint) {
  train::ExportResult done =
      require(train::exportCheckpoint({checkpoint, command.output}));
  tellWarnings(done.warnings);
  report(command.output, "step " + std::to_string(done.step) + " of " +
                             done.checkpoint + ", saved " + command.output);
  return Exit::Ok;
}

//===-- Into a model ------------------------------------------------------===//

static void checkDistinct(const ExportCommand &command,
                          const std::string &checkpoint) {
  std::pair<const char *, const std::string *> read[] = {
      {"--onnx", &command.model}, {"CHECKPOINT", &checkpoint}};
  std::string outside =
      followLinks(command.output).value_or(command.output) + ".data";
  for (const auto &[option, path] : read) {
    if (isSameFile(*path, command.output))
      throw usageError(
          "export: expected '-o' to name a file of its own, but '" +
          command.output + "' is the file of '" + option + "' too");
    if (isSameFile(*path, outside))
      throw usageError("export: expected '-o' to name another file, beside "
                       "which '" +
                       outside + "' is not the file of '" + option + "' too");
  }
}

static data::Bytes readAll(const std::string &path) {
  auto file = requireInput(data::InputFile::open(path));
  return requireInput(file.read(file.size()));
}

static onnx::WrittenBack writeBack(const ExportCommand &command,
                                   const train::CheckpointTensors &stored) {
  data::Bytes model = readAll(command.model);
  std::vector<onnx::TrainedTensor> tensors;
  for (const train::CheckpointTensor &tensor : stored.tensors)
    tensors.push_back(
        {tensor.name,
         static_cast<DType>(tensor.type),
         tensor.shape,
         {static_cast<const std::byte *>(tensor.data), tensor.bytes}});
  onnx::WriteBackOptions options;
  options.folder = std::filesystem::path(command.model).parent_path();
  if (options.folder.empty())
    options.folder = ".";
  options.output = command.output;
  options.keep = command.keep;
  options.inference = command.inference;
  options.isCheckpoint = true;
  auto done = onnx::writeBack(
      {reinterpret_cast<const char *>(model.data()), model.size()}, tensors,
      options);
  if (!done && done.status().code() == StatusCode::IoError)
    throw Failure(Exit::Failed, done.status().message());
  if (!done)
    throw badInput("'" + stored.path + "' does not go into '" + command.model +
                   "': " + done.status().message());
  return *done;
}

static Exit exportOnnx(const ExportCommand &command,
                       const std::string &checkpoint) {
  checkDistinct(command, checkpoint);
  requireWritten(data::OutputFile(command.output).check());
  train::CheckpointTensors stored = require(train::readCheckpoint(checkpoint));
  tellWarnings(stored.warnings);
  onnx::WrittenBack done = writeBack(command, stored);
  if (!done.training.empty())
    complain("warning", onnx::describeTraining(done, command.inference));
  std::string line = std::to_string(done.written) + " weights of " +
                     stored.path + " in " + command.output;
  if (!done.dataFile.empty())
    line += " and " + done.dataFile;
  if (!done.kept.empty())
    line += ", " + onnx::describeKept(done);
  report(command.output, line);
  return Exit::Ok;
}

Exit mpc::run::runExport(const Arguments &arguments) {
  ExportCommand command;
  std::optional<std::string> checkpoint = readInto(command, arguments);
  if (!checkpoint)
    return Exit::Ok;
  if (command.output == "-")
    command.output = "/dev/stdout";
  return command.model.empty() ? exportFile(command, *checkpoint)
                               : exportOnnx(command, *checkpoint);
}
