// Which value is blamed, on chains of values with known answers.
#include "Train/Diagnosis/OverflowExplanation.h"

#include <deque>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::train;

namespace {

/// Values with one element each.
class Chain {
public:
  size_t add(const char *name, double value, std::vector<uint32_t> reads,
             bool isSink = false, bool isBackward = false) {
    facts.push_back({0,
                     name,
                     std::string("graph.") + name,
                     "m.mlir:1:1",
                     DType::F16,
                     {},
                     std::move(reads),
                     isBackward,
                     isSink});
    values.push_back({&facts.back(), Observation()});
    values.back().seen.add(value);
    return values.size() - 1;
  }
  OverflowExplanation explain() const { return explainOverflow(values); }
  std::string text() const { return describe(explain(), values); }

  std::deque<ProbeFacts> facts;
  std::vector<ObservedValue> values;
};

TEST(ExplainOverflow, NamesTheProducerAndNotWhatFollows) {
  Chain chain;
  chain.add("x", 11, {});
  size_t exp = chain.add("exp", INFINITY, {0});
  chain.add("add", INFINITY, {1});
  chain.add("loss", INFINITY, {2}, /*isSink=*/true);
  OverflowExplanation found = chain.explain();
  EXPECT_EQ(found.first, exp);
  EXPECT_TRUE(found.reachesSink);
  EXPECT_TRUE(found.others.empty());
  EXPECT_TRUE(found.isLossBad(chain.values));
  EXPECT_EQ(found.badForward, 3u);
  std::string text = chain.text();
  EXPECT_NE(text.find("first: graph.exp at m.mlir:1:1, forward"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("no loss scale cures"), std::string::npos) << text;
}

TEST(ExplainOverflow, AMaskThatSoftmaxAbsorbsIsNoCause) {
  Chain chain;
  chain.add("x", 1, {});
  chain.add("constant", -INFINITY, {});
  chain.add("select", -INFINITY, {0, 1});
  chain.add("softmax", 0.5, {2});
  size_t scaled = chain.add("scale", INFINITY, {3}, false, true);
  chain.add("gradient", NAN, {3, 4}, true, true);
  OverflowExplanation found = chain.explain();
  EXPECT_EQ(found.first, scaled);
  EXPECT_EQ(found.firstNan, 5u);
  EXPECT_FALSE(found.isLossBad(chain.values));
  EXPECT_NE(chain.text().find("a smaller loss scale cures it"),
            std::string::npos);
}

TEST(ExplainOverflow, WithoutABadSinkItSaysSo) {
  Chain chain;
  chain.add("x", 1, {});
  size_t exp = chain.add("exp", INFINITY, {0});
  chain.add("sigmoid", 1, {1});
  chain.add("loss", 1, {2}, true);
  OverflowExplanation found = chain.explain();
  EXPECT_EQ(found.first, exp);
  EXPECT_FALSE(found.reachesSink);
  EXPECT_NE(chain.text().find("none of them reaches"), std::string::npos);
}

TEST(ExplainOverflow, BadDataIsNoOpsFault) {
  Chain chain;
  chain.add("x", NAN, {});
  chain.add("loss", NAN, {0}, true);
  EXPECT_EQ(chain.explain().first, 0u);
  EXPECT_NE(chain.text().find("came with the data or the state"),
            std::string::npos);
}

TEST(ExplainOverflow, ListsIndependentProducersAndWhatIsNearOverflow) {
  Chain chain;
  chain.add("x", 60000, {});
  chain.add("y", 30000, {});
  chain.add("z", 1, {});
  chain.add("a", INFINITY, {0});
  size_t b = chain.add("b", INFINITY, {1});
  chain.add("loss", NAN, {3, 4}, true);
  OverflowExplanation found = chain.explain();
  EXPECT_EQ(found.first, 3u);
  EXPECT_EQ(found.others, std::vector<size_t>{b});
  EXPECT_EQ(found.nearOverflow, (std::vector<size_t>{0, 1}));
}

TEST(ExplainOverflow, FiniteValuesAreNoCause) {
  Chain chain;
  chain.add("loss", 1, {}, true);
  EXPECT_FALSE(chain.explain().first.has_value());
  EXPECT_NE(chain.text().find("every value of the replay is finite"),
            std::string::npos);
}

} // namespace
