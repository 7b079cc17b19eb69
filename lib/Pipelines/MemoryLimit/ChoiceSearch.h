// Which choice fits into a limit, found by as few plans as it takes.
//
// First the largest products are made in chunks of rows, since that costs next
// to nothing: those of the largest type of which that saves something, in twice
// as many, as long as it does. Then values are recomputed: candidates in the
// order in which they pay. Plans say how many: of eight numbers of them, and
// where none fits of ever nearer ones around the best; between one that fits
// and one that does not by halves. More is nearly always less memory, but not
// always, so the number that is found fits and need not be the least that does.
// Where nothing fits, twice as many chunks, and the same again.
//
// A plan compiles the whole step, so none is asked for twice, and none that
// cannot be better: where several numbers one after the other have the same
// peak to the byte, which no plan before is below, what lives then is nothing
// that recomputing frees, as the gradients that wait for their norm. That peak
// is a floor; a plan that lies on it ends the search for a smaller one.
#ifndef MPC_LIB_PIPELINES_MEMORYLIMIT_CHOICESEARCH_H
#define MPC_LIB_PIPELINES_MEMORYLIMIT_CHOICESEARCH_H

#include "Choice.h"
#include "mpc/Interfaces/LLVM.h"
#include <map>

namespace mpc::memory_limit {

class ChoiceSearch {
public:
  using Plan = llvm::function_ref<FailureOr<PlannedBytes>(const Choice &)>;
  using Planned = std::pair<const Choice, PlannedBytes>;

  // Parts of fewer bytes save nothing any more that is worth their kernels.
  static constexpr int64_t kMostChunks = 64;

  /// Among so many types of products, the largest first, and so many
  /// candidates.
  ChoiceSearch(Plan makePlan, size_t products, size_t candidates)
      : makePlan(makePlan), products(products), candidates(candidates) {}

  /// A choice that needs at most `limit` bytes, the one that does nothing if
  /// that fits; nothing if none was found. Fails where a plan does.
  FailureOr<std::optional<Choice>> run(int64_t limit);

  /// The smallest of all plans.
  const Planned &getLeast() const;
  const PlannedBytes &getPlan(const Choice &choice) const {
    return plans.find(choice)->second;
  }
  size_t getNumPlans() const { return plans.size(); }

private:
  FailureOr<PlannedBytes> plan(const Choice &choice);
  /// With as many chunks as chosen.
  FailureOr<PlannedBytes> plan(size_t recomputed) {
    return plan(Choice{chosen.chunks, chosen.products, recomputed});
  }
  LogicalResult chooseChunks(int64_t limit);
  LogicalResult reduce(size_t tooFew, size_t enough, int64_t limit);
  FailureOr<bool> scan(size_t first, size_t last, size_t step, int64_t limit);
  FailureOr<bool> searchCandidates(int64_t limit);
  FailureOr<bool> search(int64_t limit);
  const Planned &findBest() const;
  void notePeak(int64_t least);

  Plan makePlan;
  size_t products, candidates;
  std::map<Choice, PlannedBytes> plans;
  Choice chosen;

  // Of the numbers of candidates with as many chunks as chosen.
  int64_t lowestPeak = INT64_MAX;
  unsigned peaksInRow = 0;      ///< As low as that.
  std::optional<int64_t> floor; ///< That no number of candidates is below.
};

} // namespace mpc::memory_limit

#endif // MPC_LIB_PIPELINES_MEMORYLIMIT_CHOICESEARCH_H
