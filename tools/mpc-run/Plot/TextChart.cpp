// A panel is a grid of characters: each curve has one of its own, and is drawn
// over those before it.
#include "Chart.h"

#include "mpc/Train/Format.h"

#include <cmath>
#include <optional>
#include <string_view>

using namespace mpc;
using namespace mpc::run;

namespace {

constexpr long kRows = 10;
constexpr std::string_view kSymbols = ".*o+x#";

class PanelText {
public:
  /// Numbers stand in the margin.
  PanelText(const Panel &panel, Range x, size_t margin, long columns)
      : panel(panel), x(x), margin(margin), columns(columns),
        grid(kRows, std::string(static_cast<size_t>(columns), ' ')) {}

  std::string draw(const std::string &xTitle) {
    std::string text =
        train::printable(panel.title) + drawCurves() + drawMarks();
    text = text.substr(0, margin + static_cast<size_t>(columns)) + "\n";
    std::vector<std::string> labels(kRows);
    for (const Tick &tick : makeTicks(panel.axis, panel.y))
      if (std::string &label = labels[row(tick.position)]; label.empty())
        label = tick.text;
    for (size_t i = 0; i < kRows; ++i) {
      text += padded(labels[i]) + (labels[i].empty() ? " |" : " +") + grid[i];
      text.erase(text.find_last_not_of(' ') + 1);
      text += "\n";
    }
    return text + drawBottom(xTitle);
  }

private:
  std::string padded(const std::string &label) const {
    size_t width = margin - 2;
    return std::string(width - std::min(label.size(), width), ' ') + label;
  }
  static size_t cell(double place, long count) {
    return static_cast<size_t>(std::lround(std::clamp(place, 0.0, 1.0) *
                                           static_cast<double>(count - 1)));
  }
  size_t row(double position) const {
    return cell(1 - panel.y.place(position), kRows);
  }
  size_t column(double value) const { return cell(x.place(value), columns); }

  /// Fills in the grid; returns what the symbols mean.
  std::string drawCurves() {
    std::string legend;
    for (size_t i = 0; i < panel.series.size(); ++i) {
      char symbol =
          panel.series.size() == 1 ? '*' : kSymbols[i % kSymbols.size()];
      drawCurve(panel.series[i], symbol);
      if (panel.series.size() > 1 || panel.series[i].name != panel.title)
        legend += std::string("   ") + symbol + " " +
                  train::printable(panel.series[i].name);
    }
    return legend;
  }

  void drawCurve(const Series &series, char symbol) {
    std::optional<std::pair<size_t, size_t>> last;
    for (Point point : series.points) {
      size_t c = column(point.x), r = row(measure(panel.axis, point.y));
      grid[r][c] = symbol;
      for (size_t between = last ? last->first + 1 : c; between < c;
           ++between) {
        double share = static_cast<double>(between - last->first) /
                       static_cast<double>(c - last->first);
        double height = std::lerp(static_cast<double>(last->second),
                                  static_cast<double>(r), share);
        grid[static_cast<size_t>(std::lround(height))][between] = symbol;
      }
      last = {c, r};
    }
  }

  std::string drawMarks() {
    for (double mark : panel.marks)
      grid[kRows - 1][column(mark)] = '!';
    return panel.marks.empty()
               ? ""
               : "   ! skipped steps: " + std::to_string(panel.marks.size());
  }

  /// The axis, and numbers below it where there is room.
  std::string drawBottom(const std::string &xTitle) const {
    std::string line(static_cast<size_t>(columns), '-'), numbers;
    for (const Tick &tick : makeTicks(Axis::Count, x)) {
      size_t at = column(tick.position);
      line[at] = '+';
      size_t size = std::min(tick.text.size(), line.size());
      size_t begin =
          std::min(at + margin - size / 2, line.size() + margin - size);
      if (!numbers.empty() && begin < numbers.size() + 2)
        continue;
      numbers += std::string(begin - numbers.size(), ' ') + tick.text;
    }
    return padded(xTitle) + " +" + line + "\n" + numbers + "\n";
  }

  const Panel &panel;
  Range x;
  size_t margin;
  long columns;
  std::vector<std::string> grid;
};

} // namespace

std::string mpc::run::drawText(const Chart &chart, size_t width) {
  size_t margin = 10;
  for (const Panel &panel : chart.panels)
    for (const Tick &tick : makeTicks(panel.axis, panel.y))
      margin = std::max(margin, tick.text.size() + 2);
  long columns = std::max(static_cast<long>(width - margin), 20L);
  std::string text;
  for (const Panel &panel : chart.panels)
    text += (text.empty() ? "" : "\n") +
            PanelText(panel, chart.x, margin, columns).draw(chart.xTitle);
  return text;
}
