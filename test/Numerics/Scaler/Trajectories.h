// Trajectories of the loss scale, from the rules of torch.amp.GradScaler:
//   found_inf:  scale <- f32(scale * backoff), tracker <- 0
//   otherwise:  tracker <- tracker + 1; when it reaches the interval, scale <-
//               f32(scale * growth) unless that is infinite, and tracker <- 0
// (torch compares for equality; the two differ only beyond the interval, where
// no sequence of steps leads.)
// Worked out by hand. Whatever executes graph.scaler_update must follow them.
#ifndef MPC_TEST_NUMERICS_SCALER_TRAJECTORIES_H
#define MPC_TEST_NUMERICS_SCALER_TRAJECTORIES_H

#include <cstdint>
#include <string>
#include <vector>

namespace mpc::scaler {

/// One step: what the gradients said, and the state after it.
struct Update {
  bool foundInf;
  float scale;
  int32_t tracker;
};

struct Trajectory {
  std::string name;
  double growth, backoff;
  int64_t interval;
  float initialScale;
  int32_t initialTracker;
  std::vector<Update> updates;
};

inline std::vector<Trajectory> trajectories() {
  std::vector<Trajectory> all = {
      {"grows and backs off",
       2,
       0.5,
       3,
       8,
       0,
       {{false, 8, 1},
        {false, 8, 2},
        {false, 16, 0},
        {false, 16, 1},
        {true, 8, 0},
        {false, 8, 1},
        {false, 8, 2},
        {true, 4, 0},
        {true, 2, 0},
        {false, 2, 1},
        {false, 2, 2},
        {false, 4, 0}}},
      {"stops below infinity",
       2,
       0.5,
       1,
       0x1p126f,
       0,
       {{false, 0x1p127f, 0},
        {false, 0x1p127f, 0},
        {true, 0x1p126f, 0},
        {false, 0x1p127f, 0}}},
      {"a tracker beyond the interval grows at once",
       2,
       0.5,
       3,
       8,
       3,
       {{false, 16, 0},
        {false, 16, 1},
        {true, 8, 0},
        {false, 8, 1},
        {false, 8, 2},
        {false, 16, 0}}},
      // Factors that are not powers of two: the product of the f32 scale and
      // the double factor is rounded to f32 once.
      {"rounds once", 1.1, 0.7, 1, 3, 0, {{false, 3.3f, 0}, {true, 2.31f, 0}}},
  };

  // From 2^16 every skip halves: 2^-128 after 144, the smallest subnormal
  // 2^-149 after 165, and 0 (a tie rounded to even) after 166, for good.
  Trajectory spiral{"death spiral", 2, 0.5, 2000, 0x1p16f, 0, {}};
  float scale = 0x1p16f;
  for (int skip = 1; skip <= 168; ++skip) {
    scale = skip <= 165 ? scale / 2 : 0.0f;
    spiral.updates.push_back({true, scale, 0});
  }
  spiral.updates.push_back({false, 0, 1});
  all.push_back(spiral);
  return all;
}

} // namespace mpc::scaler

#endif // MPC_TEST_NUMERICS_SCALER_TRAJECTORIES_H
