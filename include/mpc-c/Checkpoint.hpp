// Checkpoints for the C++ interface: session_save and session_load with a map.
// Session of mpc-c/Runtime.hpp has them as members; these take the C handle.
#ifndef MPC_C_CHECKPOINT_HPP
#define MPC_C_CHECKPOINT_HPP

#include "mpc-c/Program.hpp"

#include <map>
#include <string>
#include <vector>

namespace mpc::rt {

/// What a checkpoint says beside its states.
using Metadata = std::map<std::string, std::string>;

/// Writes a checkpoint, with words of the application; see session_save.
/// `descriptor`: see mpc_save_options.
inline Status saveCheckpoint(const mpc_session *session,
                             const std::string &path, const Metadata &metadata,
                             int descriptor = 0) {
  std::vector<mpc_key_value> list;
  for (const auto &[key, value] : metadata)
    list.push_back({key.c_str(), value.c_str()});
  MPC_STRUCT(mpc_save_options, options);
  options.metadata = list.data();
  options.num_metadata = static_cast<uint32_t>(list.size());
  options.descriptor = descriptor;
  return detail::call(detail::api().session_save, session, path.c_str(),
                      &options);
}

/// Reads one, and gives its metadata; see session_load.
inline Expected<Metadata> loadCheckpoint(mpc_session *session,
                                         const std::string &path,
                                         bool parametersOnly = false) {
  Metadata metadata;
  MPC_STRUCT(mpc_restore_options, options);
  options.parameters_only = parametersOnly;
  options.metadata_context = &metadata;
  options.metadata = [](void *map, const char *key, const char *value) {
    static_cast<Metadata *>(map)->emplace(key, value);
  };
  Status status =
      detail::call(detail::api().session_load, session, path.c_str(), &options);
  if (!status)
    return status;
  return metadata;
}

} // namespace mpc::rt

#endif // MPC_C_CHECKPOINT_HPP
