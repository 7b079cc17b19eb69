// Normalizations of channels, in front of the dims of space and behind them.
#include "Rows.h"

using namespace mpc::gradients;

/// `words` of `op` on an input of shape `x` with `channels`: alone, with a
/// weight, with a bias, and with both.
static void addUses(std::vector<Row> &rows, const std::string &op,
                    const std::string &x, const std::string &channels,
                    const std::string &words) {
  std::string begin = "graph." + op + " $0 ", end = words + " : $F";
  rows.push_back({op, {x}, begin + end, x});
  rows.push_back({op, {x, channels}, begin + "weight $1 " + end, x});
  rows.push_back({op, {x, channels}, begin + "bias $1 " + end, x});
  rows.push_back(
      {op, {x, channels, channels}, begin + "weight $1 bias $2 " + end, x});
}

void mpc::gradients::addChannelNormRows(std::vector<Row> &rows) {
  // Of one group and of as many as channels, in a batch of one, too.
  const char *ofGroups[][3] = {{"2x4x3", "4", "groups = 2"},
                               {"2x4x3x2", "4", "groups = 4"},
                               {"1x4x3x2", "4", "groups = 1 epsilon = 0.01"},
                               {"3x6", "6", "groups = 2"},
                               {"2x3x2x4", "4", "groups = 2 channels_last"},
                               {"1x2x3x6", "6", "groups = 1 channels_last"},
                               {"2x2x2x3x2", "2", "groups = 1"}};
  for (auto &[x, channels, words] : ofGroups)
    addUses(rows, "group_norm", x, channels, words);
  const char *ofSamples[][3] = {{"2x3x5", "3", ""},
                                {"1x2x3x4", "2", "epsilon = 0.01"},
                                {"2x3x4x2", "2", "channels_last"},
                                {"1x2x3x2x3", "2", ""}};
  for (auto &[x, channels, words] : ofSamples)
    addUses(rows, "instance_norm", x, channels, words);
  const char *ofBatches[][3] = {{"5x3", "3", ""},
                                {"3x2x4", "2", ""},
                                {"1x3x4", "3", ""},
                                {"2x3x2x4", "3", "epsilon = 0.01"},
                                {"2x3x2x4", "4", "channels_last"},
                                {"4x1x1x3", "3", "channels_last"},
                                {"2x2x3x2x2", "2", ""}};
  for (auto &[x, channels, words] : ofBatches)
    addUses(rows, "batch_norm", x, channels, words);
  // By running statistics the gradient goes through no statistic.
  for (const char *words : {"inference", "inference channels_last"}) {
    bool isLast = std::string(words) != "inference";
    rows.push_back({"batch_norm",
                    {isLast ? "2x4x3" : "2x3x4", "3", "3", "3xf64", "3xf64"},
                    std::string("graph.batch_norm $0 weight $1 bias $2 running "
                                "$3, $4 ") +
                        words + " : $F",
                    isLast ? "2x4x3" : "2x3x4",
                    0.2,
                    2});
  }
}
