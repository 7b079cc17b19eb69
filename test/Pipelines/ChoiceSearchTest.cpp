// The search for what fits into a limit, on made-up tables of plans: where more
// is always less memory, where it is not, and how many plans are asked for.
#include "../../lib/Pipelines/MemoryLimit/ChoiceSearch.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace mpc;
using namespace mpc::memory_limit;

namespace {

using Table = std::function<PlannedBytes(const Choice &)>;

/// A table that counts who asks.
struct Plans {
  Table table;
  size_t products, candidates;
  std::map<Choice, unsigned> asked = {};

  FailureOr<std::optional<Choice>> search(int64_t limit, int64_t &least) {
    asked.clear();
    auto plan = [&](const Choice &choice) -> FailureOr<PlannedBytes> {
      EXPECT_LE(choice.recomputed, candidates);
      EXPECT_TRUE(choice.chunks == 1 || choice.products < products);
      ++asked[choice];
      return table(choice);
    };
    ChoiceSearch search(plan, products, candidates);
    auto found = search.run(limit);
    EXPECT_TRUE(succeeded(found));
    for (auto [choice, count] : asked)
      EXPECT_EQ(count, 1u) << "a plan is remembered";
    EXPECT_EQ(search.getNumPlans(), asked.size());
    least = search.getLeast().second.bytes;
    return found;
  }

  /// What is chosen; fails the test where nothing is.
  Choice choose(int64_t limit) {
    int64_t least;
    auto found = search(limit, least);
    EXPECT_TRUE(found->has_value());
    Choice choice = found->value_or(Choice());
    EXPECT_LE(table(choice).bytes, limit);
    return choice;
  }

  /// The smallest plan where nothing fits. As a limit it does.
  int64_t refuse(int64_t limit) {
    int64_t least;
    auto found = search(limit, least);
    EXPECT_FALSE(found->has_value());
    EXPECT_GT(least, limit);
    size_t count = asked.size();
    choose(least);
    int64_t again;
    EXPECT_FALSE(search(least - 1, again)->has_value());
    EXPECT_EQ(again, least);
    EXPECT_EQ(asked.size(), count);
    return least;
  }
};

PlannedBytes exactly(int64_t bytes) { return {bytes, bytes}; }

/// Falls by 10 with each candidate, not with chunks.
Plans falling(size_t candidates) {
  return {[](const Choice &choice) {
            return exactly(10000 - 10 * int64_t(choice.recomputed));
          },
          1, candidates};
}

TEST(ChoiceSearch, DoesNothingWhereAllFits) {
  Plans plans = falling(100);
  Choice choice = plans.choose(10000);
  EXPECT_EQ(choice.chunks, 1);
  EXPECT_EQ(choice.recomputed, 0u);
  EXPECT_EQ(plans.asked.size(), 1u);
}

TEST(ChoiceSearch, TakesTheLeastThatFitsWhereMoreIsLess) {
  Plans plans = falling(200);
  for (size_t wanted : {1, 2, 24, 25, 26, 77, 199, 200}) {
    EXPECT_EQ(plans.choose(10000 - 10 * int64_t(wanted)).recomputed, wanted);
    // None, chunks, eight, and halves of 25.
    EXPECT_LE(plans.asked.size(), 2u + 8 + 5) << wanted;
  }
  EXPECT_EQ(plans.refuse(7999), 8000);
}

TEST(ChoiceSearch, KnowsNoCandidatesOrProducts) {
  Plans plans{[](const Choice &) { return exactly(100); }, 0, 0};
  EXPECT_EQ(plans.refuse(99), 100);
}

// As where the last values are computed again from the first: a valley.
TEST(ChoiceSearch, FindsAValley) {
  for (size_t bottom : {3, 60, 121, 200, 239}) {
    Plans plans{[=](const Choice &choice) {
                  auto away = int64_t(choice.recomputed) - int64_t(bottom);
                  return exactly(5000 + 7 * std::abs(away));
                },
                1, 240};
    EXPECT_EQ(plans.refuse(4999), 5000) << bottom;
    EXPECT_LE(plans.asked.size(), 30u);
  }
}

// What is found fits, and what is told as the least works, whatever the table.
TEST(ChoiceSearch, BelievesNoTable) {
  std::mt19937 random(12);
  auto below = [&](uint32_t end) { return int64_t(random() % end); };
  for (int number = 0; number < 300; ++number) {
    std::map<Choice, PlannedBytes> known;
    size_t candidates = size_t(below(260));
    int64_t slope = below(40), noise = 1 + below(4000);
    Plans plans{[&](const Choice &choice) {
                  auto [entry, isNew] = known.try_emplace(choice);
                  if (isNew) {
                    int64_t least = 40000 - choice.chunks * below(9) -
                                    slope * int64_t(choice.recomputed);
                    entry->second = {least + below(noise), least};
                  }
                  return entry->second;
                },
                size_t(below(4)), candidates};
    int64_t least;
    int64_t limit = 30000 + below(14000);
    auto found = plans.search(limit, least);
    EXPECT_LE(plans.asked.size(), 24u + 60);
    if (*found)
      EXPECT_LE(plans.table(**found).bytes, limit);
    else
      plans.refuse(limit);
  }
}

// Gradients that wait for their norm: after 100 candidates nothing is freed.
TEST(ChoiceSearch, EndsOnAFloor) {
  Plans plans{[](const Choice &choice) {
                size_t freed = std::min<size_t>(choice.recomputed, 100);
                return exactly(9000 - 10 * int64_t(freed));
              },
              1, 800};
  EXPECT_EQ(plans.refuse(1), 8000);
  // None, chunks, three on the floor, and with chunks again.
  EXPECT_LE(plans.asked.size(), 6u);
}

// The floor is there, but buffers do not fit together without gaps: a plan near
// by that lies on it is found, and none is asked for after that.
TEST(ChoiceSearch, LooksForAPlanWithoutGaps) {
  size_t after = 0;
  bool isFound = false;
  Plans plans{[&](const Choice &choice) {
                size_t freed = std::min<size_t>(choice.recomputed, 100);
                int64_t least = 9000 - 10 * int64_t(freed);
                bool hasGap = choice.recomputed % 7 != 0;
                after += isFound && choice.chunks == 1;
                isFound |= least == 8000 && !hasGap && choice.chunks == 1;
                return PlannedBytes{least + (hasGap ? 3 : 0), least};
              },
              1, 240};
  int64_t least;
  EXPECT_FALSE(plans.search(1, least)->has_value());
  EXPECT_EQ(least, 8000);
  EXPECT_EQ(after, 0u);
}

// The second type is the one that saves something; of as many chunks as save.
TEST(ChoiceSearch, TakesChunksFirst) {
  Plans plans{[](const Choice &choice) {
                if (choice.chunks == 1 || choice.products != 1)
                  return exactly(1000 - int64_t(choice.recomputed));
                return exactly(200 + 800 / std::min<int64_t>(choice.chunks, 8) -
                               int64_t(choice.recomputed));
              },
              3, 50};
  Choice choice = plans.choose(500);
  EXPECT_EQ(choice.products, 1u);
  EXPECT_EQ(choice.chunks, 4);
  EXPECT_EQ(choice.recomputed, 0u);
  choice = plans.choose(290);
  EXPECT_EQ(choice.chunks, 8);
  EXPECT_EQ(choice.recomputed, 10u);
  EXPECT_EQ(plans.refuse(1), 250);
}

// With less to keep the product is the most again.
TEST(ChoiceSearch, TakesMoreChunksAfterCandidates) {
  Plans plans{[](const Choice &choice) {
                int64_t product = 640 / choice.chunks;
                int64_t kept = 400 - 4 * int64_t(choice.recomputed);
                return exactly(std::max({product, kept, int64_t(20)}));
              },
              1, 100};
  Choice choice = plans.choose(100);
  EXPECT_EQ(choice.chunks, 8);
  EXPECT_EQ(choice.recomputed, 75u);
}

TEST(ChoiceSearch, FailsWhereAPlanDoes) {
  int left = 4;
  auto plan = [&](const Choice &choice) -> FailureOr<PlannedBytes> {
    if (--left == 0)
      return failure();
    return exactly(1000 - int64_t(choice.recomputed));
  };
  EXPECT_TRUE(failed(ChoiceSearch(plan, 1, 100).run(1)));
  EXPECT_EQ(left, 0);
}

} // namespace
