// Prints what ranks write. A reader that waits (`| less`, a stopped one) and a
// terminal that is held (Ctrl-S) hold up neither the ranks nor who looks after
// them.
#ifndef MPC_TOOLS_MPC_RUN_RANKS_PATIENTPRINTER_H
#define MPC_TOOLS_MPC_RUN_RANKS_PATIENTPRINTER_H

#include "mpc/Support/PatientWriter.h"

#include <atomic>

namespace mpc::run {

class PatientPrinter {
public:
  /// Once `isHurried` is set, nobody is waited for much longer.
  explicit PatientPrinter(const std::atomic<bool> &isHurried);
  /// Waits until all is printed. Hurried, kHurry at most: the rest is lost.
  ~PatientPrinter() { finish(); }

  /// Whole lines. Those for one file are printed in the order in which they are
  /// given, also where standard output and standard error are that file.
  void give(bool isError, std::string lines);
  /// Whether so little waits to be printed that more may be given.
  bool hasRoom() const;
  /// Waits as the destructor does, and tells whether standard output could be
  /// written; true where it has not been waited for.
  bool finish();

private:
  const std::atomic<bool> &isHurried;
  std::shared_ptr<PatientWriter> output, errors; ///< One, if they are one file.
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_RANKS_PATIENTPRINTER_H
