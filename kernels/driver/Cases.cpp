#include "kernels/driver/Cases.h"
#include <random>

using namespace mpc;
using namespace mpc::kernels;

static constexpr DType kGradients[] = {DType::F32, DType::F16, DType::BF16};
static constexpr std::optional<DType> kCopies[] = {std::nullopt, DType::F16,
                                                   DType::BF16};

std::vector<uint64_t> kernels::gpt2Counts(uint64_t width, uint64_t words) {
  std::vector<uint64_t> counts = {words * width, 1024 * width};
  for (int layer = 0; layer < 12; ++layer)
    for (uint64_t parameter :
         {width, width, 3 * width * width, 3 * width, width * width, width,
          width, width, 4 * width * width, 4 * width, 4 * width * width, width})
      counts.push_back(parameter);
  counts.insert(counts.end(), {width, width});
  return counts;
}

std::vector<uint64_t> kernels::mlpCounts() {
  return {784UL * 512, 512, 512UL * 512, 512, 512UL * 10, 10};
}

std::string kernels::describe(const MultiTensor &op) {
  std::string gradients =
      " " + std::string(getInfo(op.gradientType).name) + " gradients";
  std::string copies =
      op.copyType ? ", " + std::string(getInfo(*op.copyType).name) + " copies"
                  : "";
  switch (op.kind) {
  case Kind::UnscaleL2Norm:
    return "UnscaleL2Norm" + gradients;
  case Kind::AdamW:
    return "AdamW" + gradients + copies;
  case Kind::Sgd:
    return (op.momentum == 0 ? "Sgd"
            : op.nesterov    ? "Sgd nesterov"
                             : "Sgd momentum") +
           gradients + copies;
  }
  return "";
}

namespace {
/// Adds cases; what need not be combined with everything takes turns.
class CaseMaker {
public:
  std::vector<Case> cases;

  void addNorms() {
    for (DType gradient : kGradients)
      for (bool hasScale : {false, true})
        for (int bad = 0; bad < 4; ++bad)
          for (Start start : {Start::Aligned, Start::Together}) {
            Case next;
            next.op.gradientType = gradient;
            next.op.hasScale = hasScale;
            next.infs = bad & 1 ? 1 + bad : 0;
            next.nans = bad & 2 ? 1 : 0;
            next.start = start;
            add(next);
          }
  }

  void addUpdates(const MultiTensor &op) {
    for (DType gradient : kGradients)
      for (std::optional<DType> copy : kCopies)
        for (bool inPlace : {false, true})
          for (int skip = 0; skip < 3; ++skip) {
            Case next;
            next.op = op;
            next.op.gradientType = gradient;
            next.op.copyType = copy;
            next.op.hasFoundInf = skip != 0;
            next.foundInf = skip == 2;
            next.inPlace = inPlace;
            next.op.hasScale = skip != 0 || turn() % 2;
            next.op.hasCoefficient = turn() / 2 % 2;
            // Without the check, what is not finite goes its way.
            next.infs = next.nans = skip != 1 && turn() % 3 == 0;
            next.start = Start(turn() % 3);
            add(next);
          }
  }

private:
  size_t turn() const { return cases.size(); }

  std::vector<uint64_t> nextCounts() {
    std::mt19937 random{uint32_t(turn())};
    switch (turn() % 5) {
    case 0:
      return {1};
    case 1: { // ragged
      std::vector<uint64_t> counts(7);
      for (uint64_t &count : counts)
        count = random() % 5000;
      return counts;
    }
    case 2:
      return {0, 5, 0, 3, 2048};
    case 3:
      return gpt2Counts(12, 401);
    default:
      return {100003, 4096, 70000}; // chunks of several tiles
    }
  }

  void add(Case next) {
    static constexpr const char *starts[] = {"aligned", "together", "apart"};
    next.counts = nextCounts();
    next.seed = turn();
    next.scale = next.op.hasScale ? 1024.0f : 1.0f;
    next.coefficient = next.op.hasCoefficient ? 0.37f : 1.0f;
    next.step = int32_t(1 + turn() * turn() % 5000);
    next.name = describe(next.op) + ", " + std::to_string(next.counts.size()) +
                " tensors " + starts[int(next.start)];
    next.name += next.inPlace ? ", in place" : "";
    next.name += next.foundInf ? ", skipped" : "";
    next.name += next.infs ? ", inf" : "";
    next.name += next.nans ? ", nan" : "";
    cases.push_back(std::move(next));
  }
};
} // namespace

std::vector<Case> kernels::makeCases() {
  CaseMaker maker;
  maker.addNorms();

  MultiTensor adamW;
  adamW.kind = Kind::AdamW;
  adamW.beta1 = 0.9;
  adamW.beta2 = 0.999;
  adamW.epsilon = 1e-8;
  adamW.weightDecay = 0.01;
  maker.addUpdates(adamW);
  adamW.beta1 = 0.3; // lerp from the other end
  adamW.weightDecay = 0;
  maker.addUpdates(adamW);

  MultiTensor sgd;
  sgd.kind = Kind::Sgd;
  maker.addUpdates(sgd);
  sgd.momentum = 0.9;
  sgd.weightDecay = 1e-4;
  maker.addUpdates(sgd);
  sgd.nesterov = true;
  maker.addUpdates(sgd);
  return std::move(maker.cases);
}
