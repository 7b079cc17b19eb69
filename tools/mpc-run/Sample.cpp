// mpc-run sample: its command line, and the text that it prints.
#include "Commands.h"
#include "Failure.h"
#include "SharedOptions.h"

#include "mpc/Train/Sample.h"

#include <cstdio>

using namespace mpc;
using namespace mpc::run;

namespace {

struct SampleCommand {
  train::SampleOptions options;

  static Options command();
  void declare(Options &table);
};

} // namespace

Options SampleCommand::command() {
  return {"mpc-run", "sample", "write text with a trained language model",
          "MODEL.mpcx"};
}

void SampleCommand::declare(Options &table) {
  table.setDetails(
      "Goes on with a text, token by token, and prints it as it comes. The "
      "model's forward reads tokens, of batch and context, and says of each "
      "place by logits which token follows. A vocabulary is a JSON list: the "
      "place of a string in it is its token; a number below 256 stands for a "
      "byte. Without one, the prompt and what is printed are numbers.");
  table.beginGroup("Text");
  table.addText("--prompt", "TEXT", "how the text begins", options.prompt)
      .required();
  table.addText("--vocabulary", "FILE",
                "what tokens stand for, a JSON list of strings",
                options.vocabulary);
  table.addCount("--tokens", "N", "how many to add (256)", options.tokens);
  table
      .addReal("--temperature", "T",
               "divides the logits: below 1 likelier, above 1 wilder text; 0: "
               "always the likeliest token (1)",
               options.temperature)
      .atLeast(0);
  table
      .addCount("--top-k", "K", "choose among the K likeliest tokens (all)",
                options.topK)
      .atLeast(1);
  table.addCount("--seed", "S", "of the choice (0)", options.seed);
  table.beginGroup("Model");
  table.addText("--weights", "FILE", "parameters, if the program has any",
                options.weights);
  table.addFlag("--convert", "convert weights of another element type",
                options.convert);
  table.addFlag("--allow-non-finite", "accept NaN and infinity in weights",
                options.allowNonFinite);
  table.addText("--logits", "NAME", "the output with the logits (logits)",
                options.logits);
  declareDevice(options.device, table);
}

cli::CommandInfo mpc::run::describeSample() {
  return describe<SampleCommand>();
}

Exit mpc::run::runSample(const Arguments &arguments) {
  SampleCommand command;
  std::optional<std::string> model = readInto(command, arguments);
  if (!model)
    return Exit::Ok;
  command.options.program = programFile(*model);
  bool endsLine = true;
  require(train::sample(command.options, [&](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    endsLine = text.back() == '\n';
  }));
  if (!endsLine)
    std::fputs("\n", stdout);
  return Exit::Ok;
}
