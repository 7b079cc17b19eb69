// Messages between the ranks of a run, by an engine that exists: what groups
// are built on.
//
//   Result<std::unique_ptr<Transport>> transport =
//       Transport::open("gloo", "world", launch, store.get(), deadline);
//
// An engine is a plug-in beside the library, libmpcrt_<engine>.so, or where
// MPC_RANKS_PLUGINS, a folder, has it. Engines:
//
//   gloo   TCP, by libgloo. Among machines, ranks listen at what the machine's
//          name stands for, or at the interface that MPC_RANKS_INTERFACE names.
//   mpi    MPI, of ranks that its launcher has started (Launch::hasMpi), or of
//          an application that has called MPI_Init_thread for
//          MPI_THREAD_MULTIPLE, whose ranks may be those of its communicator.
//          MPI connects the ranks, without a store. After
//          the first failure of any transport the process makes no call of MPI
//          any more, and none to end it.
#ifndef MPC_RANKS_TRANSPORT_H
#define MPC_RANKS_TRANSPORT_H

#include "mpc/Ranks/Store.h"

#include <span>

namespace mpc::ranks {

/// What a rank sends to `peer`, or has room for from it.
struct Outgoing {
  uint32_t peer;
  std::span<const std::byte> data;
};
struct Incoming {
  uint32_t peer;
  std::span<std::byte> data;
};

/// An MPI_Comm of the application, whose type this library does not know: where
/// the handle lies, and its bytes. Null: what was launched.
struct ForeignRanks {
  const void *handle = nullptr;
  uint64_t bytes = 0;
};

class Transport {
public:
  /// InvalidArgument: there is no engine of that name.
  static Status checkEngine(const std::string &engine);
  /// Which rank this process is of an application's own, who is on this machine
  /// left open. All ranks of it need not call it.
  static Result<Launch> place(const ForeignRanks &ranks);
  /// Of a single rank: it exchanges nothing.
  static std::unique_ptr<Transport> ofOne();
  /// Whether ranks meet by a store before they are connected.
  static Result<bool> needsStore(const std::string &engine);
  /// Connects all ranks of `launch`, which all call it with the same `name`:
  /// several transports of a run have names of their own. DeviceUnsupported:
  /// there is no such engine here. `store` may be null if it needs none.
  /// `findLoss`, by any thread and often, says whether a rank is lost, which
  /// ends it at once.
  static Result<std::unique_ptr<Transport>>
  open(const std::string &engine, const std::string &name, const Launch &launch,
       Store *store, Clock::time_point deadline, const ForeignRanks &ranks = {},
       const std::function<Status()> &findLoss = {});
  /// Peers that still wait for this rank are told an error: only when all are
  /// done, or when all is lost.
  virtual ~Transport() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;
  /// Sends and receives at most one message to and from each peer, of as many
  /// bytes as the peer expects and sends; nothing is sent where that is none.
  /// One thread at a time. When it returns no buffer is used any more. A
  /// message of another `kind` than the peer's, a hash, is not taken for its
  /// own: both time out (with MPI, as far as a tag has bits for it).
  /// CollectiveTimedOut; CollectiveFailed, whereupon all later ones fail, too.
  virtual Status exchange(std::span<const Outgoing> sends,
                          std::span<const Incoming> receives, uint64_t kind,
                          Clock::time_point deadline) = 0;
  /// Any thread: the exchange under way and all later ones fail.
  virtual void abort() = 0;
};

} // namespace mpc::ranks

#endif // MPC_RANKS_TRANSPORT_H
