// Processes of this machine. Private to this room.
#ifndef MPC_LIB_RANKS_LOCAL_PROCESS_H
#define MPC_LIB_RANKS_LOCAL_PROCESS_H

#include "mpc/Support/Status.h"

#include <sys/types.h>
#include <utility>
#include <vector>

namespace mpc::ranks {

/// A file descriptor, which it closes.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept;
  ~Descriptor();
  int get() const { return number; }

private:
  int number;
};

/// Of what it writes, the ends to read from.
struct Process {
  pid_t id = 0;
  Descriptor output, errors;
  Descriptor gate; ///< See release().
  Descriptor news; ///< What it writes to kNews.
};

/// A descriptor of every process that is started.
inline constexpr int kNews = 3;

/// `command` in a process group of its own, with these variables besides those
/// of this process, these descriptors, which are above kNews, and nothing to
/// read. It begins when it is released; if this process goes before, it ends
/// without having begun. It is killed when the thread that started it has gone,
/// what it has started by a Guard alone.
Result<Process>
startProcess(const std::vector<std::string> &command,
             const std::vector<std::pair<std::string, std::string>> &variables,
             const std::vector<int> &descriptors = {});
void release(Process &process);

/// A process that kills process groups when this one has gone.
class Guard {
public:
  Guard() = default;
  /// This process has seen to them.
  ~Guard();
  /// It has room for `most` groups.
  Status start(size_t most);
  void watch(pid_t group);
  /// Of one that has ended: its number may become another's.
  void forget(pid_t group);

private:
  void tell(pid_t group);

  pid_t process = 0;
  Descriptor groupsPipe;
};

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_LOCAL_PROCESS_H
