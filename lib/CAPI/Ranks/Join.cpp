// Who the ranks are, and what they must have in common.
#include "Handles.h"
#include "Support/FileHash.h"
#include "mpc/Ranks/Processors.h"

using namespace mpc;
using namespace mpc::capi;
using namespace mpc::ranks;

namespace mpc::capi {
MPC_FIRST_VERSION(mpc_ranks_place, run);
MPC_FIRST_VERSION(mpc_ranks_options, settings);
} // namespace mpc::capi

static std::string textOf(const char *given) { return given ? given : ""; }

//===-- The program -------------------------------------------------------===//

static Result<Agreement> agree(const mpc_ranks_options &options) {
  Agreement agreement = {MPC_LIBRARY_VERSION, "", textOf(options.settings)};
  if (options.program && options.program_data)
    return Status(StatusCode::InvalidArgument,
                  "expected a program's file or its bytes, but got both");
  if (!options.program_data && options.program_bytes)
    return nullArgument("the bytes of the program");
  if (options.program_data)
    agreement.program =
        hashText({static_cast<const char *>(options.program_data),
                  static_cast<size_t>(options.program_bytes)});
  if (!options.program)
    return agreement;
  // As mpc-run hashes it.
  Result<FileFacts> facts = readFileFacts(options.program);
  if (!facts)
    return Status(facts.status().code(), "program " + facts.status().message());
  agreement.program = facts->hash;
  return agreement;
}

//===-- The ranks ---------------------------------------------------------===//

static Result<Launch> readPlace(const mpc_ranks_place &given) {
  mpc_ranks_place place;
  if (Status status = readStruct(&given, place); !status.ok())
    return status;
  Launch launch;
  launch.launcher = Launcher::Application;
  launch.rank = place.rank;
  launch.size = place.size;
  launch.localRank = place.local_rank;
  launch.localSize = place.local_size;
  launch.address = textOf(place.address);
  launch.run = textOf(place.run);
  if (place.port > 65535)
    return Status(StatusCode::InvalidArgument,
                  "expected a port from 1 to 65535, but got " +
                      std::to_string(place.port));
  launch.port = static_cast<uint16_t>(place.port);
  if (Status status = check(launch); !status.ok())
    return status;
  return launch;
}

static Result<Launch> findRanks(const mpc_ranks_options &options) {
  if (options.place && options.mpi_comm)
    return Status(StatusCode::InvalidArgument,
                  "expected a place or a communicator of MPI, but got both");
  if (!options.mpi_comm && options.mpi_comm_bytes)
    return nullArgument("a place where a communicator of MPI lies");
  if (options.mpi_comm)
    return Transport::place({options.mpi_comm, options.mpi_comm_bytes});
  return options.place ? readPlace(*options.place) : ranks::readLaunch();
}

/// Prefixes failures with who has them.
static Status byRank(const Launch &launch, const Status &status) {
  std::string who = "rank " + std::to_string(launch.rank) + " of " +
                    std::to_string(launch.size) + ": ";
  return {status.code(), status.message().starts_with(who)
                             ? status.message()
                             : who + status.message()};
}

static Status joinGroup(const mpc_ranks_options &options, mpc_ranks **ranks) {
  if (options.engine)
    if (Status known = Transport::checkEngine(options.engine); !known.ok())
      return known;
  Result<Agreement> agreement = agree(options);
  if (!agreement)
    return agreement.status();
  Result<Launch> launch = findRanks(options);
  if (!launch)
    return launch.status();
  WorldOptions how;
  how.engine = textOf(options.engine);
  how.ranks = {options.mpi_comm, options.mpi_comm_bytes};
  how.name = options.name ? options.name : "ranks";
  if (options.timeout_ms)
    how.timeout = std::chrono::milliseconds(options.timeout_ms);
  auto world = World::join(*launch, *agreement, how);
  if (!world)
    return byRank(*launch, world.status());
  auto made = std::make_unique<mpc_ranks>();
  made->world = std::move(*world);
  Result<uint32_t> threads = shareProcessors(made->group());
  if (!threads)
    return threads.status();
  made->threads = *threads;
  *ranks = made.release();
  return {};
}

static mpc_code join(const mpc_ranks_options *given, mpc_ranks **ranks,
                     mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!ranks)
      return nullArgument("a place for the group");
    *ranks = nullptr;
    mpc_ranks_options options;
    if (Status read = readStruct(given, options); !read.ok())
      return read;
    return joinGroup(options, ranks);
  });
}

//===-- What is told of them ----------------------------------------------===//

static mpc_ranks_info describe(const Launch &launch) {
  mpc_ranks_info info = {};
  info.rank = launch.rank;
  info.size = launch.size;
  info.local_rank = launch.localRank;
  info.local_size = launch.localSize;
  info.launcher = static_cast<mpc_launcher>(launch.launcher);
  info.launcher_name = getName(launch.launcher).data(); // literals
  return info;
}

static const char *wordOfEngine(const std::string &engine) {
  return engine == "mpi" ? "mpi" : engine == "gloo" ? "gloo" : "";
}

static mpc_code info(const mpc_ranks *ranks, mpc_ranks_info *info) {
  if (!ranks || !info)
    return MPC_INVALID_ARGUMENT;
  mpc_ranks_info value = describe(ranks->world->launch());
  value.engine = wordOfEngine(ranks->world->engine());
  value.threads = ranks->threads;
  return writeStruct(info, value);
}

static mpc_code readEnvironment(mpc_ranks_info *info, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!info)
      return nullArgument("a place for what launched this process");
    Result<Launch> launch = ranks::readLaunch();
    if (!launch)
      return launch.status();
    mpc_ranks_info value = describe(*launch);
    value.engine = launch->size > 1 ? wordOfEngine(launch->engine()) : "";
    value.threads = std::max(1u, ownProcessors().count() / launch->localSize);
    if (writeStruct(info, value) != MPC_OK)
      return {
          StatusCode::InvalidArgument,
          "expected struct_size of mpc_ranks_info to be its size, but got " +
              std::to_string(info->struct_size)};
    return {};
  });
}

static_assert(int(Launcher::None) == MPC_LAUNCHER_NONE &&
              int(Launcher::Torchrun) == MPC_LAUNCHER_TORCHRUN &&
              int(Launcher::OpenMpi) == MPC_LAUNCHER_OPEN_MPI &&
              int(Launcher::Slurm) == MPC_LAUNCHER_SLURM &&
              int(Launcher::Pmi) == MPC_LAUNCHER_PMI &&
              int(Launcher::Application) == MPC_LAUNCHER_APPLICATION &&
              int(Launcher::Local) == MPC_LAUNCHER_LOCAL);

void capi::addJoin(mpc_ranks_api &api) {
  api.read_launch = readEnvironment;
  api.join = join;
  api.info = info;
}
