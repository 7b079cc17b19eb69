// Pools, resized tensors and shuffled pixels.
#include "Rows.h"

using namespace mpc::gradients;

/// `op` of an input of `from`, whose results have shape `to`.
static void addPool(std::vector<Row> &rows, const std::string &op,
                    const std::string &from, const std::string &to,
                    const std::string &words) {
  bool hasIndex = op.find("max") != std::string::npos;
  std::string input = "(tensor<" + from + "xf64>) -> ";
  std::string results = hasIndex
                            ? "(tensor<" + to + "xf64>, tensor<" + to + "xi32>)"
                            : "tensor<" + to + "xf64>";
  rows.push_back({op,
                  {from},
                  "graph." + op + " $0 " + words + " : " + input + results,
                  to,
                  -1,
                  1,
                  0,
                  "",
                  hasIndex ? 2 : 1});
}

void mpc::gradients::addSpaceRows(std::vector<Row> &rows) {
  // Input, result and windows.
  const char *pools[][3] = {
      {"2x3x9", "2x3x4", "kernel = [3] strides = [2]"},
      {"1x2x6x7", "1x2x3x3", "kernel = [2, 2] strides = [2, 2]"},
      {"2x2x7x6", "2x2x4x3",
       "kernel = [3, 3] strides = [2, 2] low = [1, 1] high = [1, 1]"},
      {"1x1x6x8", "1x1x3x4", "kernel = [2, 3] ceil strides = [2, 2]"},
      {"1x2x6x5", "1x2x3x2",
       "kernel = [2, 3] strides = [2, 2] low = [1, 1] high = [1, 1] "
       "dilations = [3, 2]"},
      {"1x3x3x2", "1x3x3x2", "kernel = [5, 2] same"},
      {"1x8x1x2", "1x3x1x2",
       "kernel = [3, 1] strides = [3, 1] low = [1, 0] channels_last"},
      // Fewer windows than may have an element.
      {"1x2x5x3", "1x2x2x1", "kernel = [4, 3]"},
      {"1x1x4x4x5", "1x1x2x2x2", "kernel = [3, 3, 4]"},
      // Too many places for one expression: by dims, and as dims.
      {"1x1x9x8", "1x1x9x8", "kernel = [5, 5] same"},
      {"1x1x13x11", "1x1x2x2", "kernel = [6, 5] strides = [6, 5]"},
      {"1x40x1", "1x3x1", "kernel = [36] strides = [2] channels_last"},
      // Runs of many windows, windows whose ends alone overlap, and both with
      // gaps.
      {"1x1x45", "1x1x8", "kernel = [40] low = [2]"},
      {"1x1x80", "1x1x8", "kernel = [71] strides = [2] low = [6]"},
      {"1x1x40", "1x1x3", "kernel = [16] strides = [11] low = [5]"},
      {"1x72x2", "1x3x2",
       "kernel = [34] strides = [3] low = [2] dilations = [2] channels_last"},
      {"1x2x4x3x5", "1x2x2x2x2",
       "kernel = [3, 2, 2] strides = [2, 1, 2] low = [1, 0, 0]"}};
  for (auto &[from, to, words] : pools) {
    addPool(rows, "max_pool", from, to, words);
    addPool(rows, "average_pool", from, to, words);
    std::string counted = words;
    size_t last = counted.find(" channels_last");
    counted.insert(last == std::string::npos ? counted.size() : last,
                   " count_padding");
    addPool(rows, "average_pool", from, to, counted);
  }
  const char *adaptive[][3] = {
      {"2x3x7", "2x3x3", "sizes = [3]"},
      {"1x2x6x4", "1x2x3x2", "sizes = [3, 2]"},
      {"2x3x5x6", "2x3x1x1", "sizes = [1, 1]"},
      {"1x5x3x2", "1x7x4x2", "sizes = [7, 4] channels_last"},
      {"1x1x3x5x4", "1x1x2x5x3", "sizes = [2, 5, 3]"}};
  for (auto &[from, to, words] : adaptive) {
    addPool(rows, "adaptive_max_pool", from, to, words);
    addPool(rows, "adaptive_average_pool", from, to, words);
  }
  for (const char *windows :
       {"kernel = [3, 2] strides = [2, 1] low = [1, 0]", ""})
    rows.push_back(
        {"max_pool_gradient",
         {"1x2x3x3", "1x2x3x3xi32"},
         std::string("graph.max_pool_gradient $0, $1 sizes = [5, 4] ") +
             windows + " : $F",
         "1x2x5x4"});
  const char *resized[][3] = {
      {"1x2x3x4", "1x2x6x12", "sizes = [6, 12]"},
      {"1x2x3x4", "1x2x5x7", "sizes = [5, 7] align_corners"},
      {"1x1x7x9", "1x1x3x4", "sizes = [3, 4] asymmetric"},
      {"2x1x5", "2x1x1", "sizes = [1] pytorch_half_pixel"},
      {"1x2x3x2", "1x5x4x2",
       "sizes = [5, 4] scales = [1.8, 1.5] channels_last"},
      {"1x1x2", "1x1x19", "sizes = [19]"},
      {"1x1x2x3x2", "1x1x3x5x4", "sizes = [3, 5, 4]"}};
  for (auto &[from, to, words] : resized)
    for (const char *op : {"resize_nearest", "resize_linear", "resize_cubic"})
      addPool(rows, op, from, to, words);
  for (const char *words :
       {"sizes = [3, 4] prefer_ceil", "sizes = [3, 4] asymmetric linear",
        "sizes = [3, 4] align_corners cubic coefficient = -0.5"})
    addPool(rows, "resize_gradient", "1x2x6x5", "1x2x3x4", words);
  for (const char *words : {"", " blocks_first"}) {
    addPool(rows, "pixel_shuffle", "2x8x2x3", "2x2x4x6",
            std::string("factor = 2") + words);
    addPool(rows, "pixel_unshuffle", "1x6x3x1", "1x2x1x9",
            "factor = 3" + std::string(words) + " channels_last");
  }
}
