#include "SaveFiles.h"

#include "mpc/Support/Links.h"
#include "mpc/Support/Number.h"

#include <filesystem>

using namespace mpc;
using namespace mpc::train;

std::string mpc::train::insertMark(const std::string &file,
                                   const std::string &mark) {
  std::filesystem::path path(file);
  std::filesystem::path name = path.stem();
  name += "." + mark;
  name += path.extension();
  return path.replace_filename(name);
}

std::string mpc::train::bestFile(const SaveOptions &options) {
  return options.best ? insertMark(options.file, "best") : "";
}

NamePairs mpc::train::savedFiles(const SaveOptions &options) {
  return {{"--save", options.file}, {"--save-best", bestFile(options)}};
}

static constexpr std::string_view kStep = "step-";

std::string mpc::train::stepFile(const SaveOptions &options, uint64_t step) {
  return insertMark(options.file, std::string(kStep) + std::to_string(step));
}

std::optional<uint64_t> mpc::train::stepOf(const SaveOptions &options,
                                           std::string_view fileName) {
  std::filesystem::path path(options.file);
  std::string before = path.stem().string() + "." + std::string(kStep);
  std::string after = path.extension();
  if (!fileName.starts_with(before) || !fileName.ends_with(after) ||
      fileName.size() < before.size() + after.size())
    return std::nullopt;
  std::string_view digits = fileName.substr(before.size());
  digits.remove_suffix(after.size());
  return parseNumber<uint64_t>(digits);
}

bool mpc::train::makesStepFile(const SaveOptions &options,
                               const std::string &path) {
  if (options.keep.value_or(0) == 0 || path.empty())
    return false;
  std::optional<std::string> other = canonicalPath(path);
  std::optional<std::string> any = canonicalPath(stepFile(options, 0));
  if (!other || !any)
    return false;
  std::string folder = folderOf(*any);
  return folderOf(*other) == folder &&
         stepOf(options, other->substr(folder.size()));
}

std::vector<std::string> mpc::train::ownersOfStepFile(const std::string &path) {
  std::vector<std::string> owners;
  std::string mark = "." + std::string(kStep);
  size_t name = folderOf(path).size();
  for (size_t at = path.find(mark, name); at != std::string::npos;
       at = path.find(mark, at + 1)) {
    size_t digits = at + mark.size();
    size_t end = path.find_first_not_of("0123456789", digits);
    if (end == digits || digits == path.size())
      continue;
    std::string owner = path.substr(0, at);
    if (end != std::string::npos)
      owner += path.substr(end);
    SaveOptions saving;
    saving.file = owner;
    if (stepOf(saving, path.substr(name)))
      owners.push_back(owner);
  }
  return owners;
}
