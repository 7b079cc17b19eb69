// Convolutions, and the two other ops that each of them tells of.
#include "Rows.h"

using namespace mpc::gradients;

/// The sizes of "5x2x3x7".
static std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == 'x')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// "[2, 3]" of "5x2x3x7" without its first and its last size.
static std::string listFrom(const std::string &text, size_t skipped,
                            size_t skippedLast) {
  std::vector<std::string> parts = split(text);
  std::string list;
  for (size_t i = skipped; i + skippedLast < parts.size(); ++i)
    list += (list.empty() ? "[" : ", ") + parts[i];
  return list + "]";
}

/// The size of dim `dim` of "5x2x3x7", from the end if it is negative.
static std::string sizeOf(const std::string &text, int dim) {
  std::vector<std::string> parts = split(text);
  return parts[dim < 0 ? parts.size() + dim : dim];
}

void mpc::gradients::addConvolutionRows(std::vector<Row> &rows) {
  // Operands (input, weight and result, of which an op has two) and windows.
  const char *uses[][4] = {
      {"2x3x5", "4x3x2", "2x4x4", ""},
      {"2x3x5", "4x3x3", "2x4x3", "same strides = [2]"},
      {"1x2x5x4", "3x2x3x2", "1x3x3x3", ""},
      {"2x2x5x6", "3x2x3x3", "2x3x3x3",
       "strides = [2, 2] low = [1, 1] high = [1, 1]"},
      {"1x2x7x5", "2x2x3x2", "1x2x5x6",
       "low = [1, 2] high = [1, 1] dilations = [2, 2]"},
      {"2x4x4x3", "6x2x2x2", "2x6x3x2", "groups = 2"},
      {"1x3x4x4", "3x1x3x3", "1x3x4x4",
       "low = [1, 1] high = [1, 1] groups = 3"},
      {"2x3x2x3", "4x3x1x1", "2x4x2x3", ""},
      {"1x1x1x1", "1x1x3x3", "1x1x1x1", "low = [1, 1] high = [1, 1]"},
      {"2x5x4x3", "2x3x2x3", "2x3x3x2", "channels_last"},
      {"2x6x5x2", "4x3x3x1", "2x3x3x4",
       "strides = [2, 2] low = [1, 1] high = [1, 1] groups = 2 channels_last"},
      {"1x2x3x4x2", "2x2x2x3x2", "1x2x3x2x1", "high = [1, 0, 0]"},
      {"1x2x5x4x3", "2x2x3x2x3", "1x2x3x4x2",
       "strides = [2, 1, 2] low = [1, 0, 1] high = [1, 1, 1]"},
      {"1x2x5x4x3", "3x2x2x2x2", "1x3x4x2x2",
       "low = [0, 1, 0] high = [1, 0, 0] dilations = [2, 3, 1]"},
      {"2x4x3x2x3", "6x2x2x2x1", "2x6x2x1x3", "groups = 2"},
      {"1x4x3x5x3", "3x2x3x3x1", "1x2x3x3x3",
       "strides = [2, 1, 2] low = [0, 1, 1] high = [0, 1, 1] groups = 3 "
       "channels_last"},
      {"1x4x5x3x4", "2x2x2x2x2", "1x2x3x1x3",
       "strides = [2, 1, 1] low = [1, 0, 0] dilations = [1, 2, 1] groups = 2"}};
  for (auto &[x, w, y, windows] : uses) {
    std::string shape(w), sizes(x), words(windows);
    rows.push_back({"convolution",
                    {x, w},
                    "graph.convolution $0, $1 " + words + " : $F",
                    y});
    bool isLast = words.find("channels_last") != std::string::npos;
    int channels = isLast ? -1 : 1;
    rows.push_back({"convolution_bias",
                    {x, w, sizeOf(y, channels)},
                    "graph.convolution $0, $1 bias $2 " + words + " : $F",
                    y});
    if (words.starts_with("same"))
      continue;
    rows.push_back({"transposed_bias",
                    {y, w, sizeOf(x, channels)},
                    "graph.transposed_convolution $0, $1 bias $2 sizes = " +
                        listFrom(sizes, isLast ? 1 : 2, isLast) + " " + words +
                        " : $F",
                    x});
    rows.push_back({"transposed",
                    {y, w},
                    "graph.transposed_convolution $0, $1 sizes = " +
                        listFrom(sizes, isLast ? 1 : 2, isLast) + " " + words +
                        " : $F",
                    x});
    rows.push_back({"weight",
                    {x, y},
                    "graph.convolution_weight_gradient $0, $1 kernel = " +
                        listFrom(shape, isLast ? 1 : 2, isLast) + " " + words +
                        " : $F",
                    w});
  }
}
