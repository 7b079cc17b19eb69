// How each product is best computed, remembered: cuBLASLt's algorithm by the
// product's description. Plans belong to one version of cuBLASLt and one model
// of GPU; they can be written out after a tuned run and read back by the next.
//
// As bytes: JSON, so that people can read what was chosen and how fast it was.
//   {"format": "mpc-cublaslt-plans", "version": 1, "cublaslt": 130100,
//    "device": "NVIDIA H200 (9.0)", "plans": [
//      {"product": "...", "algorithm": "<128 hex digits>",
//       "workspace": 33554432, "milliseconds": 0.0123}, ...]}
// "milliseconds" is there if the algorithm was chosen by timing.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_PLANCACHE_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_PLANCACHE_H

#include "mpc/Runtime/Log.h"
#include "mpc/Support/Status.h"

#include <cublasLt.h>

#include <map>
#include <optional>

namespace mpc::runtime {

struct MatmulPlan {
  cublasLtMatmulAlgo_t algorithm = {};
  uint64_t workspaceBytes = 0;
  std::optional<double> milliseconds; ///< of one call; none: a guess
};

class PlanCache {
public:
  /// `version`: cublasLtGetVersion. `device`: name and compute capability.
  PlanCache(uint64_t version, std::string device)
      : version(version), device(std::move(device)) {}

  const MatmulPlan *find(const std::string &product) const;
  void insert(const std::string &product, const MatmulPlan &plan);

  std::string write() const;
  /// Adds the plans of `text`; those that are here already stay. Plans for
  /// another version or device are left, with a line to the log. Fails with
  /// InvalidArgument, and adds none, if the text is not what `write` makes.
  Status read(std::string_view text, const Log &log);

private:
  uint64_t version;
  std::string device;
  std::map<std::string, MatmulPlan> plans;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_PLANCACHE_H
