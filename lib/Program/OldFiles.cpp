// What files of older versions say otherwise.
#include "Verifier.h"

using namespace mpc;
using namespace mpc::program;

namespace {

struct Meaning {
  Role role;
  std::string_view owner; ///< "": `of` says it.
};

} // namespace

/// What the name of a state said before version 3.
static Meaning readName(const State &state) {
  std::string_view name = state.name()->string_view();
  size_t dot = name.rfind('.');
  std::string_view front = name.substr(0, dot == name.npos ? 0 : dot);
  std::string_view last = name.substr(dot == name.npos ? 0 : dot + 1);
  constexpr std::string_view scaler = "scaler.";
  switch (state.role()) {
  case Role::Scaler: // "scaler.scale", "scaler.<loss>.scale"
    return {state.type() == ElementType::F32 ? Role::LossScale : Role::Scaler,
            front.starts_with(scaler) ? front.substr(scaler.size()) : ""};
  case Role::Counter: // "step", "<group>.step"
    if (last == "step")
      return {Role::StepCounter, front};
    break;
  case Role::Hyperparameter: // "optimizer.lr", "<group>.lr"
    if (last == "lr")
      return {Role::LearningRate, front == "optimizer" ? "" : front};
    break;
  default:
    break;
  }
  return {state.role(), ""};
}

/// Only for a role that is not Parameter, which may be left out.
static uint8_t *findRole(State &state) {
  auto &table = reinterpret_cast<flatbuffers::Table &>(state);
  return table.GetAddressOf(State::VT_ROLE);
}

std::vector<std::string> program::upgradeStates(Program &program) {
  std::vector<std::string> owners;
  // All are found before one is changed, which may be part of the way to the
  // next.
  std::vector<std::pair<uint8_t *, Role>> roles;
  auto *states = program.mutable_states();
  for (uint32_t i = 0; states && i < states->size(); ++i) {
    State &state = *states->GetMutableObject(i);
    Meaning meaning = readName(state);
    if (meaning.role != state.role())
      roles.emplace_back(findRole(state), meaning.role);
    // Longer names are no compiler's, and many may lie in one another.
    constexpr size_t longest = 1024;
    owners.emplace_back(meaning.owner.size() <= longest ? meaning.owner : "");
  }
  for (auto [place, role] : roles)
    *place = static_cast<uint8_t>(role);
  return owners;
}
