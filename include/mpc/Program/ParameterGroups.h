// Which parameters the groups of a program take: told by its settings, kept in
// the metadata of its checkpoints. States belong to groups by the groups' names
// alone, so with other patterns a rate and a count would be those of others.
//
// Neither LLVM nor FlatBuffers: both wings and the training loop include this.
#ifndef MPC_PROGRAM_PARAMETERGROUPS_H
#define MPC_PROGRAM_PARAMETERGROUPS_H

#include "mpc/Support/Printable.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace mpc::program {

/// The setting with the pattern of a group's parameters, after the group's name
/// and a dot.
constexpr std::string_view kPatternSetting = "pattern";

/// The metadata in which a checkpoint says which parameters its groups take:
/// "<group>=<pattern>" of each, one a line. Files of before have none.
constexpr const char *kGroupsKey = "parameter_groups";

/// Adds the line of the setting `key` to `groups`, which is what stands at
/// kGroupsKey; nothing, if it is not the pattern of a group.
inline void addGroup(std::string &groups, std::string_view key,
                     std::string_view value) {
  size_t suffix = kPatternSetting.size() + 1;
  if (key.size() < suffix || !key.ends_with(kPatternSetting) ||
      key[key.size() - suffix] != '.')
    return;
  if (!groups.empty())
    groups += '\n';
  groups.append(key.substr(0, key.size() - suffix)).append("=").append(value);
}

/// Whether a program with the groups `own`, which may be none, may take the
/// states of a checkpoint that says `said`.
inline bool takesGroups(std::string_view own, std::string_view said) {
  return own.empty() || own == said;
}

/// What is wrong where they may not, with the checkpoint at `path`.
inline std::string describeOtherGroups(std::string_view path,
                                       std::string_view own,
                                       std::string_view said) {
  auto line = [](std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return printable(text);
  };
  return "'" + std::string(path) +
         "': its parameter groups have other patterns than those of the "
         "program: expected " +
         line(std::string(own)) + ", but got " + line(std::string(said));
}

} // namespace mpc::program

#endif // MPC_PROGRAM_PARAMETERGROUPS_H
