// What LLVM would end the process for comes back as an error.
#include "mpc/Target/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <thread>

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

TEST(FatalErrors, AreOfTheirThread) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&wrong, i] {
      std::string reason = "of thread " + std::to_string(i);
      for (int turn = 0; turn < 200; ++turn) {
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
