// One writer for a file that is replaced again and again. A lock on the file
// itself would be gone with its first replacement, so it is on a file beside
// it, "<file>.lock":
//
//   Result<WriterLock> alone = WriterLock::take(path);
//   if (!alone)
//     return alone.status(); // another process writes it
//
// The lock is of the open file (F_OFD_SETLK): it ends with its process, however
// that ends, and who asks for it takes nothing. A file that a killed process
// left is taken over by the next one, and goes with it; one of another user
// cannot be, and is an error. Where the file system or the kernel has no such
// locks, nobody is refused.
//
// A process may hold locks for others that it starts, one after the other, so
// that nobody comes between: descriptors of locks are inherited, and
// kInheritedLocks tells which. To those processes these locks are their own.
#ifndef MPC_SUPPORT_WRITERLOCK_H
#define MPC_SUPPORT_WRITERLOCK_H

#include "mpc/Support/Status.h"

namespace mpc {

/// A variable of the environment: numbers of descriptors, "7,8".
inline constexpr const char *kInheritedLocks = "MPC_WRITER_LOCKS";

class WriterLock {
public:
  /// For the file behind `target`, if that is a link; for all of `folder`, if
  /// `target` is a name in it that stands for that.
  static Result<WriterLock> take(const std::string &target,
                                 const std::string &folder = "");
  /// Fails if somebody else has that lock now. Nobody who takes it at the same
  /// time is refused for that, and no file is left.
  static Status checkFree(const std::string &target,
                          const std::string &folder = "");
  WriterLock(WriterLock &&other) noexcept
      : path(std::move(other.path)), number(std::exchange(other.number, -1)) {}
  WriterLock &operator=(WriterLock &&) = delete;
  ~WriterLock();

  /// What a process inherits that is to have the lock, too; closed by exec
  /// unless it is said otherwise. Above those of the standard streams, and of
  /// what else ranks are given.
  int descriptor() const { return number; }

private:
  WriterLock(std::string path, int number)
      : path(std::move(path)), number(number) {}

  std::string path; ///< "": whoever holds it for this process removes it.
  int number;
};

} // namespace mpc

#endif // MPC_SUPPORT_WRITERLOCK_H
