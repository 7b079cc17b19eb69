// What LLVM would end the process for comes back as an error.
#include "mpc/Target/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

using mpc::target::FatalErrors;

static std::string fail(const FatalErrors &errors, const char *reason,
                        bool &isFatal) {
  return llvm::toString(errors.run(
      [&]() -> llvm::Error { llvm::report_fatal_error(reason); }, isFatal));
}

TEST(FatalErrors, BecomeErrors) {
  FatalErrors errors;
  bool isFatal = false;
  EXPECT_EQ(fail(errors, "no such thing", isFatal), "LLVM: no such thing");
  EXPECT_TRUE(isFatal);
  // Others are what they were.
  llvm::Error other = errors.run(
      [] {
        return llvm::createStringError(llvm::inconvertibleErrorCode(), "tired");
      },
      isFatal);
  EXPECT_EQ(llvm::toString(std::move(other)), "tired");
  EXPECT_FALSE(isFatal);
}

TEST(FatalErrors, EndTheInnermostCall) {
  FatalErrors errors;
  bool outer = true, inner = false;
  std::string message;
  llvm::Error result = errors.run(
      [&] {
        message = fail(errors, "within", inner);
        return llvm::Error::success();
      },
      outer);
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(message, "LLVM: within");
  EXPECT_TRUE(inner);
  EXPECT_FALSE(outer);
  // After it the outer one is the innermost again.
  EXPECT_EQ(fail(errors, "again", outer), "LLVM: again");
}

TEST(FatalErrors, LeaveExceptionsAlone) {
  FatalErrors errors;
  bool isFatal = false;
  EXPECT_THROW(
      (void)errors.run([]() -> llvm::Error { throw std::logic_error("tired"); },
                       isFatal),
      std::logic_error);
  EXPECT_EQ(fail(errors, "later", isFatal), "LLVM: later");
}

/// By an exception, or as LLVM says it where malloc answers nothing.
TEST(FatalErrors, AreTheEndOfMemory) {
  FatalErrors errors;
  for (bool isThrown : {true, false}) {
    bool isFatal = false;
    llvm::Error failed = errors.run(
        [&]() -> llvm::Error {
          if (isThrown)
            throw std::bad_alloc();
          llvm::report_bad_alloc_error("Allocation failed");
        },
        isFatal);
    EXPECT_TRUE(isFatal);
    EXPECT_EQ(llvm::toString(std::move(failed)),
              "no memory for the compilation");
  }
  bool isFatal = false;
  EXPECT_EQ(fail(errors, "later", isFatal), "LLVM: later");
}

//===-- Standing still ----------------------------------------------------===//

/// As operator new does where malloc answers nothing, which a sanitizer's own
/// does not.
static void findNoMemory() {
  for (;;) {
    std::new_handler handler = std::get_new_handler();
    if (!handler)
      throw std::bad_alloc();
    handler();
  }
}

struct Counted {
  explicit Counted(std::atomic<int> &freed) : freed(freed) {}
  ~Counted() { ++freed; }
  std::atomic<int> &freed;
};

/// Neither variables nor what is thread-local is freed where a run fails.
TEST(FatalErrors, FreeNothing) {
  static std::atomic<int> freed; // read by the end of threads
  freed = 0;
  auto hold = [](bool isFatal) {
    static thread_local Counted ofThread(freed);
    Counted variable(freed);
    if (isFatal)
      findNoMemory();
    return llvm::Error::success();
  };
  FatalErrors errors;
  bool isFatal = false;
  EXPECT_EQ(llvm::toString(errors.run([&] { return hold(true); }, isFatal)),
            "no memory for the compilation");
  EXPECT_TRUE(isFatal);
  EXPECT_EQ(freed, 0);
  EXPECT_FALSE(errors.run([&] { return hold(false); }, isFatal));
  EXPECT_EQ(freed, 2);
}

/// Where operator new throws, and nobody asks a handler.
TEST(FatalErrors, EndTheRunBeforeUnwinding) {
  static std::atomic<int> freed;
  freed = 0;
  FatalErrors errors;
  bool isFatal = false;
  llvm::Error failed = errors.run(
      [&]() -> llvm::Error {
        Counted variable(freed);
        return FatalErrors::beforeUnwinding(
            []() -> llvm::Error { throw std::bad_alloc(); });
      },
      isFatal);
  EXPECT_EQ(llvm::toString(std::move(failed)), "no memory for the compilation");
  EXPECT_TRUE(isFatal);
  EXPECT_EQ(freed, 0);
  // Outside of runs it is the caller's.
  EXPECT_THROW(FatalErrors::beforeUnwinding([] { throw std::bad_alloc(); }),
               std::bad_alloc);
  EXPECT_EQ(FatalErrors::beforeUnwinding([] { return 3; }), 3);
}

TEST(FatalErrors, LetCallbacksThrow) {
  FatalErrors errors;
  bool isFatal = false, isCaught = false;
  llvm::Error failed = errors.run(
      [&]() -> llvm::Error {
        try {
          FatalErrors::Outside outside;
          findNoMemory();
        } catch (const std::bad_alloc &) {
          isCaught = true;
        }
        findNoMemory();
        return llvm::Error::success();
      },
      isFatal);
  EXPECT_TRUE(isCaught);
  EXPECT_TRUE(isFatal);
  EXPECT_EQ(llvm::toString(std::move(failed)), "no memory for the compilation");
}

static std::atomic<int> asked = 0;

TEST(FatalErrors, AskTheHandlerOfTheApplicationFirst) {
  asked = 0;
  auto give = [] {
    if (++asked == 3) // It has found no more memory to give back.
      throw std::bad_alloc();
  };
  std::new_handler before = std::set_new_handler(give);
  {
    FatalErrors errors;
    bool isFatal = false;
    llvm::consumeError(errors.run(
        []() -> llvm::Error {
          findNoMemory();
          return llvm::Error::success();
        },
        isFatal));
    EXPECT_TRUE(isFatal);
    EXPECT_EQ(asked, 3);
    asked = 2;
    EXPECT_THROW(findNoMemory(), std::bad_alloc); // of no run
  }
  EXPECT_EQ(std::get_new_handler(), give);
  std::set_new_handler(before);
}

/// The run of a helper that fails has failed, but comes back when the others
/// that work for it are done.
TEST(FatalErrors, OfHelpersEndTheRun) {
  std::new_handler before = std::get_new_handler();
  auto errors = std::make_unique<FatalErrors>();
  bool isFatal = false;
  std::atomic<bool> hasBegun = false, isDone = false;
  llvm::Error failed = errors->run(
      [&]() -> llvm::Error {
        // The threads are never joined: nor may this frame be left.
        FatalErrors inner;
        std::thread works([&] {
          FatalErrors::Helper helper(inner);
          hasBegun = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          isDone = true;
        });
        while (!hasBegun)
          std::this_thread::yield();
        std::thread fails([&] {
          FatalErrors::Helper helper(inner);
          llvm::report_fatal_error("of a helper");
        });
        fails.join();
        works.join();
        return llvm::Error::success();
      },
      isFatal);
  EXPECT_TRUE(isDone);
  EXPECT_TRUE(isFatal);
  EXPECT_EQ(llvm::toString(std::move(failed)), "LLVM: of a helper");
  // Though `inner` is never destroyed, the handlers are taken away.
  EXPECT_NE(std::get_new_handler(), before);
  errors.reset();
  EXPECT_EQ(std::get_new_handler(), before);
}

/// A line of what the system says of a thread of this process.
static std::string lineOfThread(pid_t thread, const std::string &name) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name + ":\t", 0) == 0)
      return line.substr(name.size() + 2);
  return "";
}

/// What comes to help when the run has failed stands still as others do.
TEST(FatalErrors, LateHelpersAreLost) {
  using namespace std::chrono;
  FatalErrors errors;
  bool isFatal = false;
  FatalErrors *inside = nullptr;
  llvm::consumeError(errors.run(
      [&]() -> llvm::Error {
        FatalErrors inner; // stays, with its frame
        inside = &inner;
        llvm::report_fatal_error("too early");
      },
      isFatal));
  ASSERT_TRUE(isFatal);
  static std::atomic<pid_t> late; // of a thread that outlives the test
  late = 0;
  std::thread([inside] {
    late = gettid();
    FatalErrors::Helper helper(*inside);
  }).detach();
  auto end = steady_clock::now() + 1min;
  while (steady_clock::now() < end &&
         (!late || lineOfThread(late, "Name") != "mpc-lost"))
    std::this_thread::yield();
  EXPECT_EQ(lineOfThread(late, "Name"), "mpc-lost");
  uint64_t blocked =
      std::stoull("0" + lineOfThread(late, "SigBlk"), nullptr, 16);
  for (int signal : {SIGTERM, SIGINT, SIGCHLD})
    EXPECT_TRUE(blocked >> (signal - 1) & 1) << signal;
}

/// As are kernels that are compiled while the run that wants them fails.
TEST(FatalErrors, WaitForRunsInside) {
  FatalErrors errors;
  bool isFatal = false;
  std::atomic<bool> hasBegun = false, isDone = false;
  static std::atomic<bool> isRefused; // written behind the end of the run
  isRefused = false;
  llvm::Error failed = errors.run(
      [&]() -> llvm::Error {
        FatalErrors inner;
        std::thread works([&] {
          bool isFatal = false;
          llvm::consumeError(inner.run(
              [&] {
                hasBegun = true;
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
                isDone = true;
                return llvm::Error::success();
              },
              isFatal));
          auto nothing = [] { return llvm::Error::success(); };
          while (!llvm::errorToBool(inner.run(nothing, isFatal)))
            std::this_thread::yield();
          isRefused = true; // at last
        });
        while (!hasBegun)
          std::this_thread::yield();
        llvm::report_fatal_error("too early");
      },
      isFatal);
  EXPECT_TRUE(isDone);
  EXPECT_TRUE(isFatal);
  EXPECT_EQ(llvm::toString(std::move(failed)), "LLVM: too early");
  while (!isRefused)
    std::this_thread::yield();
}

TEST(FatalErrors, AreOfTheirThread) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&wrong, i] {
      std::string reason = "of thread " + std::to_string(i);
      for (int turn = 0; turn < 20; ++turn) {
        FatalErrors errors; // The handler comes and goes.
        bool isFatal = false;
        wrong[i] += fail(errors, reason.c_str(), isFatal) != "LLVM: " + reason;
        wrong[i] += !isFatal;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}
