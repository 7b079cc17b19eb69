// Philox and Box-Muller by vectors of four. Included by one source for each
// instruction set, which turns it on and says first how its vectors multiply
// words and take roots. All else is what vectors of any instruction set do, and
// each of its roundings is IEEE's: so all make the same bits, if no compiler
// fuses a product with a sum (-ffp-contract=off).
#ifndef MPC_LIB_RUNTIME_SESSION_RANDOM_NUMBERS_H
#define MPC_LIB_RUNTIME_SESSION_RANDOM_NUMBERS_H

namespace {

constexpr uint64_t kLow = 0xffffffff;

inline Words spread(uint64_t x) { return x - Words{}; }
inline Words toBits(Reals x) { return (Words)x; }
inline Reals fromBits(Words x) { return (Reals)x; }

/// Vectors that take turns: a round waits for the one before.
constexpr uint64_t kTurns = 2;

/// Four words of each of four blocks, for each turn.
struct Draw {
  Words words[kTurns][4];
};

/// Ten rounds of Philox 4x32. A word has a lane of 64 bits, of which products
/// read the lower half; what the upper ones gather meanwhile goes last.
inline Draw draw(const StreamKey &stream, uint64_t block) {
  Draw drawn;
  for (uint64_t turn = 0; turn < kTurns; ++turn) {
    Words number = spread(block + 4 * turn) + Words{0, 1, 2, 3};
    Words(&c)[4] = drawn.words[turn];
    c[0] = number & kLow;
    c[1] = number >> 32;
    c[2] = spread(stream.name & kLow);
    c[3] = spread(stream.name >> 32);
  }
  uint32_t key0 = stream.key[0], key1 = stream.key[1];
  for (int round = 0; round < 10; ++round) {
    for (Words(&c)[4] : drawn.words) {
      Words first = multiply(c[0], 0xD2511F53);
      Words second = multiply(c[2], 0xCD9E8D57);
      c[0] = (second >> 32) ^ c[1] ^ uint64_t(key0);
      c[1] = second;
      c[2] = (first >> 32) ^ c[3] ^ uint64_t(key1);
      c[3] = first;
    }
    key0 += 0x9E3779B9; // the golden ratio
    key1 += 0xBB67AE85; // the square root of three, less one
  }
  for (Words(&c)[4] : drawn.words)
    for (Words &word : c)
      word = word & kLow;
  return drawn;
}

/// Of words below 2^52, exactly: they are digits of 2^52 + x.
inline Reals toReals(Words x) {
  return fromBits(x | 0x4330000000000000) - 0x1p52;
}

/// 53 bits as a number in [0, 1).
inline Reals join(Words high, Words low) {
  return toReals(high) * 0x1p-32 + toReals(low >> 11) * 0x1p-53;
}

template <int degree>
Reals evaluate(Reals x, const double (&coefficients)[degree + 1]) {
  Reals sum = coefficients[degree] - Reals{};
  for (int i = degree - 1; i >= 0; --i)
    sum = sum * x + coefficients[i];
  return sum;
}

/// -2 log u of normal u, within an ulp or so: u = 2^e (1 + f) with 1 + f in
/// [sqrt(1/2), sqrt(2)), s = f / (2 + f), and
///   log(1 + f) = 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + R(s^2)),
/// R the minimax polynomial of Sun's fdlibm.
inline Reals minusTwoLog(Reals u) {
  constexpr uint64_t least = 0x3fe6a09e667f3bcd; // of 1 + f
  constexpr double ln2High = 6.93147180369123816490e-01,
                   ln2Low = 1.90821492927058770002e-10;
  static constexpr double minimax[] = {
      6.666666666666735130e-01, 3.999999999940941908e-01,
      2.857142874366239149e-01, 2.222219843214978396e-01,
      1.818357216161805012e-01, 1.531383769920937332e-01,
      1.479819860511658591e-01};
  Words bits = toBits(u) + (0x3ff0000000000000 - least);
  Reals e = toReals(bits >> 52) - 1023.0;
  Reals f = fromBits((bits & 0x000fffffffffffff) + least) - 1.0;
  Reals s = f / (f + 2.0), square = s * s, half = f * f * 0.5;
  Reals rest = s * (half + square * evaluate<6>(square, minimax));
  return (e * ln2High - (half - (rest + e * ln2Low) - f)) * -2.0;
}

struct Point {
  Reals cosine, sine;
};

/// The point of the circle at `turns` of it. A quarter is taken off exactly,
/// and what is left, at most an eighth, goes to fdlibm's polynomials.
inline Point turn(Reals turns) {
  constexpr double whole = 0x1.8p52; // its last digit is 1
  static constexpr double sineOf[] = {
      -1.66666666666666324348e-01, 8.33333333332248946124e-03,
      -1.98412698298579493134e-04, 2.75573137070700676789e-06,
      -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  static constexpr double cosineOf[] = {
      4.16666666666666019037e-02, -1.38888888888741095749e-03,
      2.48015872894767294178e-05, -2.75573143513906633035e-07,
      2.08757232129817482790e-09, -1.13596475577881948265e-11};
  Reals quarters = turns * 4.0, shifted = quarters + whole;
  Words quarter = toBits(shifted);
  Reals x = (quarters - (shifted - whole)) * 1.57079632679489661923;
  Reals square = x * x, half = square * 0.5, most = 1.0 - half;
  Words sine = toBits(x + x * square * evaluate<5>(square, sineOf));
  Words cosine =
      toBits(most + (((1.0 - most) - half) +
                     square * square * evaluate<5>(square, cosineOf)));
  Words isOdd = -(quarter & 1);
  return {fromBits(((isOdd & sine) | (~isOdd & cosine)) ^ ((quarter + 1) & 2)
                                                              << 62),
          fromBits(((isOdd & cosine) | (~isOdd & sine)) ^ (quarter & 2) << 62)};
}

inline void storePairs(double *to, Reals first, Reals second) {
  Reals low = __builtin_shufflevector(first, second, 0, 4, 1, 5);
  Reals high = __builtin_shufflevector(first, second, 2, 6, 3, 7);
  std::memcpy(to, &low, sizeof low);
  std::memcpy(to + 4, &high, sizeof high);
}

void makeUniform(const StreamKey &stream, uint64_t group, uint64_t groups,
                 double *to) {
  for (uint64_t i = 0; i < groups; ++i) {
    Draw drawn = draw(stream, (group + i) * (kGroup / 2));
    for (auto &w : drawn.words) {
      storePairs(to, join(w[0], w[1]), join(w[2], w[3]));
      to += 8;
    }
  }
}

void makeNormal(const StreamKey &stream, uint64_t group, uint64_t groups,
                double *to) {
  for (uint64_t i = 0; i < groups; ++i) {
    Draw drawn = draw(stream, (group + i) * (kGroup / 2));
    for (auto &w : drawn.words) {
      // Never the log of 0.
      Reals radius = squareRoot(minusTwoLog(join(w[0], w[1]) + 0x1p-53));
      Point point = turn(join(w[2], w[3]));
      storePairs(to, radius * point.cosine, radius * point.sine);
      to += 8;
    }
  }
}

} // namespace

#endif // MPC_LIB_RUNTIME_SESSION_RANDOM_NUMBERS_H
