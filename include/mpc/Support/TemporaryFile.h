// The new content of a file, written beside it and then put in its place: at
// any time, also after a crash or on a full disk, the file is the old one or
// the new one. Of a symbolic link it is the file behind it, the link stays;
// links that loop are not written.
//
//   TemporaryFile file(path);
//   if (!file.opened() || !file.write(bytes) || !file.publish())
//     return failure(std::strerror(errno));
//
// The name beside it cannot be guessed, and the file is new (O_EXCL), so nobody
// can lay a link there. A process that is killed leaves it behind; the next one
// that writes the same path removes it. It knows a left-over from the file of a
// writer at work by the lock (flock) that a writer holds.
#ifndef MPC_SUPPORT_TEMPORARYFILE_H
#define MPC_SUPPORT_TEMPORARYFILE_H

#include <cstddef>
#include <span>
#include <string>

namespace mpc {

class TemporaryFile {
public:
  /// Removes left-overs of `target`, and makes a file beside it with its
  /// permissions, or those of a new file.
  explicit TemporaryFile(const std::string &target);
  /// Removes the file unless it was published.
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  // Where one of these is false, errno tells why.
  bool opened() const { return descriptor >= 0; }
  bool write(std::span<const std::byte> bytes);
  /// Hands everything to the disk: what may fail for want of room has been
  /// done.
  bool flush();
  /// Flushes, and puts the file in the target's place.
  bool publish();

private:
  bool create();

  std::string target, path;
  int descriptor = -1;
};

/// Makes what was made, renamed or removed in a folder survive a power cut;
/// not all file systems can.
void flushFolder(const std::string &folder);

} // namespace mpc

#endif // MPC_SUPPORT_TEMPORARYFILE_H
