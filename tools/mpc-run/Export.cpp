// mpc-run export: its command line, and what it prints.
#include "Commands.h"
#include "Failure.h"
#include "Print.h"

#include "mpc/Train/Export.h"

using namespace mpc;
using namespace mpc::run;

namespace {

struct ExportCommand {
  train::ExportOptions options;

  static Options command();
  void declare(Options &table);
};

} // namespace

Options ExportCommand::command() {
  return {"mpc-run", "export", "write a folder's checkpoint as one file",
          "FOLDER"};
}

void ExportCommand::declare(Options &table) {
  table.setDetails("Of a folder of train --save-dir the newest step that is "
                   "complete, or of one step the folder itself. The file is "
                   "what train --save would have written then.");
  table.addText("-o", "FILE", "the file to write, safetensors", options.output)
      .required();
}

cli::CommandInfo mpc::run::describeExport() {
  return describe<ExportCommand>();
}

Exit mpc::run::runExport(const Arguments &arguments) {
  ExportCommand command;
  std::optional<std::string> folder = readInto(command, arguments);
  if (!folder)
    return Exit::Ok;
  command.options.checkpoint = *folder;
  train::ExportResult done = require(train::exportCheckpoint(command.options));
  for (const std::string &warning : done.warnings)
    complain("warning", warning.c_str());
  print("step %llu of %s, saved %s\n",
        static_cast<unsigned long long>(done.step), done.checkpoint.c_str(),
        command.options.output.c_str());
  return Exit::Ok;
}
