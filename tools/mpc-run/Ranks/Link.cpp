// mpc-run link: its command line, and what it prints.
#include "../Commands.h"
#include "../Failure.h"
#include "../Print.h"
#include "Ranks.h"

#include "mpc-c/Runtime.h"
#include "mpc/Ranks/Link.h"
#include "mpc/Ranks/World.h"
#include "mpc/Train/Format.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::run;

namespace {

struct LinkCommand {
  std::optional<uint64_t> ranks; ///< To be started.
  std::optional<uint64_t> seconds, timeout;
  std::string collectives;
  bool asJson = false;

  static Options command();
  void declare(Options &table);
};

/// What rank 0 tells.
struct Found {
  ranks::Launch launch;
  std::string engine;
  std::vector<ranks::LinkTime> times;
  ranks::Link link;
};

} // namespace

Options LinkCommand::command() {
  return {"mpc-run", "link", "measure what messages between ranks cost", ""};
}

void LinkCommand::declare(Options &table) {
  table.setDetails(
      "Times all-reduces of 32 KiB to 16 MiB among the ranks that run it, and "
      "prints latency and bandwidth as the options --link-latency and "
      "--link-bandwidth of mpc-compile, which cuts buckets of gradients by "
      "them. Ranks are started by --ranks, or by torchrun, mpirun or srun on "
      "the machines that will train. Nothing else should use those meanwhile.");
  table
      .addCount("--ranks", "N", "start N ranks on this machine, at least 2",
                ranks)
      .atLeast(2);
  table.addCount("--seconds", "S", "how long to measure (3)", seconds)
      .atLeast(1)
      .atMost(3600);
  table
      .addCount("--timeout", "SECONDS",
                "how long one rank waits for another (30)", timeout)
      .atLeast(1)
      .atMost(ranks::kMostTimeout.count());
  table
      .addText("--collectives", "BY",
               "what messages go by, gloo or mpi (mpi where mpirun, or srun "
               "with MPI, has started the ranks, else gloo)",
               collectives)
      .oneOf({"gloo", "mpi"});
  table.addFlag("--json", "as one JSON object", asJson);
}

//===-- Measuring ---------------------------------------------------------===//

/// What ranks find wrong with each other is the command line's fault.
static Failure failureOf(const ranks::Launch &launch,
                         const mpc::Status &status) {
  bool isUsage = status.code() == StatusCode::InvalidArgument;
  return {isUsage ? Exit::Usage : Exit::Failed,
          "rank " + std::to_string(launch.rank) + " of " +
              std::to_string(launch.size) + ": " + status.message()};
}

static Found measure(const ranks::Launch &launch, const LinkCommand &asked) {
  auto take = [&](auto result) {
    if (!result)
      throw failureOf(launch, result.status());
    return std::move(*result);
  };
  std::chrono::seconds patience(asked.timeout.value_or(30));
  ranks::Agreement agreement = {mpc_get_api(MPC_API_VERSION)->library_version,
                                "mpc-run link"};
  ranks::WorldOptions options;
  options.engine = asked.collectives;
  options.timeout = patience;
  auto joined = ranks::World::join(launch, agreement, options);
  if (joined.status().code() == StatusCode::CollectiveTimedOut)
    throw failureOf(launch, {joined.status().code(),
                             joined.status().message() + "; '--timeout' is " +
                                 std::to_string(patience.count()) + " s"});
  auto world = take(std::move(joined));
  Found found = {world->launch(), world->engine(), {}, {}};
  found.times = take(ranks::measureLink(
      world->group(), std::chrono::seconds(asked.seconds.value_or(3))));
  mpc::Status end = world->group().run(
      {.kind = ranks::CollectiveKind::Leave, .name = "at the end"});
  if (!end.ok())
    throw failureOf(launch, end);
  world->leave();
  found.link = take(ranks::fitLink(found.times, launch.size));
  return found;
}

//===-- Telling -----------------------------------------------------------===//

/// To three digits, which is more than another run will repeat; without an
/// exponent.
static std::string toText(double number) {
  int digits =
      std::max(0, 2 - static_cast<int>(std::floor(std::log10(number))));
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

static std::vector<std::string> compilerOptions(const ranks::Link &link) {
  return {"--link-latency=" + toText(link.latency),
          "--link-bandwidth=" + toText(link.bandwidth)};
}

static void printText(const Found &found) {
  print("%u ranks, by %s; messages by %s\n", found.launch.size,
        std::string(ranks::getName(found.launch.launcher)),
        ranks::nameEngine(found.engine));
  print("   all-reduce      calls     median, us     by the link, us\n");
  for (const ranks::LinkTime &time : found.times)
    print("%13s %10llu %14.1f %19.1f\n", train::formatBytes(time.bytes),
          static_cast<unsigned long long>(time.calls), time.microseconds,
          found.link.predict(time.bytes, found.launch.size));
  print("latency %s us, bandwidth %s GB/s; for mpc-compile:\n",
        toText(found.link.latency), toText(found.link.bandwidth));
  std::vector<std::string> options = compilerOptions(found.link);
  print("%s %s\n", options[0], options[1]);
}

static void printJson(const Found &found) {
  nlohmann::ordered_json object = {
      {"ranks", found.launch.size},
      {"launcher", std::string(ranks::getName(found.launch.launcher))},
      {"collectives", found.engine},
      {"latency_us", found.link.latency},
      {"bandwidth_gb_per_s", found.link.bandwidth},
      {"options", compilerOptions(found.link)},
      {"all_reduces", nlohmann::ordered_json::array()}};
  for (const ranks::LinkTime &time : found.times)
    object["all_reduces"].push_back(
        {{"bytes", time.bytes},
         {"calls", time.calls},
         {"median_us", time.microseconds},
         {"predicted_us", found.link.predict(time.bytes, found.launch.size)}});
  std::puts(object.dump(2).c_str()); // Texts of ours alone.
}

//===-- The command -------------------------------------------------------===//

cli::CommandInfo mpc::run::describeLink() { return describe<LinkCommand>(); }

Exit mpc::run::runLink(const Arguments &arguments) {
  LinkCommand command;
  if (!readInto(command, arguments))
    return Exit::Ok;
  if (command.ranks) {
    refuseMpi(command.collectives);
    return runRanks(*command.ranks, "link", arguments);
  }
  mpc::Result<ranks::Launch> launch = ranks::readLaunch();
  if (!launch)
    throw usageError(launch.status().message());
  if (launch->size == 1)
    throw usageError("link: expected several ranks, but this is one process: "
                     "start some by '--ranks 2', or by torchrun, mpirun or "
                     "srun");
  Found found = measure(*launch, command);
  if (launch->rank > 0)
    return Exit::Ok;
  if (command.asJson)
    printJson(found);
  else
    printText(found);
  return Exit::Ok;
}
