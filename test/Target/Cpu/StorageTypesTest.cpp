// 16-bit storage: every bit pattern extends exactly, and rounding is to the
// nearest even, on each instruction set.
#include "KernelFixture.h"
#include "mpc/Support/DType.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace mpc;
using namespace mpc::target;

namespace {

std::string castKernel(const std::string &op, const std::string &from,
                       const std::string &to) {
  return "func.func @k(%x: memref<4096x" + from + ">, %y: memref<4096x" + to +
         ">, %lo: index, %hi: index) {\n %step = arith.constant 16 : index\n"
         " scf.for %i = %lo to %hi step %step {\n  %v = vector.load %x[%i] : "
         "memref<4096x" +
         from + ">, vector<16x" + from + ">\n  %r = " + op +
         " %v : vector<16x" + from + "> to vector<16x" + to +
         ">\n  vector.store %r, %y[%i] : memref<4096x" + to + ">, vector<16x" +
         to + ">\n }\n return\n}\n";
}

struct Format {
  const char *name;
  float (*extend)(uint16_t);
  uint16_t (*round)(float);
};
const Format kFormats[] = {{"f16", halfToFloat, floatToHalf},
                           {"bf16", bfloatToFloat, floatToBFloat}};

using StorageTypesTest = KernelFixture;

bool sameFloat(float x, float y) {
  return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, 4) == 0;
}

TEST_F(StorageTypesTest, EveryPatternExtendsExactly) {
  for (const Format &format : kFormats)
    for (const std::string &target : machineTargets()) {
      KernelFunction kernel =
          compile(castKernel("arith.extf", format.name, "f32"), target);
      ASSERT_NE(kernel, nullptr);
      for (int base = 0; base < 65536; base += 4096) {
        std::vector<uint16_t> x(4096);
        std::vector<float> y(4096);
        for (int i = 0; i < 4096; ++i)
          x[i] = uint16_t(base + i);
        void *args[] = {x.data(), y.data()};
        kernel(args, 0, 4096);
        for (int i = 0; i < 4096; ++i)
          ASSERT_TRUE(sameFloat(y[i], format.extend(x[i])))
              << format.name << " " << x[i];
      }
    }
}

TEST_F(StorageTypesTest, RoundsToNearestEven) {
  std::mt19937 random(1);
  for (const Format &format : kFormats)
    for (const std::string &target : machineTargets()) {
      KernelFunction kernel =
          compile(castKernel("arith.truncf", "f32", format.name), target);
      ASSERT_NE(kernel, nullptr);
      std::vector<float> x(4096);
      for (int i = 0; i < 4096; ++i) {
        uint32_t bits = random();
        if (i % 4 == 0) // exactly between two neighbours
          bits = (bits & 0xffff0000) | 0x8000;
        std::memcpy(&x[i], &bits, 4);
        if (i % 4 == 1) // within the range of f16
          x[i] = std::ldexp(float(int32_t(bits)), int(random() % 40) - 56);
      }
      std::vector<uint16_t> y(4096);
      void *args[] = {x.data(), y.data()};
      kernel(args, 0, 4096);
      for (int i = 0; i < 4096; ++i)
        ASSERT_TRUE(
            sameFloat(format.extend(y[i]), format.extend(format.round(x[i]))))
            << format.name << " " << x[i] << " gives " << format.extend(y[i]);
    }
}

/// Signalling ones, and those whose payload rounding would carry over.
TEST_F(StorageTypesTest, NaNStaysNaN) {
  for (const Format &format : kFormats)
    for (const std::string &target : machineTargets()) {
      KernelFunction kernel =
          compile(castKernel("arith.truncf", "f32", format.name), target);
      ASSERT_NE(kernel, nullptr);
      std::vector<uint32_t> x(4096, 0x7f800001);
      for (uint32_t i = 0; i < 4096; ++i)
        x[i] |= (i & 1) << 31 | (i << 11);
      x[1] = 0x7fffffff;
      x[2] = 0xffffffff;
      std::vector<uint16_t> y(4096);
      void *args[] = {x.data(), y.data()};
      kernel(args, 0, 4096);
      for (int i = 0; i < 4096; ++i)
        ASSERT_TRUE(std::isnan(format.extend(y[i])))
            << format.name << " " << x[i] << " gives " << y[i];
    }
}

/// What the instruction does otherwise, alone and among other numbers, too.
TEST_F(StorageTypesTest, AllInstructionSetsRoundAlike) {
  std::mt19937 random(2);
  std::vector<uint32_t> x(4096);
  for (uint32_t i = 0; i < 4096; ++i) {
    uint32_t exponent = i < 1024   ? 1 + random() % 254 // Normal.
                        : i < 2048 ? 0                  // Subnormal.
                        : i < 3072 ? 255                // NaN and infinity.
                                   : random() % 256;
    x[i] = (random() & 0x807fffff) | exponent << 23;
  }
  std::fill_n(x.begin() + 2048, 16, 0x7f800000); // Infinity alone.
  x[1500] = 0x007fffff;                          // Rounds up to a normal one.
  x[1501] = 0x80000000;
  std::vector<uint16_t> expected;
  for (uint32_t bits : x) {
    float value = std::bit_cast<float>(bits);
    expected.push_back(std::isnan(value) ? 0xffff : floatToBFloat(value));
  }
  for (const std::string &target : machineTargets()) {
    KernelFunction kernel =
        compile(castKernel("arith.truncf", "f32", "bf16"), target);
    ASSERT_NE(kernel, nullptr);
    std::vector<uint16_t> y(4096);
    void *args[] = {x.data(), y.data()};
    kernel(args, 0, 4096);
    EXPECT_EQ(y, expected) << target;
  }
}

/// Only the optimiser sees that what is rounded is never taken.
TEST_F(StorageTypesTest, NothingIsLeftToRound) {
  const char *text = R"(
func.func @k(%x: memref<32xf32>, %y: memref<32xbf16>, %lo: index, %hi: index) {
  %third = arith.constant dense<0.333> : vector<16xbf16>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %step = arith.constant 16 : index
  scf.for %i = %lo to %hi step %step {
    %odd = arith.ori %i, %one : index
    %last = arith.andi %odd, %one : index
    %never = arith.cmpi eq, %last, %zero : index
    %v = vector.load %x[%i] : memref<32xf32>, vector<16xf32>
    %n = arith.truncf %v : vector<16xf32> to vector<16xbf16>
    %r = arith.select %never, %n, %third : vector<16xbf16>
    vector.store %r, %y[%i] : memref<32xbf16>, vector<16xbf16>
  }
  return
})";
  for (const std::string &target : machineTargets()) {
    KernelFunction kernel = compile(text, target);
    ASSERT_NE(kernel, nullptr) << target;
    std::vector<float> x(32);
    std::vector<uint16_t> y(32);
    void *args[] = {x.data(), y.data()};
    kernel(args, 0, 32);
    EXPECT_EQ(y, std::vector<uint16_t>(32, floatToBFloat(0.333f))) << target;
  }
}

TEST_F(StorageTypesTest, DoublesRoundOnce) {
  // Just above the middle between 1 and its neighbour, by less than f32 sees.
  std::vector<double> x(4096, 1.0);
  x[0] = 1 + 0x1p-11 + 0x1p-40;
  x[1] = 1 + 0x1p-11 - 0x1p-40;
  x[2] = 1 + 0x1p-8 + 0x1p-40;
  x[3] = 1 + 0x1p-8 - 0x1p-40;
  x[4] = 1e300;
  x[5] = -1e-300;
  std::vector<uint16_t> y(4096);
  void *args[] = {x.data(), y.data()};
  for (const std::string &target : machineTargets()) {
    SCOPED_TRACE(target);
    KernelFunction f16 =
        compile(castKernel("arith.truncf", "f64", "f16"), target);
    KernelFunction bf16 =
        compile(castKernel("arith.truncf", "f64", "bf16"), target);
    ASSERT_TRUE(f16 && bf16);
    f16(args, 0, 4096);
    EXPECT_EQ(halfToFloat(y[0]), 1 + 0x1p-10f);
    EXPECT_EQ(halfToFloat(y[1]), 1);
    EXPECT_EQ(halfToFloat(y[4]), std::numeric_limits<float>::infinity());
    EXPECT_EQ(y[5], 0x8000);
    bf16(args, 0, 4096);
    EXPECT_EQ(bfloatToFloat(y[2]), 1 + 0x1p-7f);
    EXPECT_EQ(bfloatToFloat(y[3]), 1);
  }
}

} // namespace
