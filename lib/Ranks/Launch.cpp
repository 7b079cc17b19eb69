#include "mpc/Ranks/Launch.h"
#include "mpc/Support/Number.h"
#include "mpc/Support/Pipe.h"
#include "mpc/Support/Printable.h"

#include <algorithm>
#include <cstdlib>
#include <sys/stat.h>

using namespace mpc;
using namespace mpc::ranks;

std::string_view ranks::getName(Launcher launcher) {
  switch (launcher) {
  case Launcher::None:
    return "no launcher";
  case Launcher::Torchrun:
    return "torchrun";
  case Launcher::Slurm:
    return "SLURM";
  case Launcher::OpenMpi:
    return "Open MPI";
  case Launcher::Pmi:
    return "PMI";
  case Launcher::Local:
    return "mpc-run --ranks";
  case Launcher::Application:
    return "the application";
  }
  return "unknown launcher";
}

std::string Launch::text() const {
  return "rank " + std::to_string(rank) + " of " + std::to_string(size) + " (" +
         std::to_string(localRank) + " of " + std::to_string(localSize) +
         " on this machine), by " + std::string(getName(launcher));
}

Status ranks::check(const Launch &launch) {
  auto refuse = [](const std::string &expected, uint32_t got) -> Status {
    return {StatusCode::InvalidArgument,
            "expected " + expected + ", but got " + std::to_string(got)};
  };
  if (launch.size == 0)
    return refuse("a size of 1 rank or more", 0);
  if (launch.rank >= launch.size)
    return refuse("a rank below the size, " + std::to_string(launch.size),
                  launch.rank);
  if (launch.localSize > launch.size)
    return refuse("a local size of at most the size, " +
                      std::to_string(launch.size),
                  launch.localSize);
  if (launch.localSize && launch.localRank >= launch.localSize)
    return refuse("a local rank below the local size, " +
                      std::to_string(launch.localSize),
                  launch.localRank);
  return {};
}

namespace {

/// The variables of one launcher.
struct Names {
  Launcher launcher;
  const char *rank, *size, *localRank, *localSize;
  /// What tells a run, and its restarts, the same on all ranks; or null.
  const char *run, *restart;
};
// mpirun inside of a step of SLURM starts more ranks than the step has tasks.
constexpr Names kLaunchers[] = {
    {Launcher::Torchrun, "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
     "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"},
    {Launcher::OpenMpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
     "PMIX_NAMESPACE", nullptr},
    {Launcher::Slurm, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
     "SLURM_STEP_TASKS_PER_NODE", "SLURM_JOB_ID", "SLURM_STEP_ID"},
    {Launcher::Pmi, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID",
     "MPI_LOCALNRANKS", nullptr, nullptr}};

/// Others, whose processes would each take themselves for one alone. They say
/// less than ranks need, so that is told by hand.
struct Foreign {
  const char *name, *rank;
  const char *size; ///< Or null: the launcher does not say.
};
// MPIs that these start have PMI's variables as well, mostly, which are read.
constexpr Foreign kForeign[] = {
    {"MVAPICH2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"JSM", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {"PALS", "PALS_RANKID", nullptr},
    {"PMIx", "PMIX_RANK", nullptr}};

/// Reads the variables of one launcher.
class Reader {
public:
  Reader(const Names &names, const Variables &variables)
      : names(names), variables(variables) {}

  /// Whether the launcher started this process. A step of SLURM is told by its
  /// number of tasks: batch scripts have a rank, too.
  bool isThere() const {
    if (names.launcher == Launcher::Slurm)
      return variables(names.size).has_value();
    return variables(names.rank) || variables(names.size);
  }
  Result<Launch> read();

private:
  Status readNumber(const char *name, uint32_t &number) const;
  Status readBelow(const char *name, const char *bound, uint32_t most,
                   uint32_t &number) const;
  Status readLocal(Launch &launch) const;
  Status readPlace(Launch &launch) const;
  bool hasMpi() const;
  Status refuse(const std::string &text) const {
    return {StatusCode::InvalidArgument,
            text + " (" + std::string(getName(names.launcher)) + ")"};
  }

  const Names &names;
  const Variables &variables;
};

} // namespace

Status Reader::readNumber(const char *name, uint32_t &number) const {
  std::optional<std::string> text = variables(name);
  if (!text)
    return refuse("expected variable " + std::string(name) +
                  " beside the others, but it is not set");
  if (!parseNumber(*text, number))
    return refuse("expected " + std::string(name) +
                  " to be a number of ranks, but got '" + printable(*text) +
                  "'");
  return {};
}

Status Reader::readBelow(const char *name, const char *bound, uint32_t most,
                         uint32_t &number) const {
  if (Status status = readNumber(name, number); !status.ok())
    return status;
  if (number < most)
    return {};
  return refuse("expected " + std::string(name) + " below " + bound + "=" +
                std::to_string(most) + ", but got " + std::to_string(number));
}

/// "4(x2),3": as many tasks on each of two nodes, then 3. Those of the node of
/// this process cannot be told from that; if all are equal they need not be.
static std::optional<uint32_t> readTasksPerNode(std::string_view text) {
  return parseNumber<uint32_t>(text.substr(0, text.find('(')));
}

Status Reader::readLocal(Launch &launch) const {
  std::optional<std::string> count = variables(names.localSize);
  if (!variables(names.localRank) && !count) {
    launch.localRank = launch.rank;
    launch.localSize = launch.size;
    return {};
  }
  if (names.launcher == Launcher::Slurm) {
    if (Status status = readNumber(names.localRank, launch.localRank);
        !status.ok())
      return status;
    launch.localSize = std::max(
        launch.localRank + 1, readTasksPerNode(count.value_or("")).value_or(1));
    return {};
  }
  if (Status status = readNumber(names.localSize, launch.localSize);
      !status.ok())
    return status;
  if (launch.localSize > launch.size)
    return refuse("expected " + std::string(names.localSize) + " of at most " +
                  names.size + "=" + std::to_string(launch.size) +
                  ", but got " + std::to_string(launch.localSize));
  return readBelow(names.localRank, names.localSize, launch.localSize,
                   launch.localRank);
}

/// The first name of "gpu[03-05,07],big1": "gpu03".
static std::string getFirstHost(std::string_view list) {
  size_t end = list.find_first_of(",[");
  std::string first(list.substr(0, end));
  if (end == std::string_view::npos || list[end] == ',')
    return first;
  std::string_view numbers = list.substr(end + 1);
  return first.append(numbers.substr(0, numbers.find_first_of("-,]")));
}

// Runs may share a machine: each its own port, out of those that nobody gives
// out.
static uint16_t choosePort(uint64_t run) {
  return static_cast<uint16_t>(15000 + run % 10000);
}

Status Reader::readPlace(Launch &launch) const {
  launch.address = variables("MASTER_ADDR").value_or("");
  if (launch.address.starts_with('[') && launch.address.ends_with(']'))
    launch.address = launch.address.substr(1, launch.address.size() - 2);
  std::optional<std::string> port = variables("MASTER_PORT");
  if (port && (!parseNumber(*port, launch.port) || launch.port == 0))
    return refuse(
        "expected MASTER_PORT to be a port from 1 to 65535, but got '" +
        printable(*port) + "'");
  if (names.launcher == Launcher::Slurm) {
    if (launch.address.empty())
      launch.address =
          getFirstHost(variables("SLURM_STEP_NODELIST").value_or(""));
    if (!launch.port)
      launch.port = choosePort(
          parseNumber<uint64_t>(variables("SLURM_JOB_ID").value_or("0"))
              .value_or(0));
  }
  if (names.launcher == Launcher::OpenMpi && launch.localSize == launch.size) {
    if (launch.address.empty())
      launch.address = "127.0.0.1";
    if (!launch.port)
      launch.port = choosePort(std::hash<std::string>()(launch.run));
  }
  // Then torchrun's own store has that port.
  if (variables("TORCHELASTIC_USE_AGENT_STORE") == "True" && launch.port &&
      launch.port < 65535)
    ++launch.port;
  if (names.launcher == Launcher::Torchrun && launch.size > 1 &&
      (launch.address.empty() || !launch.port))
    return refuse(
        "expected MASTER_ADDR and MASTER_PORT, where rank 0 can be "
        "reached, but " +
        std::string(launch.address.empty() ? "MASTER_ADDR" : "MASTER_PORT") +
        " is not set");
  return {};
}

bool Reader::hasMpi() const {
  switch (names.launcher) {
  case Launcher::OpenMpi:
  case Launcher::Pmi:
    return true;
  case Launcher::Slurm:
    return variables("PMIX_RANK") || variables("PMI_RANK");
  case Launcher::None:
  case Launcher::Torchrun:
  case Launcher::Local:
  case Launcher::Application:
    break;
  }
  return false;
}

Result<Launch> Reader::read() {
  Launch launch;
  bool isLocal = names.launcher == Launcher::Torchrun &&
                 variables(kLauncherVariable).has_value();
  launch.launcher = isLocal ? Launcher::Local : names.launcher;
  if (Status status = readNumber(names.size, launch.size); !status.ok())
    return status;
  if (launch.size == 0)
    return refuse("expected " + std::string(names.size) +
                  " to be 1 or more, but got 0");
  Status status = readBelow(names.rank, names.size, launch.size, launch.rank);
  for (const char *name : {names.run, names.restart})
    if (name)
      launch.run += variables(name).value_or("") + "/";
  launch.hasMpi = hasMpi();
  if (status.ok())
    status = readLocal(launch);
  if (status.ok())
    status = readPlace(launch);
  if (!status.ok())
    return status;
  return launch;
}

/// Of a process that one of them has started with others, or may have.
static Status refuseForeign(const Variables &variables) {
  for (const Foreign &launcher : kForeign) {
    std::optional<std::string> rank = variables(launcher.rank), size;
    if (launcher.size)
      size = variables(launcher.size);
    if ((!rank && !size) || size == "1")
      continue;
    std::string isOne = "this is rank " + printable(rank.value_or("?"));
    if (size)
      isOne += " of " + printable(*size);
    return {
        StatusCode::InvalidArgument,
        "expected variables of torchrun, Open MPI, SLURM or PMI, but " + isOne +
            " by " + launcher.name +
            ", of which they are not set; "
            "give each rank RANK (of " +
            launcher.rank + "), WORLD_SIZE" +
            (launcher.size ? " (of " + std::string(launcher.size) + ")" : "") +
            ", LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, "
            "or RANK=0 and WORLD_SIZE=1 to be alone"};
  }
  return {};
}

/// Of a task of a step that says its number, and not of how many. A batch
/// script is task 0 of none.
static Status refuseHalfSlurm(const Variables &variables) {
  std::optional<std::string> rank = variables("SLURM_PROCID");
  bool isStep = variables("SLURM_STEP_ID") &&
                variables("SLURM_NTASKS").value_or("1") != "1";
  if (!rank || (*rank == "0" && !isStep))
    return {};
  return {
      StatusCode::InvalidArgument,
      "expected variable SLURM_STEP_NUM_TASKS beside SLURM_PROCID, which is "
      "'" +
          printable(*rank) +
          "', but it is not set (SLURM); start ranks "
          "by srun, or give RANK=0 and WORLD_SIZE=1 to be alone"};
}

Result<Launch> ranks::readLaunch(const Variables &variables) {
  for (const Names &names : kLaunchers)
    if (Reader reader(names, variables); reader.isThere())
      return reader.read();
  for (const auto &refuse : {refuseHalfSlurm, refuseForeign})
    if (Status status = refuse(variables); !status.ok())
      return status;
  return Launch();
}

Result<Launch> ranks::readLaunch() {
  return readLaunch([](const std::string &name) -> std::optional<std::string> {
    const char *value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  });
}

void ranks::tellLauncher(uint32_t rank) {
  const char *text = std::getenv(kLauncherVariable);
  std::optional<int> descriptor = parseNumber<int>(text ? text : "");
  struct stat facts;
  if (!descriptor || fstat(*descriptor, &facts) != 0 ||
      !S_ISFIFO(facts.st_mode))
    return;
  std::string line = std::to_string(rank) + "\n";
  // A launcher that has gone is told nothing.
  static_cast<void>(writeToPipe(
      *descriptor, std::as_bytes(std::span(line.data(), line.size()))));
}
