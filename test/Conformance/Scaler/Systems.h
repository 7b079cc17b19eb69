// The loss scalers of other systems, each written down from its own rule in
// plain C++. They share nothing with graph.scaler_update, nor with each other:
// every one keeps the state that its system keeps, in its own number type, and
// counts as its system counts. The tests compare; these are the truth.
#ifndef MPC_TEST_CONFORMANCE_SCALER_SYSTEMS_H
#define MPC_TEST_CONFORMANCE_SCALER_SYSTEMS_H

#include <memory>
#include <string>
#include <vector>

namespace mpc::conformance {

/// The state of a system's scaler.
class Scaler {
public:
  virtual ~Scaler() = default;
  virtual std::unique_ptr<Scaler> clone() const = 0;
  /// One step, whose gradients were finite or not.
  virtual void update(bool foundInf) = 0;
  virtual double scale() const = 0;
  /// Whether the system raised an error in the last step (DeepSpeed).
  virtual bool hasRaised() const { return false; }
};

/// A system with its constants, and the words that ask us for the same.
struct System {
  /// Settings of ours: "loss-scale=megatron scale-interval=3".
  std::string options;
  std::unique_ptr<Scaler> scaler;
  /// Whether `hasRaised` means our at_floor.
  bool raises = false;
};

/// The constants that differ between the instances of one system.
struct Constants {
  double init = 65536;
  int window = 2000;
  double growth = 2, backoff = 0.5;
  int hysteresis = 1;
  /// 0: none, where the system may have none.
  double min = 0;
};

std::unique_ptr<Scaler> makeTorch(const Constants &constants);
std::unique_ptr<Scaler> makeApex(const Constants &constants);
std::unique_ptr<Scaler> makeApexHysteresis(const Constants &constants);
std::unique_ptr<Scaler> makeMegatron(const Constants &constants);
std::unique_ptr<Scaler> makeDeepSpeed(const Constants &constants,
                                      bool consecutive);
std::unique_ptr<Scaler> makeDeepSpeedInline(const Constants &constants);
std::unique_ptr<Scaler> makeTensorFlow(const Constants &constants);
std::unique_ptr<Scaler> makeKeras(const Constants &constants);
std::unique_ptr<Scaler> makeJmp(const Constants &constants);
std::unique_ptr<Scaler> makeOrt(const Constants &constants);
std::unique_ptr<Scaler> makeConstant(double scale);

/// Every system with small windows, so that twelve steps see growth, the floor
/// and the ceiling.
std::vector<System> systems();

} // namespace mpc::conformance

#endif // MPC_TEST_CONFORMANCE_SCALER_SYSTEMS_H
