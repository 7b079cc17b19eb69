#include "SaveOptions.h"

#include "../Failure.h"

#include "mpc/Support/Links.h"
#include "mpc/Support/Number.h"

#include <algorithm>
#include <filesystem>

using namespace mpc;
using namespace mpc::run;

std::optional<SaveInterval> SaveInterval::parse(const std::string &text) {
  size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::optional<uint64_t> read =
      parseNumber<uint64_t>(std::string_view(text).substr(0, digits));
  uint64_t count = read.value_or(0);
  constexpr uint64_t most = uint64_t(1) << 32;
  if (count == 0 || count > most)
    return std::nullopt;
  std::string_view unit = std::string_view(text).substr(digits);
  using namespace std::chrono;
  auto number = static_cast<int64_t>(count);
  if (unit.empty())
    return SaveInterval{count, {}};
  if (unit == "s")
    return SaveInterval{{}, seconds(number)};
  if (unit == "min")
    return SaveInterval{{}, minutes(number)};
  if (unit == "h")
    return SaveInterval{{}, hours(number)};
  return std::nullopt;
}

std::optional<BestRule> BestRule::parse(const std::string &text) {
  size_t colon = text.find(':');
  BestRule rule;
  rule.metric = text.substr(0, colon);
  if (rule.metric != "eval_loss" && rule.metric != "eval_accuracy")
    return std::nullopt;
  rule.isLeastBest = rule.metric == "eval_loss";
  if (colon == std::string::npos)
    return rule;
  std::string direction = text.substr(colon + 1);
  if (direction != "min" && direction != "max")
    return std::nullopt;
  rule.isLeastBest = direction == "min";
  return rule;
}

void SaveOptions::declare(Options &options) {
  options.addText("--save", "FILE", "write all state here at the end", file);
  options
      .addChecked(
          "--save-every", "INTERVAL",
          "and while training goes on: every 500 steps, 30s, 10min, 2h",
          [this](const std::string &text) -> std::optional<std::string> {
            every = SaveInterval::parse(text);
            if (every)
              return std::nullopt;
            return "expected a number of steps (500) or a time (30s, 10min, "
                   "2h)";
          })
      .needs("--save");
  options
      .addCount("--keep", "K",
                "of these the last K stay, with the step in their names (0)",
                keep)
      .needs("--save-every");
  options
      .addChecked(
          "--save-best", "METRIC",
          "the best evaluation too, as FILE with 'best' in its name, "
          "by eval_loss or eval_accuracy; :min or :max after it",
          [this](const std::string &text) -> std::optional<std::string> {
            best = BestRule::parse(text);
            if (best)
              return std::nullopt;
            return "expected eval_loss or eval_accuracy, and after it "
                   "nothing, ':min' or ':max'";
          })
      .needs("--save")
      .needs("--eval-input");
}

/// `file` with `mark` in front of its ending.
static std::string insertMark(const std::string &file,
                              const std::string &mark) {
  std::filesystem::path path(file);
  std::filesystem::path name = path.stem();
  name += "." + mark;
  name += path.extension();
  return path.replace_filename(name);
}

std::string SaveOptions::bestFile() const {
  return best ? insertMark(file, "best") : "";
}

NamePairs SaveOptions::files() const {
  return {{"--save", file}, {"--save-best", bestFile()}};
}

static constexpr std::string_view kStep = "step-";

std::string SaveOptions::stepFile(uint64_t step) const {
  return insertMark(file, std::string(kStep) + std::to_string(step));
}

std::optional<uint64_t> SaveOptions::stepOf(std::string_view fileName) const {
  std::filesystem::path path(file);
  std::string before = path.stem().string() + "." + std::string(kStep);
  std::string after = path.extension();
  if (!fileName.starts_with(before) || !fileName.ends_with(after) ||
      fileName.size() < before.size() + after.size())
    return std::nullopt;
  std::string_view digits = fileName.substr(before.size());
  digits.remove_suffix(after.size());
  return parseNumber<uint64_t>(digits);
}

bool SaveOptions::makesStepFile(const std::string &path) const {
  if (keep.value_or(0) == 0 || path.empty())
    return false;
  std::optional<std::string> other = canonicalPath(path);
  std::optional<std::string> any = canonicalPath(stepFile(0));
  if (!other || !any)
    return false;
  std::string folder = folderOf(*any);
  return folderOf(*other) == folder && stepOf(other->substr(folder.size()));
}

std::vector<std::string> mpc::run::ownersOfStepFile(const std::string &path) {
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
    if (saving.stepOf(path.substr(name)))
      owners.push_back(owner);
  }
  return owners;
}
