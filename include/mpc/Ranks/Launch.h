// Which rank of how many this process is, as whatever started it says. The
// first of these launchers whose variables are there wins:
//
//   torchrun    RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR,
//               MASTER_PORT
//   Open MPI    OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
//   SLURM       of a step (srun): SLURM_PROCID, SLURM_STEP_NUM_TASKS,
//               SLURM_LOCALID, SLURM_STEP_NODELIST, SLURM_STEP_TASKS_PER_NODE
//   PMI         PMI_RANK, PMI_SIZE, MPI_LOCALRANKID, MPI_LOCALNRANKS (MPICH,
//               Intel MPI)
//   none        one process
//
// Several processes of MVAPICH2, JSM, Flux, PALS or PMIx that have none of
// these are refused: each would train alone.
//
// mpc-run --ranks (LocalRun.h) starts ranks with torchrun's variables, and its
// own, which tells them apart.
// An application may say it itself, too (Application).
//
// MPI can begin (`hasMpi`) by mpirun, and in a step of SLURM that gives ranks
// its variables, PMIX_RANK or PMI_RANK (srun --mpi).
//
// A batch script of SLURM has SLURM_PROCID=0 and SLURM_NTASKS of its job though
// it is alone: only a step counts.
#ifndef MPC_RANKS_LAUNCH_H
#define MPC_RANKS_LAUNCH_H

#include "mpc/Support/Status.h"

#include <cstdint>
#include <functional>

namespace mpc::ranks {

enum class Launcher { None, Torchrun, OpenMpi, Slurm, Pmi, Application, Local };

/// "torchrun", "SLURM", "Open MPI", "PMI", "mpc-run --ranks", "the
/// application", "no launcher".
std::string_view getName(Launcher launcher);

struct Launch {
  Launcher launcher = Launcher::None;
  uint32_t rank = 0, size = 1;
  uint32_t localRank = 0;
  uint32_t localSize = 1; ///< of those on this machine; 0: nobody knows yet
  /// Whether MPI can begin in this process: the launcher has told it how.
  bool hasMpi = false;
  /// Where rank 0 can be reached; empty and 0 where the launcher does not say.
  std::string address;
  uint16_t port = 0;
  /// Tells this run from others on the same machines, restarts included.
  std::string run;

  /// "rank 1 of 4 (1 of 2 on this machine), by torchrun".
  std::string text() const;
  /// The engine that messages go by unless somebody chooses (Transport.h):
  /// "mpi" where MPI can begin, else "gloo".
  std::string engine() const { return hasMpi ? "mpi" : "gloo"; }
};

/// As people write it: "MPI", "Gloo".
inline std::string nameEngine(const std::string &engine) {
  return engine == "mpi" ? "MPI" : "Gloo";
}

/// InvalidArgument: what an application says contradicts itself.
Status check(const Launch &launch);

/// Of ranks of LocalRun: the descriptor of a pipe to their launcher.
inline constexpr char kLauncherVariable[] = "MPC_RANKS_LAUNCHER";

/// Tells LocalRun, where that has started this process, that `rank` was lost
/// before anything went wrong here: what fails now is its fault.
void tellLauncher(uint32_t rank);

/// The value of a variable of the environment, or nothing.
using Variables =
    std::function<std::optional<std::string>(const std::string &name)>;

/// Fails with InvalidArgument where a launcher's variables contradict each
/// other, or some are missing: never one process where several were meant.
Result<Launch> readLaunch(const Variables &variables);
/// Of the environment of this process.
Result<Launch> readLaunch();

} // namespace mpc::ranks

#endif // MPC_RANKS_LAUNCH_H
