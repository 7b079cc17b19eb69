// The memory of one case: all its tensors in one block, with bytes between them
// that nobody may touch. The reference and the kernel each work on a copy of
// the block, and all of both copies is compared.
#ifndef MPC_KERNELS_DRIVER_PROBLEM_H
#define MPC_KERNELS_DRIVER_PROBLEM_H

#include "kernels/driver/Cases.h"
#include "kernels/driver/Device.h"
#include <memory>
#include <random>

namespace mpc::kernels {

class Problem {
public:
  explicit Problem(const Case &which);

  /// The block before the operation.
  std::span<const uint8_t> bytes() const { return block; }
  /// The pointers of the operation if the block is at `base`, which is aligned
  /// to 256.
  std::vector<void *> argumentsAt(void *base) const;
  /// "" if `found` is what the operation should have left, else the first
  /// difference from `expected`. Numbers are to have the same bits, a NaN is
  /// any NaN; a norm is to be right within kNormTolerance.
  std::string compare(std::span<const uint8_t> expected,
                      std::span<const uint8_t> found) const;

  /// Relative. Squares go through 32 additions in f32 one after the other at
  /// most, each rounding by half an ulp, and some roundings more; the root
  /// halves that.
  static constexpr double kNormTolerance = 20 * 0x1p-24;

private:
  struct Region {
    size_t offset;
    DType type;
    uint64_t count;
    bool isNorm = false;
    size_t end() const { return offset + count * getInfo(type).bytes; }
  };
  /// How the numbers of a region are drawn.
  enum class Content { Weight, Gradient, Square, Garbage };

  void addLists();
  void addList(DType type, Content content);
  size_t addRegion(DType type, uint64_t count, size_t shift);
  void addScalar(DType type, const void *value);
  void addResults(const std::vector<size_t> &operandLists);
  void fill(const Region &region, Content content);
  void spoilGradients();
  void store(const Region &region, uint64_t index, float value);
  std::string compareRegion(size_t region, std::span<const uint8_t> expected,
                            std::span<const uint8_t> found) const;
  bool isEqual(const Region &region, const uint8_t *expected,
               const uint8_t *found) const;

  const Case &which;
  std::mt19937_64 random;
  std::vector<uint8_t> block;
  std::vector<Region> regions;
  std::vector<size_t> arguments; ///< regions
  std::vector<size_t> gradients; ///< regions
};

/// Runs one case on a device; "" or what is wrong.
std::string check(Device &device, const Case &which);

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_PROBLEM_H
