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
#ifndef MPC_SUPPORT_WRITERLOCK_H
#define MPC_SUPPORT_WRITERLOCK_H

#include "mpc/Support/Status.h"

namespace mpc {

class WriterLock {
public:
  /// For the file behind `target`, if that is a link.
  static Result<WriterLock> take(const std::string &target);
  /// Fails if somebody has that lock now. Nobody who takes it at the same time
  /// is refused for that, and no file is left.
  static Status checkFree(const std::string &target);
  WriterLock(WriterLock &&other) noexcept
      : path(std::move(other.path)),
        descriptor(std::exchange(other.descriptor, -1)) {}
  WriterLock &operator=(WriterLock &&) = delete;
  ~WriterLock();

private:
  WriterLock(std::string path, int descriptor)
      : path(std::move(path)), descriptor(descriptor) {}

  std::string path;
  int descriptor;
};

} // namespace mpc

#endif // MPC_SUPPORT_WRITERLOCK_H
