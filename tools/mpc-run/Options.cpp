#include "Options.h"

#include "Failure.h"

#include "mpc/CommandLine/Documents.h"

#include <cstdio>

using namespace mpc::run;

std::optional<std::string> mpc::run::readArguments(Options &options,
                                                   const Arguments &arguments) {
  Result<cli::Request> request = options.parse(arguments);
  if (!request)
    throw usageError(options.information().name + ": " +
                     request.status().message());
  if (!request->help)
    return request->argument;
  std::fputs(cli::helpText(options.information()).c_str(), stdout);
  return std::nullopt;
}
