#include "ChoiceSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::memory_limit;

// As many equal peaks are no accident.
static constexpr unsigned kPeaksOfFloor = 3;

FailureOr<PlannedBytes> ChoiceSearch::plan(const Choice &choice) {
  if (auto known = plans.find(choice); known != plans.end())
    return known->second;
  FailureOr<PlannedBytes> made = makePlan(choice);
  if (succeeded(made))
    plans[choice] = *made;
  return made;
}

/// Of the first products that save something so, twice as many until it fits or
/// saves nothing more.
LogicalResult ChoiceSearch::chooseChunks(int64_t limit) {
  for (size_t next = 0; next < products && chosen.chunks == 1; ++next)
    for (Choice choice{2, next};
         choice.chunks <= kMostChunks && getPlan(chosen).bytes > limit;
         choice.chunks *= 2) {
      FailureOr<PlannedBytes> planned = plan(choice);
      if (failed(planned))
        return failure();
      if (planned->bytes >= getPlan(chosen).bytes)
        break;
      chosen = choice;
    }
  return success();
}

/// As few as fit, between `enough`, which do, and `tooFew`, which do not.
LogicalResult ChoiceSearch::reduce(size_t tooFew, size_t enough,
                                   int64_t limit) {
  while (enough - tooFew > 1) {
    size_t middle = (tooFew + enough) / 2;
    FailureOr<PlannedBytes> planned = plan(middle);
    if (failed(planned))
      return failure();
    (planned->bytes <= limit ? enough : tooFew) = middle;
  }
  chosen.recomputed = enough;
  return success();
}

/// Counts peaks that are the same, one after the other.
void ChoiceSearch::notePeak(int64_t least) {
  peaksInRow = least == lowestPeak ? peaksInRow + 1 : least < lowestPeak;
  lowestPeak = std::min(lowestPeak, least);
  if (peaksInRow == kPeaksOfFloor)
    floor = least;
}

/// Plans of the numbers from `first` to `last`; whether one fits, which is
/// chosen then.
FailureOr<bool> ChoiceSearch::scan(size_t first, size_t last, size_t step,
                                   int64_t limit) {
  peaksInRow = 0;
  for (size_t before = first; before < last; before += step) {
    size_t count = std::min(before + step, last);
    FailureOr<PlannedBytes> planned = plan(count);
    if (failed(planned))
      return failure();
    if (planned->bytes <= limit) {
      if (failed(reduce(before, count, limit)))
        return failure();
      return true;
    }
    if (!floor)
      notePeak(planned->least);
    if (floor && findBest().second.bytes <= *floor)
      break;
  }
  return false;
}

/// Numbers of candidates that lie ever nearer around the best.
FailureOr<bool> ChoiceSearch::searchCandidates(int64_t limit) {
  lowestPeak = INT64_MAX;
  floor.reset();
  size_t first = 0, last = candidates;
  for (size_t step = llvm::divideCeil(candidates, 8); step > 0;
       step = step == 1 ? 0 : llvm::divideCeil(step, 4)) {
    FailureOr<bool> fits = scan(first, last, step, limit);
    if (failed(fits) || *fits)
      return fits;
    const auto &[best, planned] = findBest();
    if (floor && planned.bytes <= *floor)
      break;
    first = best.recomputed - std::min(best.recomputed, step);
    last = std::min(best.recomputed + step, candidates);
  }
  return false;
}

static bool isSmaller(const ChoiceSearch::Planned &a,
                      const ChoiceSearch::Planned &b) {
  return a.second.bytes < b.second.bytes;
}

/// The smallest plan with as many chunks as chosen.
const ChoiceSearch::Planned &ChoiceSearch::findBest() const {
  auto first = plans.lower_bound({chosen.chunks, chosen.products, 0});
  auto last = plans.upper_bound({chosen.chunks, chosen.products, SIZE_MAX});
  return *std::min_element(first, last, isSmaller);
}

const ChoiceSearch::Planned &ChoiceSearch::getLeast() const {
  return *llvm::min_element(plans, isSmaller);
}

FailureOr<bool> ChoiceSearch::search(int64_t limit) {
  if (failed(chooseChunks(limit)))
    return failure();
  if (getPlan(chosen).bytes <= limit)
    return true;
  FailureOr<bool> fits = searchCandidates(limit);
  // With less to keep the product may be the most again.
  while (succeeded(fits) && !*fits && chosen.products < products &&
         2 * chosen.chunks <= kMostChunks) {
    int64_t least = getLeast().second.bytes;
    FailureOr<PlannedBytes> planned = plan(Choice{
        2 * chosen.chunks, chosen.products, findBest().first.recomputed});
    if (failed(planned))
      return failure();
    if (planned->bytes >= least)
      break;
    chosen.chunks *= 2;
    fits = searchCandidates(limit);
  }
  return fits;
}

FailureOr<std::optional<Choice>> ChoiceSearch::run(int64_t limit) {
  FailureOr<PlannedBytes> before = plan(Choice());
  if (failed(before))
    return failure();
  if (before->bytes <= limit)
    return std::optional<Choice>(Choice());
  FailureOr<bool> fits = search(limit);
  if (failed(fits))
    return failure();
  return *fits ? std::optional<Choice>(chosen) : std::nullopt;
}
