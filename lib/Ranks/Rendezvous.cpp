#include "Rendezvous.h"
#include "mpc/Support/Number.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ifaddrs.h>
#include <random>
#include <unistd.h>

using namespace mpc;
using namespace mpc::ranks;

std::string ranks::ownHost(const Launch &launch) {
  if (launch.localSize == launch.size)
    return "127.0.0.1";
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, HOST_NAME_MAX) == 0 ? name : "localhost";
}

/// The address of an interface; "" if it has none.
static std::string addressOf(const std::string &interface) {
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0)
    return "";
  char text[INET_ADDRSTRLEN] = {};
  for (const ifaddrs *each = all; each && !*text; each = each->ifa_next)
    if (each->ifa_addr && each->ifa_addr->sa_family == AF_INET &&
        interface == each->ifa_name)
      inet_ntop(
          AF_INET,
          &reinterpret_cast<const sockaddr_in *>(each->ifa_addr)->sin_addr,
          text, sizeof text);
  freeifaddrs(all);
  return text;
}

//===-- Neighbours --------------------------------------------------------===//

/// Text of a small file of the system, or of a link.
static std::string readSystem(const char *path) {
  std::string text(64, 0);
  if (ssize_t length = readlink(path, text.data(), text.size()); length > 0)
    return text.substr(0, static_cast<size_t>(length));
  std::ifstream file(path);
  std::getline(file, text);
  return text;
}

std::string ranks::nameMachine() {
  char name[HOST_NAME_MAX + 1] = {};
  (void)gethostname(name, HOST_NAME_MAX);
  return std::string(name) + " " +
         readSystem("/proc/sys/kernel/random/boot_id") + " " +
         readSystem("/proc/self/ns/net");
}

namespace {
using Machine = std::array<char, 256>;
} // namespace

static Status exchangeMachines(std::vector<Machine> &machines,
                               Transport &transport,
                               Clock::time_point deadline) {
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  uint32_t own = transport.rank();
  for (uint32_t peer = 0; peer < machines.size(); ++peer)
    if (peer != own) {
      sends.push_back({peer, std::as_bytes(std::span(machines[own]))});
      receives.push_back(
          {peer, std::as_writable_bytes(std::span(machines[peer]))});
    }
  return transport.exchange(sends, receives, /*kind=*/0, deadline);
}

static Status storeMachines(std::vector<Machine> &machines, uint32_t own,
                            Store &store, Clock::time_point deadline,
                            const std::function<Status()> &findLoss) {
  auto nameOf = [](uint32_t rank) { return "machine/" + std::to_string(rank); };
  Status status = store.set(nameOf(own), machines[own].data(), deadline);
  for (uint32_t rank = 0; rank < machines.size() && status.ok(); ++rank) {
    Result<std::string> machine = store.get(nameOf(rank), deadline, findLoss);
    if (!machine)
      status = machine.status();
    else if (machine->size() < machines[rank].size())
      std::ranges::copy(*machine, machines[rank].begin());
  }
  return status;
}

Status ranks::findNeighbours(Launch &launch, Transport *transport, Store *store,
                             Clock::time_point deadline,
                             const std::function<Status()> &findLoss) {
  if (launch.localSize)
    return {};
  std::vector<Machine> machines(launch.size);
  std::string name = nameMachine().substr(0, sizeof(Machine) - 1);
  std::ranges::copy(name, machines[launch.rank].begin());
  Status status = transport ? exchangeMachines(machines, *transport, deadline)
                            : storeMachines(machines, launch.rank, *store,
                                            deadline, findLoss);
  if (!status.ok())
    return {status.code(), "which ranks share a machine: " + status.message()};
  launch.localRank = 0;
  for (uint32_t rank = 0; rank < launch.size; ++rank)
    if (machines[rank] == machines[launch.rank]) {
      launch.localRank += rank < launch.rank;
      ++launch.localSize;
    }
  return {};
}

//===-- The store ---------------------------------------------------------===//

namespace {
/// An address, a port and a run, as lines.
using Note = std::array<char, 1024>;
} // namespace

static Result<Note> writeNote(const Launch &launch) {
  std::string address = launch.address, run = launch.run;
  std::random_device random;
  uint32_t port = launch.port;
  if (const char *interface = std::getenv("MPC_RANKS_INTERFACE");
      address.empty() && interface && *interface) {
    address = addressOf(interface);
    if (address.empty())
      return Status(StatusCode::InvalidArgument,
                    "expected MPC_RANKS_INTERFACE to name an interface with "
                    "an address of IPv4, but '" +
                        std::string(interface) + "' has none");
  }
  if (address.empty())
    address = ownHost(launch);
  if (port == 0) // Out of those that nobody gives out.
    port = 15000 + random() % 10000;
  // Groups of an application's communicators have no other names.
  run += "/" + std::to_string(random()) + std::to_string(random());
  std::string text = address + "\n" + std::to_string(port) + "\n" + run;
  Note note = {};
  if (text.size() >= note.size())
    return Status(StatusCode::InvalidArgument,
                  "the address and the name of this run are too long");
  std::ranges::copy(text, note.begin());
  return note;
}

static bool readNote(const Note &note, Launch &launch) {
  std::string_view text(note.data(), strnlen(note.data(), note.size()));
  size_t first = text.find('\n'), second = text.find('\n', first + 1);
  if (first == text.npos || second == text.npos ||
      !parseNumber(text.substr(first + 1, second - first - 1), launch.port))
    return false;
  launch.address = text.substr(0, first);
  launch.run = text.substr(second + 1);
  return true;
}

Status ranks::shareStore(Launch &launch, Transport &transport,
                         Clock::time_point deadline) {
  Note note = {};
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  if (launch.rank == 0) {
    Result<Note> written = writeNote(launch);
    if (!written)
      return written.status();
    note = *written;
    for (uint32_t peer = 1; peer < launch.size; ++peer)
      sends.push_back({peer, std::as_bytes(std::span(note))});
  } else {
    receives.push_back({0, std::as_writable_bytes(std::span(note))});
  }
  if (Status status = transport.exchange(sends, receives, /*kind=*/0, deadline);
      !status.ok())
    return {status.code(), "where rank 0 can be reached: " + status.message()};
  if (!readNote(note, launch))
    return {StatusCode::CollectiveFailed,
            "rank 0 does not say where it can be reached"};
  return {};
}
