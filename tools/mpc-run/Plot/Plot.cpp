#include "../Commands.h"
#include "../Print.h"
#include "../Progress.h"
#include "Chart.h"

#include "mpc/Data/File.h"
#include "mpc/Support/Links.h"
#include "mpc/Train/Metrics.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::run;
using nlohmann::json;

namespace {

constexpr const char *kColours[] = {"#2b6cb0", "#c05621", "#2f855a",
                                    "#6b46c1", "#b7791f", "#4a5568"};
constexpr const char *kPale = "#a9c7e3"; ///< Behind a mean.

/// What lines say under one key, and of parameter groups under "<group>.key".
class GroupCurves {
public:
  /// `whole` is what the key without a group is called in the legend.
  GroupCurves(std::string key, std::string whole)
      : key(std::move(key)), curves{{std::move(whole), kColours[0], {}}} {}

  void read(const std::string &name, Point point) {
    if (name == key)
      curves.front().points.push_back(point);
    else if (std::optional<std::string_view> group = train::groupOf(name, key))
      find(*group).points.push_back(point);
  }
  bool isEmpty() const {
    return curves.size() == 1 && curves.front().points.empty();
  }
  const std::vector<Series> &get() const { return curves; }

private:
  Series &find(std::string_view group) {
    for (size_t i = 1; i < curves.size(); ++i)
      if (curves[i].name == group)
        return curves[i];
    curves.push_back({std::string(group),
                      kColours[curves.size() % std::size(kColours)],
                      {}});
    return curves.back();
  }

  std::string key;
  std::vector<Series> curves; ///< The whole's, then groups' as they come.
};

/// What the plot needs of the metrics.
struct Curves {
  Series loss{"training", kColours[0], {}};
  Series testLoss{"test", kColours[1], {}};
  Series accuracy{"test", kColours[1], {}};
  Series scale{"loss scale", kColours[0], {}};
  GroupCurves norms{"grad_norm", "all gradients"}, rates{"lr", "learning rate"};
  std::vector<double> skippedSteps;
  uint64_t nullLosses = 0; ///< Of training and tests: not finite.

  bool hasLoss() const {
    return !loss.points.empty() || !testLoss.points.empty();
  }
};

/// The mean around each point, over about a fiftieth of the run: single batches
/// jump too much to show a trend.
Series smooth(const Series &raw) {
  size_t reach = raw.points.size() / 100;
  Series result{"mean of " + std::to_string(2 * reach + 1), kColours[0], {}};
  double sum = 0;
  size_t begin = 0, end = 0;
  for (size_t i = 0; i < raw.points.size(); ++i) {
    for (; end < std::min(i + reach + 1, raw.points.size()); ++end)
      sum += raw.points[end].y;
    for (; begin + reach < i; ++begin)
      sum -= raw.points[begin].y;
    result.points.push_back(
        {raw.points[i].x, sum / static_cast<double>(end - begin)});
  }
  return result;
}

std::optional<double> number(const json &line, const char *key) {
  auto found = line.find(key);
  if (found == line.end() || !found->is_number())
    return std::nullopt;
  return found->get<double>();
}

bool isNull(const json &line, const char *key) {
  auto found = line.find(key);
  return found != line.end() && found->is_null();
}

void readLine(const json &line, Curves &curves) {
  std::optional<double> step = number(line, "step");
  if (!step)
    return;
  if (auto loss = number(line, "loss"))
    curves.loss.points.push_back({*step, *loss});
  if (auto loss = number(line, "eval_loss"))
    curves.testLoss.points.push_back({*step, *loss});
  curves.nullLosses += isNull(line, "loss") + isNull(line, "eval_loss");
  if (auto accuracy = number(line, "eval_accuracy"))
    curves.accuracy.points.push_back({*step, *accuracy * 100});
  if (auto scale = number(line, "scale"))
    curves.scale.points.push_back({*step, *scale});
  for (const auto &[key, value] : line.items()) {
    if (!value.is_number())
      continue;
    curves.norms.read(key, {*step, value.get<double>()});
    curves.rates.read(key, {*step, value.get<double>()});
  }
  if (line.value("found_inf", json(false)) == json(true))
    curves.skippedSteps.push_back(*step);
}

/// Whether it is the beginning of an object: a run writes it just now, or was
/// killed while it did.
bool isHalf(std::string_view line) {
  return line.starts_with('{') && !json::accept(line);
}

Curves readMetrics(const std::string &path) {
  data::InputFile file = requireInput(data::InputFile::open(path));
  data::Bytes bytes = requireInput(file.read(file.size()));
  std::string_view rest(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  Curves curves;
  for (uint64_t number = 1; !rest.empty(); ++number) {
    size_t end = rest.find('\n');
    if (end == std::string_view::npos && isHalf(rest)) {
      complain("note", "'" + path + "': line " + std::to_string(number) +
                           " is not whole yet, and left out");
      break;
    }
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (text.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    json line = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object())
      throw badInput("'" + path + "': expected a JSON object on line " +
                     std::to_string(number));
    readLine(line, curves);
  }
  return curves;
}

/// A curve that jumps: pale, with its mean in front of it.
std::vector<Series> withMean(Series raw) {
  if (raw.points.size() < 100)
    return {raw};
  raw.colour = kPale;
  Series mean = smooth(raw);
  return {std::move(raw), std::move(mean)};
}

/// A panel for each thing that the run has.
std::vector<Panel> makePanels(const Curves &curves) {
  std::vector<Panel> panels;
  if (curves.hasLoss()) {
    std::vector<Series> losses = withMean(curves.loss);
    losses.push_back(curves.testLoss);
    panels.push_back({"loss", Axis::Logarithmic10, losses, {}});
  }
  if (!curves.accuracy.points.empty())
    panels.push_back({"accuracy, %", Axis::Linear, {curves.accuracy}, {}});
  const std::vector<Series> &norms = curves.norms.get();
  if (!curves.norms.isEmpty())
    panels.push_back({"gradient norm",
                      Axis::Logarithmic10,
                      norms.size() == 1 ? withMean(norms.front()) : norms,
                      {}});
  if (!curves.rates.isEmpty())
    panels.push_back({"learning rate", Axis::Linear, curves.rates.get(), {}});
  if (!curves.scale.points.empty())
    panels.push_back({"loss scale",
                      Axis::Logarithmic2,
                      {curves.scale},
                      curves.skippedSteps});
  return panels;
}

/// A run whose losses are all inf or NaN has panels that may tell why.
std::vector<Panel> readPanels(const std::string &path) {
  Curves curves = readMetrics(path);
  std::vector<Panel> panels = makePanels(curves);
  if (curves.hasLoss())
    return panels;
  if (curves.nullLosses == 0)
    throw badInput("'" + path +
                   "': expected lines with \"step\" and \"loss\", but got "
                   "none");
  std::string all = "'" + path + "': all losses (" +
                    std::to_string(curves.nullLosses) +
                    ") are null: none was finite";
  if (panels.empty())
    throw badInput(all);
  complain("note", all);
  return panels;
}

struct PlotOptions {
  std::string output;

  static Options command() {
    return {"mpc-run", "plot", "draw metrics of a training run",
            "METRICS.jsonl"};
  }
  void declare(Options &options) {
    options.setDetails("Draws the JSON lines that train --metrics wrote: loss, "
                       "evaluations, norm of the gradients, learning rate and "
                       "loss scale, as far as the run has them. Without -o in "
                       "characters, as wide as the terminal.");
    options.addText("-o", "FILE", "write an SVG file instead", output);
  }
};

} // namespace

cli::CommandInfo mpc::run::describePlot() { return describe<PlotOptions>(); }

Exit mpc::run::runPlot(const Arguments &arguments) {
  PlotOptions options;
  std::optional<std::string> path = readInto(options, arguments);
  if (!path)
    return Exit::Ok;
  const std::string &output = options.output;
  if (isSameFile(*path, output))
    throw usageError("plot: expected '-o' to name a file of its own, but '" +
                     output + "' is the file of 'METRICS.jsonl' too");
  if (std::string end = std::filesystem::path(output).extension();
      !end.empty() && end != ".svg")
    throw usageError("plot: -o " + output + ": expected a file named .svg");
  Chart chart("step", readPanels(*path));
  if (output.empty()) {
    std::fputs(drawText(chart, terminalWidth()).c_str(), stdout);
    return Exit::Ok;
  }
  std::string svg = drawSvg(chart);
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(svg))};
  requireWritten(data::writeFile(output, parts));
  return Exit::Ok;
}
