// mpc-compile as a process, with scripts in its place.
#include "Train/Diagnosis/Compiler.h"
#include "Train/Failure.h"

#include "../Data/TemporaryFolder.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

using mpc::train::Compiler;
using mpc::train::CompilerOptions;
using mpc::train::Failure;
using mpc::train::Fault;
using mpc::train::Status;

namespace {

class CompilerProcess : public TemporaryFolder {
protected:
  /// A program that gets "--probe MODEL -o OUTPUT".
  std::string script(const std::string &text) const {
    std::string file = put("mpc-compile", "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  /// What a run says; success if it made its file.
  Status compile(const CompilerOptions &options,
                 const std::atomic<bool> *stop = nullptr) const {
    mpc::train::TemporaryFolder place;
    try {
      std::string made = Compiler(options, stop).compileProbe("model", place);
      return std::filesystem::exists(made) ? Status()
                                           : Status(Fault::System, "no file");
    } catch (const Failure &failure) {
      return {failure.fault, failure.what()};
    }
  }
};

TEST_F(CompilerProcess, IsFoundByNameAndBesideAFolder) {
  std::string file = script("echo made > \"$4\"");
  EXPECT_TRUE(compile({file, ""}));
  EXPECT_TRUE(compile({"", folder}));
  Status missing = compile({path("other"), ""});
  EXPECT_EQ(missing.fault(), Fault::Input);
  EXPECT_NE(missing.message().find("no program that can be run"),
            std::string::npos);
}

TEST_F(CompilerProcess, ItsWordsAreTheReason) {
  Status status = compile({script("echo 'no such op' >&2; exit 1"), ""});
  EXPECT_EQ(status.fault(), Fault::System);
  EXPECT_NE(status.message().find("no such op"), std::string::npos);
  EXPECT_NE(compile({script("exit 0"), ""}).message().find("without a word"),
            std::string::npos);
}

TEST_F(CompilerProcess, EndsWhenTheFlagIsSet) {
  std::string file = script("echo $$ > '" + path("pid") + "'; exec sleep 1000");
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (get("pid").empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stop = true;
  });
  Status status = compile({file, ""}, &stop);
  other.join();
  EXPECT_EQ(status.fault(), Fault::Interrupted);
  EXPECT_NE(kill(std::stoi(get("pid")), 0), 0) << "it runs still";
}

/// The system reaps the children of an application that asks for it, and
/// nobody can wait for them.
TEST_F(CompilerProcess, EndsWhereNobodyWaitsForChildren) {
  auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_TRUE(compile({script("echo made > \"$4\""), ""}));
  Status failed = compile({script("echo 'no such op'; exit 1"), ""});
  EXPECT_NE(failed.message().find("no such op"), std::string::npos);
  std::signal(SIGCHLD, before);
}

} // namespace
