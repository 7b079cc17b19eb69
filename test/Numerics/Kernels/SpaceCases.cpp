// Pools, resized tensors and shuffled pixels, channels first and last.
#include "CaseText.h"
#include "Cases.h"
#include <algorithm>
#include <span>
#include <utility>

using namespace mpc::test;

namespace {
struct Use {
  const char *words;
  Shape from, to;
};

const Use kPools[] = {
    {"kernel = [3, 3] strides = [2, 2] low = [1, 1] high = [1, 1]",
     {2, 3, 15, 14},
     {2, 3, 8, 7}},
    {"kernel = [3, 3] strides = [2, 2] low = [1, 1] high = [1, 1] "
     "channels_last",
     {2, 9, 10, 36},
     {2, 5, 5, 36}},
    {"kernel = [2, 2] strides = [2, 2] channels_last",
     {1, 8, 6, 16},
     {1, 4, 3, 16}},
    {"kernel = [2, 3] ceil strides = [3, 2] dilations = [2, 1]",
     {1, 2, 9, 20},
     {1, 2, 3, 10}},
    // A window longer than the input; places behind where none begins.
    {"kernel = [3] ceil strides = [2]", {2, 3, 2}, {2, 3, 1}},
    {"kernel = [2] ceil strides = [2] high = [3]", {2, 3, 5}, {2, 3, 3}},
    // One window of all, whatever the stride is.
    {"kernel = [5, 7] channels_last", {2, 5, 7, 9}, {2, 1, 1, 9}},
    {"kernel = [5] same channels_last", {2, 33, 4}, {2, 33, 4}},
    {"kernel = [5, 5] same", {1, 2, 11, 21}, {1, 2, 11, 21}},
    {"kernel = [7, 6] strides = [7, 6]", {2, 2, 15, 25}, {2, 2, 2, 4}},
    {"kernel = [40] strides = [3] low = [7] high = [2]",
     {2, 3, 70},
     {2, 3, 14}},
    {"kernel = [35] strides = [4] low = [21] high = [30] dilations = [2]",
     {2, 3, 50},
     {2, 3, 9}},
    {"kernel = [70]", {2, 3, 130}, {2, 3, 61}},
    {"kernel = [1030] low = [4] channels_last", {1, 1060, 3}, {1, 35, 3}},
    {"kernel = [33, 2] strides = [1, 2] channels_last",
     {1, 36, 4, 17},
     {1, 4, 2, 17}},
    {"kernel = [2, 2, 2] strides = [1, 2, 2] low = [1, 0, 0] channels_last",
     {1, 3, 4, 6, 17},
     {1, 3, 2, 3, 17}}};
const Use kAdaptive[] = {
    {"sizes = [1, 1] channels_last", {2, 7, 7, 40}, {2, 1, 1, 40}},
    {"sizes = [1, 1]", {2, 20, 7, 7}, {2, 20, 1, 1}},
    {"sizes = [3, 2]", {1, 2, 12, 30}, {1, 2, 3, 2}},
    {"sizes = [5, 4] channels_last", {1, 7, 9, 18}, {1, 5, 4, 18}},
    {"sizes = [9]", {2, 3, 4}, {2, 3, 9}}};
const Use kResized[] = {
    {"sizes = [8, 12] channels_last", {2, 4, 6, 19}, {2, 8, 12, 19}},
    {"sizes = [8, 18]", {1, 2, 4, 6}, {1, 2, 8, 18}},
    {"sizes = [7, 33] align_corners", {1, 2, 3, 20}, {1, 2, 7, 33}},
    {"sizes = [4, 3] asymmetric channels_last", {1, 9, 10, 18}, {1, 4, 3, 18}},
    {"sizes = [25] scales = [0.25]", {1, 2, 100}, {1, 2, 25}},
    // Places that are whole, which quotients of quotients miss.
    {"sizes = [18] asymmetric", {1, 2, 14}, {1, 2, 18}},
    {"sizes = [18]", {1, 2, 14}, {1, 2, 18}},
    // Places that f64 cannot tell.
    {"sizes = [3] scales = [1.0e-309] asymmetric", {1, 2, 14}, {1, 2, 3}},
    {"sizes = [3] scales = [1.0e-309]", {1, 2, 14}, {1, 2, 3}}};

void addPool(Cases &cases, const std::string &op, const Use &use,
             const std::string &element) {
  std::string x = type(use.from, element), y = type(use.to, element),
              i = type(use.to, "i32"), words = " " + std::string(use.words);
  addFunctional(cases, "graph." + op + "average_pool %a0" + words, {x}, y);
  std::string both = "(" + y + ", " + i + ")";
  cases.addFunction("(%x: " + x + ") -> " + both,
                    "  %y, %i = graph." + op + "max_pool %x" + words + " : (" +
                        x + ") -> " + both + "\n  return %y, %i : " + y + ", " +
                        i + "\n");
  cases.addFunction("(%x: " + x + ") -> " + y,
                    "  %y, %i = graph." + op + "max_pool %x" + words + " : (" +
                        x + ") -> " + both + "\n  return %y : " + y + "\n");
  // There and back again: the indices are valid ones.
  std::string back(use.words);
  std::string sizes, kept;
  bool isLast = back.find("channels_last") != std::string::npos;
  Shape space(use.from.begin() + (isLast ? 1 : 2),
              use.from.end() - (isLast ? 1 : 0));
  bool isSame = back.find("same") != std::string::npos;
  if (op.empty() && !isSame) {
    kept = back;
    if (size_t at = kept.find("ceil "); at != std::string::npos)
      kept.erase(at, 5);
    if (size_t at = kept.find("high"); at != std::string::npos)
      kept.erase(at, kept.find(']', at) + 1 - at);
  } else if (isSame) {
    std::string two(space.size() == 2 ? "[2, 2]" : "[2]");
    kept = (space.size() == 2 ? "kernel = [5, 5]" : "kernel = [5]");
    kept += " low = " + two + (isLast ? " channels_last" : "");
  } else {
    kept = isLast ? "channels_last" : "";
  }
  cases.addFunction("(%x: " + x + ", %dy: " + y + ") -> " + x,
                    "  %y, %i = graph." + op + "max_pool %x" + words + " : (" +
                        x + ") -> " + both +
                        "\n  %dx = graph.max_pool_gradient %dy, %i sizes = " +
                        list(space) + " " + kept + " : (" + y + ", " + i +
                        ") -> " + x + "\n  return %dx : " + x + "\n");
}

/// `words` with how places are rounded, which stands before the last word.
std::string withRounding(std::string words, const std::string &rounding) {
  size_t last = words.find(" channels_last");
  return words.insert(std::min(last, words.size()), rounding);
}

void addShuffles(Cases &cases, const std::string &element) {
  for (const char *words : {"factor = 2", "factor = 2 blocks_first"}) {
    std::string deep = type({2, 12, 3, 5}, element),
                wide = type({2, 3, 6, 10}, element);
    addFunctional(cases, std::string("graph.pixel_shuffle %a0 ") + words,
                  {deep}, wide);
    addFunctional(cases, std::string("graph.pixel_unshuffle %a0 ") + words,
                  {wide}, deep);
    std::string last = std::string(words) + " channels_last";
    addFunctional(cases, "graph.pixel_shuffle %a0 " + last,
                  {type({1, 3, 5, 72}, element)},
                  type({1, 6, 10, 18}, element));
    addFunctional(cases, "graph.pixel_unshuffle %a0 " + last,
                  {type({2, 6, 17}, element)}, type({2, 3, 34}, element));
  }
}
} // namespace

std::string mpc::test::makeSpaceCases() {
  Cases cases;
  for (const std::string element : {"f32", "bf16", "f16", "f64"}) {
    // How places are found is the same for all types: f16 and f64 take a few.
    bool takesAll = element == "f32" || element == "bf16";
    auto take = [&](std::span<const Use> all) {
      return std::span(all.begin(), takesAll ? all.size() : 2);
    };
    for (const Use &use : take(kPools))
      addPool(cases, "", use, element);
    for (const Use &use : take(kAdaptive))
      addPool(cases, "adaptive_", use, element);
    for (const Use &use : take(kResized))
      for (auto [op, rounding] : {std::pair("nearest", ""),
                                  {"nearest", " floor"},
                                  {"nearest", " ceil"},
                                  {"nearest", " prefer_ceil"},
                                  {"linear", ""},
                                  {"cubic", ""}})
        addFunctional(cases,
                      std::string("graph.resize_") + op + " %a0 " +
                          withRounding(use.words, rounding),
                      {type(use.from, element)}, type(use.to, element));
    addShuffles(cases, element);
  }
  return cases.str();
}
