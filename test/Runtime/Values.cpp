#include "Values.h"

#include <random>

using namespace mpc;
using namespace mpc::test;

int64_t test::countOf(const Dims &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

Values test::makeRandom(ElementType type, int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, 1);
  Values values(type, count);
  for (int64_t i = 0; i < count; ++i)
    values.set(i, normal(generator));
  values.decode();
  return values;
}
