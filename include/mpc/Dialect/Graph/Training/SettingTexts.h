// Settings as texts: what options of tools and passes give, by the names of the
// table of settings.
#ifndef MPC_DIALECT_GRAPH_TRAINING_SETTINGTEXTS_H
#define MPC_DIALECT_GRAPH_TRAINING_SETTINGTEXTS_H

#include "mpc/Interfaces/LLVM.h"
#include <map>
#include <optional>
#include <string>

namespace mpc::graph {

/// Texts of settings by name. Empty texts are as good as absent.
using SettingTexts = std::map<std::string, std::string, std::less<>>;

/// The text of `name`, or nothing where it is not given.
inline std::optional<StringRef> findText(const SettingTexts &texts,
                                         StringRef name) {
  auto text = texts.find(name);
  if (text == texts.end() || text->second.empty())
    return std::nullopt;
  return StringRef(text->second);
}

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRAINING_SETTINGTEXTS_H
