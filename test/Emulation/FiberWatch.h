// What a sanitizer must be told about fibers: which stack is in use.
#ifndef MPC_TEST_EMULATION_FIBERWATCH_H
#define MPC_TEST_EMULATION_FIBERWATCH_H

#include <cstddef>
#include <vector>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define MPC_NO_THREAD_SANITIZER
#elif __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
// Of functions that begin in one fiber and end in another or never:
// ThreadSanitizer counts the calls of each.
#define MPC_NO_THREAD_SANITIZER [[clang::disable_sanitizer_instrumentation]]
#else
#define MPC_NO_THREAD_SANITIZER
#endif

namespace mpc::emulation {

/// In the order of a resume that ends with a suspend: toFiber before the stacks
/// change and inFiber after it, toMain before they change back and inMain after
/// it.
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
class FiberWatch {
public:
  explicit FiberWatch(size_t count) : frames(count) {}

  void prepare(size_t number) { frames[number] = nullptr; }
  void toFiber(size_t, const void *stack, size_t bytes) {
    __sanitizer_start_switch_fiber(&mainFrames, stack, bytes);
  }
  void inFiber(size_t number) {
    __sanitizer_finish_switch_fiber(frames[number], &mainStack, &mainBytes);
  }
  void toMain(size_t number, bool forEver) {
    __sanitizer_start_switch_fiber(forEver ? nullptr : &frames[number],
                                   mainStack, mainBytes);
  }
  void inMain() {
    __sanitizer_finish_switch_fiber(mainFrames, nullptr, nullptr);
  }

private:
  const void *mainStack = nullptr;
  size_t mainBytes = 0;
  void *mainFrames = nullptr;
  std::vector<void *> frames;
};
#elif __has_feature(thread_sanitizer)
class FiberWatch {
public:
  explicit FiberWatch(size_t count) : fibers(count) {}
  ~FiberWatch() {
    for (Fiber &fiber : fibers)
      fiber.destroy();
  }
  FiberWatch(const FiberWatch &) = delete;

  void prepare(size_t number) {
    Fiber &fiber = fibers[number];
    if (fiber.suspended) // abandoned, with calls that it did not return from
      fiber.destroy();
    if (!fiber.context)
      fiber = {__tsan_create_fiber(0), false};
  }
  MPC_NO_THREAD_SANITIZER void toFiber(size_t number, const void *, size_t) {
    main = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fibers[number].context, 0);
  }
  void inFiber(size_t) {}
  MPC_NO_THREAD_SANITIZER void toMain(size_t number, bool forEver) {
    fibers[number].suspended = !forEver;
    __tsan_switch_to_fiber(main, 0);
  }
  void inMain() {}

private:
  struct Fiber {
    void *context = nullptr;
    bool suspended = false;
    void destroy() {
      if (context)
        __tsan_destroy_fiber(context);
      context = nullptr;
    }
  };
  void *main = nullptr;
  std::vector<Fiber> fibers;
};
#else
class FiberWatch {
public:
  explicit FiberWatch(size_t) {}
  void prepare(size_t) {}
  void toFiber(size_t, const void *, size_t) {}
  void inFiber(size_t) {}
  void toMain(size_t, bool) {}
  void inMain() {}
};
#endif

} // namespace mpc::emulation

#endif // MPC_TEST_EMULATION_FIBERWATCH_H
