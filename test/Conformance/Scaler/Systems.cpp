#include "Systems.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

using namespace mpc::conformance;

namespace {

template <typename Derived> class Cloned : public Scaler {
public:
  std::unique_ptr<Scaler> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived &>(*this));
  }
};

/// aten/src/ATen/native/AmpGradScalerKernels.cpp: _amp_update_scale_.
class Torch final : public Cloned<Torch> {
public:
  explicit Torch(const Constants &c)
      : currentScale(static_cast<float>(c.init)), growthFactor(c.growth),
        backoffFactor(c.backoff), growthInterval(c.window) {}
  void update(bool foundInf) override {
    if (foundInf) {
      currentScale =
          static_cast<float>(static_cast<double>(currentScale) * backoffFactor);
      growthTracker = 0;
      return;
    }
    int successful = growthTracker + 1;
    if (successful == growthInterval) {
      auto grown =
          static_cast<float>(static_cast<double>(currentScale) * growthFactor);
      if (std::isfinite(grown))
        currentScale = grown;
      growthTracker = 0;
    } else {
      growthTracker = successful;
    }
  }
  double scale() const override { return currentScale; }

private:
  float currentScale;
  double growthFactor, backoffFactor;
  int growthInterval, growthTracker = 0;
};

/// apex/amp/scaler.py: LossScaler.update_scale. Python floats.
class Apex final : public Cloned<Apex> {
public:
  explicit Apex(const Constants &c)
      : lossScale(std::min(0x1p24, c.init)), factor(c.growth),
        window(c.window) {
    if (c.min > 0)
      minLossScale = c.min;
  }
  void update(bool overflow) override {
    if (overflow) {
      lossScale =
          minLossScale ? std::max(*minLossScale, lossScale / 2) : lossScale / 2;
      unskipped = 0;
    } else {
      unskipped += 1;
    }
    if (unskipped == window) {
      lossScale = std::min(0x1p24, lossScale * factor);
      unskipped = 0;
    }
  }
  double scale() const override { return lossScale; }

private:
  double lossScale, factor;
  std::optional<double> minLossScale;
  int window, unskipped = 0;
};

/// csrc/update_scale_hysteresis.cu.
class ApexHysteresis final : public Cloned<ApexHysteresis> {
public:
  explicit ApexHysteresis(const Constants &c)
      : scaleValue(static_cast<float>(c.init)), growthFactor(c.growth),
        backoffFactor(c.backoff), interval(c.window), hysteresis(c.hysteresis),
        hysteresisTracker(c.hysteresis) {}
  void update(bool foundInf) override {
    if (foundInf) {
      hysteresisTracker -= 1;
      if (hysteresisTracker > 0) {
        growthTracker = 0;
        return;
      }
      scaleValue =
          static_cast<float>(static_cast<double>(scaleValue) * backoffFactor);
      growthTracker = 0;
    } else {
      int successful = growthTracker + 1;
      if (successful == interval) {
        auto grown =
            static_cast<float>(static_cast<double>(scaleValue) * growthFactor);
        if (std::isfinite(grown))
          scaleValue = grown;
        growthTracker = 0;
      } else {
        growthTracker = successful;
      }
    }
    if (!foundInf)
      hysteresisTracker = hysteresis;
  }
  double scale() const override { return scaleValue; }

private:
  float scaleValue;
  double growthFactor, backoffFactor;
  int interval, hysteresis, hysteresisTracker, growthTracker = 0;
};

/// megatron/core/optimizer/grad_scaler.py: DynamicGradScaler. The scale is a
/// tensor of f32. The tracker goes below zero.
class Megatron final : public Cloned<Megatron> {
public:
  explicit Megatron(const Constants &c)
      : current(static_cast<float>(c.init)),
        minScale(static_cast<float>(c.min)),
        growthFactor(static_cast<float>(c.growth)),
        backoffFactor(static_cast<float>(c.backoff)), growthInterval(c.window),
        hysteresis(c.hysteresis), hysteresisTracker(c.hysteresis) {}
  void update(bool foundInf) override {
    if (foundInf) {
      growthTracker = 0;
      hysteresisTracker -= 1;
      if (hysteresisTracker <= 0)
        current = std::max(current * backoffFactor, minScale);
      return;
    }
    growthTracker += 1;
    if (growthTracker == growthInterval) {
      growthTracker = 0;
      hysteresisTracker = hysteresis;
      current = current * growthFactor;
    }
  }
  double scale() const override { return current; }

private:
  float current, minScale, growthFactor, backoffFactor;
  int growthInterval, hysteresis, hysteresisTracker, growthTracker = 0;
};

/// deepspeed/runtime/fp16/loss_scaler.py: DynamicLossScaler. It counts
/// iterations since the last overflow, the first of which is before the start.
class DeepSpeed final : public Cloned<DeepSpeed> {
public:
  DeepSpeed(const Constants &c, bool isConsecutive)
      : curScale(c.init), scaleFactor(c.growth), minScale(c.min),
        scaleWindow(c.window), delayedShift(c.hysteresis),
        curHysteresis(c.hysteresis), consecutiveHysteresis(isConsecutive) {}
  void update(bool overflow) override {
    raised = false;
    if (overflow) {
      if (delayedShift == 1 || curHysteresis == 1) {
        raised = curScale == minScale;
        curScale = std::max(curScale / scaleFactor, minScale);
      } else {
        curHysteresis -= 1;
      }
      lastOverflow = curIter;
    } else {
      if (consecutiveHysteresis)
        curHysteresis = delayedShift;
      int stable = curIter - lastOverflow - 1;
      if (stable > 0 && stable % scaleWindow == 0) {
        if (!consecutiveHysteresis)
          curHysteresis = delayedShift;
        curScale *= scaleFactor;
      }
    }
    curIter += 1;
  }
  double scale() const override { return curScale; }
  bool hasRaised() const override { return raised; }

private:
  double curScale, scaleFactor, minScale;
  int scaleWindow, delayedShift, curHysteresis, curIter = 0, lastOverflow = -1;
  bool consecutiveHysteresis, raised = false;
};

/// deepspeed/runtime/fp16/{fused,unfused}_optimizer.py: the copy of the rule
/// that the optimizers without ZeRO have, without hysteresis.
class DeepSpeedInline final : public Cloned<DeepSpeedInline> {
public:
  explicit DeepSpeedInline(const Constants &c)
      : curScale(c.init), factor(c.growth), minLossScale(c.min),
        window(c.window) {}
  void update(bool overflow) override {
    if (overflow) {
      curScale = std::max(curScale / factor, minLossScale);
      lastOverflow = curIter;
    } else {
      int stable = curIter - lastOverflow - 1;
      if (stable > 0 && stable % window == 0)
        curScale *= factor;
    }
    curIter += 1;
  }
  double scale() const override { return curScale; }

private:
  double curScale, factor, minLossScale;
  int window, curIter = 0, lastOverflow = -1;
};

/// tensorflow/python/keras/mixed_precision/loss_scale_optimizer.py:
/// _DynamicLossScaleState.
class TensorFlow final : public Cloned<TensorFlow> {
public:
  explicit TensorFlow(const Constants &c)
      : lossScale(static_cast<float>(c.init)),
        multiplier(static_cast<float>(c.growth)), growthSteps(c.window) {}
  void update(bool foundInf) override {
    if (foundInf) {
      lossScale = std::max(lossScale / multiplier, 1.0f);
      counter = 0;
    } else if (counter + 1 >= growthSteps) {
      float grown = lossScale * multiplier;
      if (std::isfinite(grown))
        lossScale = grown;
      counter = 0;
    } else {
      counter += 1;
    }
  }
  double scale() const override { return lossScale; }

private:
  float lossScale, multiplier;
  int growthSteps, counter = 0;
};

/// keras/src/optimizers/loss_scale_optimizer.py: doubles and halves, unbounded.
class Keras final : public Cloned<Keras> {
public:
  explicit Keras(const Constants &c)
      : dynamicScale(static_cast<float>(c.init)), growthSteps(c.window) {}
  void update(bool foundInf) override {
    if (foundInf) {
      stepCounter = 0;
      dynamicScale = dynamicScale / 2.0f;
    } else if (stepCounter == growthSteps - 1) {
      stepCounter = 0;
      dynamicScale = dynamicScale * 2.0f;
    } else {
      stepCounter += 1;
    }
  }
  double scale() const override { return dynamicScale; }

private:
  float dynamicScale;
  int growthSteps, stepCounter = 0;
};

/// jmp/_src/loss_scale.py: DynamicLossScale.adjust, in f32 arrays.
class Jmp final : public Cloned<Jmp> {
public:
  explicit Jmp(const Constants &c)
      : lossScale(static_cast<float>(c.init)),
        factor(static_cast<float>(c.growth)),
        minLossScale(static_cast<float>(c.min)), period(c.window) {}
  void update(bool foundInf) override {
    bool gradsFinite = !foundInf;
    if (gradsFinite) {
      float grown = lossScale * factor;
      if (counter == period - 1 && std::isfinite(grown))
        lossScale = grown;
    } else {
      lossScale = std::max(minLossScale, lossScale / factor);
    }
    counter = ((counter + 1) % period) * static_cast<int>(gradsFinite);
  }
  double scale() const override { return lossScale; }

private:
  float lossScale, factor, minLossScale;
  int period, counter = 0;
};

/// orttraining/python/training/amp/loss_scaler.py: DynamicLossScaler.
class Ort final : public Cloned<Ort> {
public:
  explicit Ort(const Constants &c)
      : lossScale(c.init), upScaleWindow(c.window) {}
  void update(bool foundInf) override {
    if (foundInf) {
      lossScale = std::max(1.0, lossScale / 2);
      stableSteps = 0;
      return;
    }
    stableSteps += 1;
    if (stableSteps >= upScaleWindow) {
      lossScale = std::min(0x1p24, lossScale * 2);
      stableSteps = 0;
    }
  }
  double scale() const override { return lossScale; }

private:
  double lossScale;
  int upScaleWindow, stableSteps = 0;
};

/// Apex' and Megatron's static scale: it never moves.
class Constant final : public Cloned<Constant> {
public:
  explicit Constant(double scale) : value(scale) {}
  void update(bool) override {}
  double scale() const override { return value; }

private:
  double value;
};

} // namespace

namespace mpc::conformance {
std::unique_ptr<Scaler> makeTorch(const Constants &c) {
  return std::make_unique<Torch>(c);
}
std::unique_ptr<Scaler> makeApex(const Constants &c) {
  return std::make_unique<Apex>(c);
}
std::unique_ptr<Scaler> makeApexHysteresis(const Constants &c) {
  return std::make_unique<ApexHysteresis>(c);
}
std::unique_ptr<Scaler> makeMegatron(const Constants &c) {
  return std::make_unique<Megatron>(c);
}
std::unique_ptr<Scaler> makeDeepSpeed(const Constants &c, bool consecutive) {
  return std::make_unique<DeepSpeed>(c, consecutive);
}
std::unique_ptr<Scaler> makeDeepSpeedInline(const Constants &c) {
  return std::make_unique<DeepSpeedInline>(c);
}
std::unique_ptr<Scaler> makeTensorFlow(const Constants &c) {
  return std::make_unique<TensorFlow>(c);
}
std::unique_ptr<Scaler> makeKeras(const Constants &c) {
  return std::make_unique<Keras>(c);
}
std::unique_ptr<Scaler> makeJmp(const Constants &c) {
  return std::make_unique<Jmp>(c);
}
std::unique_ptr<Scaler> makeOrt(const Constants &c) {
  return std::make_unique<Ort>(c);
}
std::unique_ptr<Scaler> makeConstant(double scale) {
  return std::make_unique<Constant>(scale);
}
} // namespace mpc::conformance

//===-- Instances that twelve steps see all of ---------------------------===//

namespace {
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// What every preset leaves to the caller.
std::string withInit(const std::string &preset, const Constants &c) {
  return "loss-scale=" + preset + " scale-init=" + number(c.init) +
         " scale-interval=" + std::to_string(c.window);
}
std::string withHysteresis(const std::string &preset, const Constants &c) {
  return withInit(preset, c) +
         " scale-hysteresis=" + std::to_string(c.hysteresis);
}
std::string withFactors(const std::string &preset, const Constants &c) {
  return withInit(preset, c) + " scale-growth=" + number(c.growth) +
         " scale-backoff=" + number(c.backoff);
}

class List {
public:
  void add(const std::string &options, std::unique_ptr<Scaler> scaler,
           bool raises = false) {
    all.push_back({options, std::move(scaler), raises});
  }
  std::vector<System> all;
};

void addWithoutHysteresis(List &list, int window) {
  Constants c{.init = 8, .window = window};
  list.add(withInit("torch", c), makeTorch(c));
  list.add(withInit("apex", c), makeApex(c));
  list.add(withInit("tf2", c), makeTensorFlow(c));
  list.add(withInit("keras", c), makeKeras(c));
  list.add(withInit("ort", c), makeOrt(c));
  Constants atTop{.init = 0x1p126, .window = window};
  list.add(withInit("torch", atTop), makeTorch(atTop));
  list.add(withInit("tf2", atTop), makeTensorFlow(atTop));
  list.add(withInit("keras", atTop) + " scale-growth-guard=false",
           makeKeras(atTop));
  Constants atCeiling{.init = 0x1p23, .window = window};
  list.add(withInit("apex", atCeiling), makeApex(atCeiling));
  list.add(withInit("ort", atCeiling), makeOrt(atCeiling));
  Constants withFloor{.init = 16, .window = window, .min = 4};
  list.add(withInit("apex", withFloor) + " scale-floor=4", makeApex(withFloor));
  Constants odd{.init = 3, .window = window, .growth = 1.1, .backoff = 0.7};
  list.add(withFactors("torch", odd), makeTorch(odd));
  Constants third{.init = 10, .window = window, .growth = 3, .min = 0.37};
  list.add(withInit("jmp", third) +
               " scale-growth=3 scale-backoff=0.33333333333333331 "
               "scale-floor=0.37",
           makeJmp(third));
  Constants jmp{.init = 64, .window = window, .min = 1};
  list.add(withInit("jmp", jmp), makeJmp(jmp));
  Constants jmpAtTop{.init = 0x1p127, .window = window, .min = 1};
  list.add(withInit("jmp", jmpAtTop), makeJmp(jmpAtTop));
}

void addWithHysteresis(List &list, int window, int hysteresis) {
  Constants c{.init = 64, .window = window, .hysteresis = hysteresis, .min = 1};
  list.add(withHysteresis("apex-hysteresis", c), makeApexHysteresis(c));
  list.add(withHysteresis("megatron", c), makeMegatron(c));
  list.add(withHysteresis("deepspeed", c), makeDeepSpeed(c, false), true);
  list.add(withHysteresis("deepspeed-consecutive", c), makeDeepSpeed(c, true),
           true);
  Constants low = c;
  low.init = 4;
  list.add(withHysteresis("megatron", low), makeMegatron(low));
  list.add(withHysteresis("deepspeed", low), makeDeepSpeed(low, false), true);
  Constants top = c;
  top.init = 0x1p126;
  list.add(withHysteresis("apex-hysteresis", top), makeApexHysteresis(top));
  list.add(withHysteresis("megatron", top) + " scale-growth-guard=false",
           makeMegatron(top));
}
} // namespace

std::vector<System> mpc::conformance::systems() {
  List list;
  for (int window : {1, 2, 3, 5}) {
    addWithoutHysteresis(list, window);
    for (int hysteresis : {1, 2, 3})
      addWithHysteresis(list, window, hysteresis);
  }
  list.add("loss-scale=megatron-constant scale-init=128", makeConstant(128));
  list.add("loss-scale=static scale-init=4294967296", makeConstant(0x1p32));
  list.add("loss-scale=128", makeConstant(128));
  // DeepSpeed's optimizers without ZeRO: no hysteresis; the unfused one has the
  // floor 0.25.
  Constants fused{.init = 4, .window = 2, .min = 1};
  list.add(withInit("deepspeed", fused) + " scale-hysteresis=1",
           makeDeepSpeedInline(fused));
  Constants unfused{.init = 4, .window = 2, .min = 0.25};
  list.add(withInit("deepspeed", unfused) +
               " scale-hysteresis=1 scale-floor=0.25",
           makeDeepSpeedInline(unfused));
  return std::move(list.all);
}
