// Groups of ranks, over the C interface of libmpcranks (mpc-c/Ranks.h), which
// says who calls what when. C++17, header only.
//
//   mpc::rt::RanksOptions how;
//   how.program = "line.mpcx"; // the same file on all
//   auto ranks = mpc::rt::Ranks::join(how);
//   if (!ranks)
//     return complain(ranks.message());
//   mpc::rt::SessionOptions options;
//   options.ranks = ranks->group();
//   options.threads = ranks->info().threads;
//   auto session = mpc::rt::Session::create(program, options);
//   ...
//   ranks->compareStates(program, *session);
//   session->run("step", ...);
//   auto loss = ranks->average(*session->stepReport()->loss);
//   ranks->leave();
#ifndef MPC_C_RANKS_HPP
#define MPC_C_RANKS_HPP

#include "mpc-c/Ranks.h"
#include "mpc-c/Runtime.hpp"

#include <memory>
#include <string>
#include <vector>

namespace mpc::rt {

namespace detail {
inline const mpc_ranks_api &ranksApi() {
  static const mpc_ranks_api *table = mpc_get_ranks_api(MPC_RANKS_API_VERSION);
  return *table;
}
/// The type of elements T, as `holds` knows them; 16 bits are no numbers yet.
template <typename T> constexpr mpc_type typeOf() {
  static_assert(holds<T>(MPC_F64) || holds<T>(MPC_F32) || holds<T>(MPC_I64) ||
                    holds<T>(MPC_I32),
                "expected double, float, int64_t or int32_t; others have an "
                "mpc_collective");
  return holds<T>(MPC_F64)   ? MPC_F64
         : holds<T>(MPC_F32) ? MPC_F32
         : holds<T>(MPC_I64) ? MPC_I64
                             : MPC_I32;
}
} // namespace detail

/// See mpc_ranks_options. All defaults: as the environment says.
struct RanksOptions {
  std::string program;        ///< a file that must be the same on all; "": none
  std::string settings;       ///< words that must be, too
  std::string engine;         ///< "gloo", "mpi"; "": by what launched them
  std::string name = "ranks"; ///< of several groups of this process
  uint32_t timeoutMilliseconds = 0; ///< 0: 30 seconds
  const mpc_ranks_place *place = nullptr;
  const void *mpiComm = nullptr; ///< where an MPI_Comm lies
  size_t mpiCommBytes = 0;       ///< sizeof it
};

/// This rank's place in a group. Move-only. Gives up at its end, unless it has
/// left.
class Ranks {
public:
  static Expected<Ranks> join(const RanksOptions &options = {}) {
    MPC_STRUCT(mpc_ranks_options, c);
    c.place = options.place;
    c.mpi_comm = options.mpiComm;
    c.mpi_comm_bytes = options.mpiCommBytes;
    c.engine = orNull(options.engine);
    c.timeout_ms = options.timeoutMilliseconds;
    c.name = orNull(options.name);
    c.program = orNull(options.program);
    c.settings = orNull(options.settings);
    mpc_ranks *made = nullptr;
    if (Status status = detail::call(detail::ranksApi().join, &c, &made);
        !status)
      return status;
    return Ranks(made);
  }
  /// What launched this process, before anything is joined.
  static Expected<mpc_ranks_info> readLaunch() {
    MPC_STRUCT(mpc_ranks_info, info);
    if (Status status = detail::call(detail::ranksApi().read_launch, &info);
        !status)
      return status;
    return info;
  }

  mpc_ranks_info info() const {
    MPC_STRUCT(mpc_ranks_info, info);
    detail::ranksApi().info(get(), &info);
    return info;
  }
  uint32_t rank() const { return sessionGroup->rank; }
  uint32_t size() const { return sessionGroup->size; }
  /// For SessionOptions::ranks; lives as long as this group, wherever that is
  /// moved to.
  const mpc_rank_group *group() const { return sessionGroup.get(); }

  /// All ranks, as all that follow but for `start` of a collective.
  Status run(const mpc_collective &collective) {
    return detail::call(detail::ranksApi().run, get(), &collective);
  }
  Expected<uint64_t> start(const mpc_collective &collective) {
    uint64_t ticket = 0;
    if (Status status =
            detail::call(detail::ranksApi().start, get(), &collective, &ticket);
        !status)
      return status;
    return ticket;
  }
  Expected<bool> isDone(uint64_t ticket) const {
    uint32_t done = 0;
    if (Status status =
            detail::call(detail::ranksApi().is_done, get(), ticket, &done);
        !status)
      return status;
    return done != 0;
  }
  Status finish(uint64_t ticket) {
    return detail::call(detail::ranksApi().finish, get(), ticket);
  }

  /// In place.
  template <typename T>
  Status allReduce(T *values, uint64_t count, mpc_reduce reduction = MPC_SUM,
                   const char *name = nullptr) {
    mpc_collective all = describe(MPC_ALL_REDUCE, values, values, count, name);
    all.reduction = reduction;
    return run(all);
  }
  /// The mean of what all ranks have: of their losses, say.
  Expected<double> average(double value, const char *name = nullptr) {
    if (Status status = allReduce(&value, 1, MPC_AVERAGE, name); !status)
      return status;
    return value;
  }
  template <typename T>
  Status broadcast(T *values, uint64_t count, uint32_t root = 0,
                   const char *name = nullptr) {
    mpc_collective all = describe(MPC_BROADCAST, values, values, count, name);
    all.root = root;
    return run(all);
  }
  /// By rank, what each has: `count` elements.
  template <typename T>
  Expected<std::vector<T>> gather(const T *values, uint64_t count,
                                  const char *name = nullptr) {
    std::vector<T> result(count * size());
    if (Status status =
            run(describe(MPC_ALL_GATHER, values, result.data(), count, name));
        !status)
      return status;
    return result;
  }
  Status barrier(const char *name = nullptr) {
    return run(describe<float>(MPC_BARRIER, nullptr, nullptr, 0, name));
  }

  /// Whether all have the same bytes, which `what` is known by.
  Status compare(const char *what, const void *data, uint64_t bytes) {
    return detail::call(detail::ranksApi().compare, get(), what, data, bytes);
  }
  /// MPC_CHECKSUM_MISMATCH: who has others than the rest.
  Status compareStates(const Program &program, const Session &session) {
    return detail::call(detail::ranksApi().compare_states, get(), &api(),
                        program.get(), session.get());
  }
  Status sendStates(const Program &program, Session &session,
                    uint32_t root = 0) {
    return detail::call(detail::ranksApi().send_states, get(), &api(),
                        program.get(), session.get(), root);
  }
  /// For mpc_nccl.
  Expected<std::vector<unsigned char>>
  ncclUniqueId(const char *plugin = nullptr) {
    std::vector<unsigned char> id(MPC_NCCL_ID_BYTES);
    if (Status status =
            detail::call(detail::ranksApi().nccl_unique_id, get(), &api(),
                         plugin, static_cast<void *>(id.data()));
        !status)
      return status;
    return id;
  }

  /// What the group has failed with; success if it has not.
  Status failure() const {
    return detail::call(detail::ranksApi().failure, get());
  }
  /// No collective.
  Status giveUp(const std::string &reason) {
    return detail::call(detail::ranksApi().give_up, get(), reason.c_str());
  }
  Status leave() { return detail::call(detail::ranksApi().leave, get()); }
  mpc_ranks *get() const { return handle.get(); }

private:
  struct Release {
    void operator()(mpc_ranks *ranks) const {
      detail::ranksApi().release(ranks);
    }
  };
  explicit Ranks(mpc_ranks *made)
      : handle(made), sessionGroup(std::make_unique<mpc_rank_group>()) {
    sessionGroup->struct_size = sizeof *sessionGroup;
    detail::ranksApi().session_group(made, sessionGroup.get());
  }
  static const char *orNull(const std::string &text) {
    return text.empty() ? nullptr : text.c_str();
  }
  template <typename T>
  static mpc_collective describe(mpc_collective_kind kind, const T *source,
                                 T *result, uint64_t count, const char *name) {
    MPC_STRUCT(mpc_collective, c);
    c.kind = kind;
    c.type = detail::typeOf<T>();
    c.count = count;
    c.source = source;
    c.result = result;
    c.name = name;
    return c;
  }

  std::unique_ptr<mpc_ranks, Release> handle;
  std::unique_ptr<mpc_rank_group> sessionGroup;
};

} // namespace mpc::rt

#endif // MPC_C_RANKS_HPP
