// Random chains of movements, done in place and element by element: strides
// lead to the elements that the movement takes, and a reshape is refused only
// where no strides do. The reverse is the same for what can be written.
#include "mpc/Interfaces/StridedShape.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace mpc;

using Dims = SmallVector<int64_t>;

static int64_t count(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

/// Indices of element `number` in row-major order.
static Dims indexOf(int64_t number, ArrayRef<int64_t> shape) {
  Dims index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; number /= shape[dim])
    index[dim] = number % shape[dim];
  return index;
}

static int64_t numberOf(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [i, dim] : llvm::zip_equal(index, shape))
    number = number * dim + i;
  return number;
}

/// Where the elements of a tensor are in memory, in row-major order.
struct Elements {
  Dims shape;
  std::vector<int64_t> places;
};

static int64_t at(const StridedShape &lies, ArrayRef<int64_t> index) {
  int64_t place = lies.offset;
  for (auto [i, stride] : llvm::zip_equal(index, lies.strides))
    place += i * stride;
  return place;
}

static bool isAt(const StridedShape &lies, const Elements &tensor) {
  for (int64_t i = 0; i < count(tensor.shape); ++i)
    if (at(lies, indexOf(i, tensor.shape)) != tensor.places[i])
      return false;
  return lies.shape == tensor.shape;
}

/// By what the first two elements along each dim say.
static bool hasStrides(const Elements &tensor) {
  StridedShape lies{tensor.shape, Dims(tensor.shape.size(), 0),
                    tensor.places.front()};
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    Dims second(tensor.shape.size(), 0);
    second[dim] = 1;
    if (tensor.shape[dim] > 1)
      lies.strides[dim] =
          tensor.places[numberOf(second, tensor.shape)] - lies.offset;
  }
  return isAt(lies, tensor);
}

/// `movement` by its definition.
static Elements move(const Elements &operand, const Movement &movement,
                     const Dims &result) {
  Elements moved{result, {}};
  for (int64_t i = 0; i < count(result); ++i) {
    Dims source(movement.offsets);
    Dims index = indexOf(i, result);
    for (size_t dim = 0; dim < movement.dims.size(); ++dim)
      if (movement.dims[dim] >= 0)
        source[movement.dims[dim]] += index[dim];
    bool isReshape = movement.kind == Movement::Kind::Reshape;
    moved.places.push_back(
        operand.places[isReshape ? i : numberOf(source, operand.shape)]);
  }
  return moved;
}

namespace {
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  int64_t below(int64_t bound) { return int64_t(engine() % uint64_t(bound)); }

  /// Some movement of a tensor of `shape`, and the shape of its result.
  std::pair<Movement, Dims> movement(const Dims &shape) {
    switch (below(4)) {
    case 0:
      return transpose(shape);
    case 1:
      return slice(shape);
    case 2:
      return broadcast(shape);
    default:
      return {{Movement::Kind::Reshape, {}, {}, {}}, reshape(shape)};
    }
  }

private:
  std::pair<Movement, Dims> transpose(const Dims &shape) {
    Dims order(shape.size()), result;
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine);
    for (int64_t dim : order)
      result.push_back(shape[dim]);
    return {{Movement::Kind::Strided, order, Dims(shape.size(), 0), {}},
            result};
  }

  std::pair<Movement, Dims> slice(const Dims &shape) {
    Dims dims(shape.size()), offsets, result;
    std::iota(dims.begin(), dims.end(), 0);
    for (int64_t size : shape) {
      offsets.push_back(below(size));
      result.push_back(1 + below(size - offsets.back()));
    }
    return {{Movement::Kind::Strided, dims, offsets, {}}, result};
  }

  /// Another dim in front, and some that were 1 repeat.
  std::pair<Movement, Dims> broadcast(const Dims &shape) {
    Dims dims{-1}, result{1 + below(2)};
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      bool repeats = shape[dim] == 1 && below(2);
      dims.push_back(repeats ? -1 : int64_t(dim));
      result.push_back(repeats ? 3 : shape[dim]);
    }
    return {{Movement::Kind::Strided, dims, Dims(shape.size(), 0), {}}, result};
  }

  /// As many elements in dims that are factors of their number, with ones.
  Dims reshape(const Dims &shape) {
    Dims result;
    for (int64_t left = count(shape); left > 1 || below(3) == 0;) {
      int64_t factor = 1 + below(std::min<int64_t>(left, 12));
      if (left % factor != 0)
        continue;
      result.push_back(factor);
      left /= factor;
    }
    return result;
  }

  std::mt19937_64 engine;
};
} // namespace

TEST(StridedShapeTest, LiesWhereItsElementsAre) {
  int inPlace = 0, refused = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    Elements tensor{{1 + random.below(4), 2 + random.below(5), 3, 4}, {}};
    tensor.places.resize(count(tensor.shape));
    std::iota(tensor.places.begin(), tensor.places.end(), 0);
    StridedShape lies = getDenseShape(tensor.shape);
    for (int step = 0; step < 5 && count(tensor.shape) < 2000; ++step) {
      auto [movement, result] = random.movement(tensor.shape);
      tensor = move(tensor, movement, result);
      auto moved = moveInPlace(lies, movement, result);
      if (!moved) {
        EXPECT_FALSE(hasStrides(tensor)) << "seed " << seed;
        ++refused;
        break;
      }
      lies = *moved;
      ASSERT_TRUE(isAt(lies, tensor)) << "seed " << seed;
      ++inPlace;
    }
  }
  EXPECT_GT(inPlace, 3000);
  EXPECT_GT(refused, 100);
}

TEST(StridedShapeTest, HasOneOperand) {
  StridedShape lies = getDenseShape({4, 4});
  EXPECT_FALSE(moveInPlace(
      lies, {Movement::Kind::InsertSlices, {}, {}, {{0, 0}, {4, 0}}}, {8, 4}));
  EXPECT_FALSE(moveInPlace(lies, {Movement::Kind::Index, {0}, {}, {}}, {4, 4}));
}

/// Whether each element of the operand is in the result of `movement` once.
static bool isOneToOne(const Elements &operand, const Elements &result) {
  std::vector<int64_t> before(operand.places), after(result.places);
  llvm::sort(before);
  llvm::sort(after);
  return before == after;
}

/// From the result of two movements back to what they began with: an element
/// lies where it would be read from.
TEST(StridedShapeTest, MovesBack) {
  int placed = 0, refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    Elements first{{1 + random.below(4), 2 + random.below(5), 3, 4}, {}};
    first.places.resize(count(first.shape));
    std::iota(first.places.begin(), first.places.end(), 0);
    auto [one, middleShape] = random.movement(first.shape);
    Elements middle = move(first, one, middleShape);
    auto [two, lastShape] = random.movement(middle.shape);
    Elements last = move(middle, two, lastShape);
    bool isWhole = isOneToOne(first, middle) && isOneToOne(middle, last);
    auto lies = moveBack(getDenseShape(last.shape), two, 0, middle.shape);
    if (lies)
      lies = moveBack(*lies, one, 0, first.shape);
    // Where the elements of `first` are in `last`.
    Elements written{first.shape, std::vector<int64_t>(first.places.size())};
    for (auto [number, place] : llvm::enumerate(last.places))
      written.places[place] = int64_t(number);
    if (lies) {
      ASSERT_TRUE(isWhole) << "seed " << seed;
      ASSERT_TRUE(isAt(*lies, written)) << "seed " << seed;
      ++placed;
    } else {
      EXPECT_FALSE(isWhole && hasStrides(written)) << "seed " << seed;
      ++refused;
    }
  }
  EXPECT_GT(placed, 800);
  EXPECT_GT(refused, 800);
}

/// The second of two operands side by side, in a tensor that is a part itself.
TEST(StridedShapeTest, MovesBackToAPart) {
  Movement concat{Movement::Kind::InsertSlices, {}, {}, {{0, 0}, {0, 5}}};
  StridedShape whole{{4, 8}, {20, 2}, 7};
  std::optional<StridedShape> part = moveBack(whole, concat, 1, {4, 3});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->shape, Dims({4, 3}));
  EXPECT_EQ(part->strides, Dims({20, 2}));
  EXPECT_EQ(part->offset, 17);
  EXPECT_FALSE(
      moveBack(whole, {Movement::Kind::Index, {0}, {}, {}}, 0, {4, 8}));
}
