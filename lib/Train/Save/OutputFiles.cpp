#include "OutputFiles.h"

#include "../Failure.h"

using namespace mpc::train;
using mpc::data::OutputFile;

void mpc::train::checkWritable(const NamePairs &files) {
  for (const auto &[option, path] : files)
    if (!path.empty())
      requireWritten(OutputFile(path).check());
}

void OutputFiles::open(const NamePairs &files) {
  for (const auto &[option, path] : files) {
    if (path.empty())
      continue;
    OutputFile file(path);
    requireWritten(file.open());
    opened.emplace(path, std::move(file));
  }
}

OutputFile OutputFiles::take(const std::string &path) {
  auto found = opened.find(path);
  if (found == opened.end())
    return path;
  OutputFile file = std::move(found->second);
  opened.erase(found);
  return file;
}
