// A matrix product with random operands, its result by the definition in
// Program.fbs (plain row-major loops in f64), and by CublasLt on FakeCublasLt.
#ifndef MPC_TEST_RUNTIME_CUDA_MATMULCASE_H
#define MPC_TEST_RUNTIME_CUDA_MATMULCASE_H

#include "../HandMade.h"
#include "FakeCublasLt.h"
#include "Runtime/Cuda/Calls/Matmul/CublasLt.h"

#include <memory>
#include <random>

namespace mpc::runtime::fake {

using program::ElementType;
using Dims = std::vector<int64_t>;

/// A tensor in its own type, at a multiple of 256 unless moved. Memory after
/// it is watched: `intact` says whether nothing was written there.
class Tensor {
public:
  Tensor(ElementType type, Dims shape, uint64_t shift = 0);
  void fill(std::mt19937 &generator);
  double at(int64_t index) const;
  std::vector<double> values() const;
  void set(int64_t index, double value);
  void *data() const { return memory.get() + shift; }
  int64_t count() const;
  bool intact() const;
  uint64_t bytes() const;

  ElementType type;
  Dims shape;

private:
  struct Free {
    void operator()(uint8_t *memory) const;
  };
  uint64_t shift;
  std::unique_ptr<uint8_t, Free> memory;
};

struct MatmulCase {
  /// Types, shapes as stored, flags. The result's shape is found by `infer`.
  test::MatmulSpec spec;
  bool inPlace = false; ///< The addend lies where the result goes.

  MatmulCase(ElementType type, Dims lhs, Dims rhs);
  MatmulCase(const MatmulCase &other)
      : spec(other.spec), inPlace(other.inPlace) {}
  MatmulCase &result(ElementType type);
  MatmulCase &transpose(bool lhs, bool rhs);
  /// "64x128xf16 * ..., relu": for messages of failed checks.
  std::string text() const;
  /// The call; valid as long as this and unchanged.
  const program::Call &call();

private:
  void infer();
  flatbuffers::FlatBufferBuilder builder;
};

/// All tensors of a case.
struct Operands {
  Operands(const MatmulCase &product, uint32_t seed);
  /// One per operand of the call, the result twice if the addend lies there.
  std::vector<const Tensor *> tensors() const;
  std::vector<void *> arguments() const;

  const test::MatmulSpec &spec;
  bool inPlace;
  Tensor lhs, rhs, result, bias, addend, aux, lhsScale, rhsScale;
  std::vector<double> added; ///< the addend, which may be overwritten
};

/// What all outputs should be, exactly.
struct Expected {
  std::vector<double> result, aux;
};
Expected multiplyPlainly(const Operands &operands);

/// How far a correctly rounded value of `type` may be from `exact`.
double roundingError(ElementType type, double exact);

} // namespace mpc::runtime::fake

#endif // MPC_TEST_RUNTIME_CUDA_MATMULCASE_H
