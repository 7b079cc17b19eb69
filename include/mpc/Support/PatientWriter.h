// Lines for whoever reads them in his own time: a pager that waits, a terminal
// that is held (Ctrl-S), a program at the other end of a pipe. A thread writes
// them, and who gives them goes on.
#ifndef MPC_SUPPORT_PATIENTWRITER_H
#define MPC_SUPPORT_PATIENTWRITER_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace mpc {

class PatientWriter {
public:
  /// So many bytes should wait at most: some hundred thousand lines.
  static constexpr uint64_t kMost = uint64_t(64) << 20;

  /// Starts the thread; std::system_error if there is none to be had.
  PatientWriter();
  /// Waits for nobody: what is left the thread writes, if the process lives.
  /// Descriptors must outlive that: see waitUntilEmpty().
  ~PatientWriter();
  PatientWriter(const PatientWriter &) = delete;
  PatientWriter &operator=(const PatientWriter &) = delete;

  /// In the order in which they are given, whatever descriptors they are for.
  void give(int descriptor, std::string lines);
  /// Bytes that are not written yet.
  uint64_t waiting() const;
  /// The error number of the first lines for `descriptor` that could not be
  /// written, and were dropped; 0 if there were none.
  int errorOf(int descriptor) const;
  /// False where `most` was not enough.
  bool waitUntilEmpty(std::chrono::milliseconds most) const;
  void waitUntilEmpty() const;

private:
  class Queue;

  std::shared_ptr<Queue> queue; ///< The thread has it, too.
};

} // namespace mpc

#endif // MPC_SUPPORT_PATIENTWRITER_H
