#include "Chart.h"
#include "Commands.h"
#include "Inputs.h"

#include "mpc/Data/File.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::run;
using nlohmann::json;

namespace {

/// What the plot needs of the metrics.
struct Curves {
  Series loss{"training", "#a9c7e3", {}};
  Series testLoss{"test", "#c05621", {}};
  Series scale{"loss scale", "#2b6cb0", {}};
  std::vector<double> skippedSteps;
};

/// The mean around each point, over about a fiftieth of the run: single batches
/// jump too much to show a trend.
Series smooth(const Series &raw) {
  size_t reach = raw.points.size() / 100;
  Series result{"mean of " + std::to_string(2 * reach + 1), "#2b6cb0", {}};
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

void readLine(const json &line, Curves &curves) {
  std::optional<double> step = number(line, "step");
  if (!step)
    return;
  if (auto loss = number(line, "loss"))
    curves.loss.points.push_back({*step, *loss});
  if (auto loss = number(line, "eval_loss"))
    curves.testLoss.points.push_back({*step, *loss});
  if (auto scale = number(line, "scale"))
    curves.scale.points.push_back({*step, *scale});
  if (line.value("found_inf", json(false)) == json(true))
    curves.skippedSteps.push_back(*step);
}

Curves readMetrics(const std::string &path) {
  data::InputFile file = requireInput(data::InputFile::open(path));
  data::Bytes bytes = requireInput(file.read(file.size()));
  std::string_view rest(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  Curves curves;
  for (uint64_t number = 1; !rest.empty(); ++number) {
    size_t end = rest.find('\n');
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
  if (curves.loss.points.empty() && curves.testLoss.points.empty())
    throw badInput("'" + path +
                   "': expected lines with \"step\" and \"loss\", but got "
                   "none");
  return curves;
}

struct PlotOptions {
  std::string output;

  static Options command() {
    return {"mpc-run", "plot", "draw metrics of a training run as SVG",
            "METRICS.jsonl"};
  }
  void declare(Options &options) {
    options.setDetails("Draws loss and loss scale of the JSON lines that train "
                       "--metrics wrote.");
    options.addText("-o", "FILE", "the SVG file to write", output).required();
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
  checkDistinctFiles("plot", {{"METRICS.jsonl", *path}}, {{"-o", output}});
  Curves curves = readMetrics(*path);
  std::vector<Series> losses = {curves.loss};
  if (curves.loss.points.size() >= 100)
    losses.push_back(smooth(curves.loss));
  losses.push_back(curves.testLoss);
  std::vector<Panel> panels = {{"loss", Axis::Logarithmic10, losses, {}}};
  if (!curves.scale.points.empty())
    panels.push_back({"loss scale",
                      Axis::Logarithmic2,
                      {curves.scale},
                      curves.skippedSteps});
  std::string svg = drawChart("step", panels);
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(svg))};
  requireWritten(data::writeFile(output, parts));
  return Exit::Ok;
}
