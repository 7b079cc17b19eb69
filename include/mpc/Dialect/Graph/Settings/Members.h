// Fields of settings by pointers to members, for the rows of the table.
#ifndef MPC_DIALECT_GRAPH_SETTINGS_MEMBERS_H
#define MPC_DIALECT_GRAPH_SETTINGS_MEMBERS_H

#include "mpc/Dialect/Graph/Settings/SettingsTable.h"

namespace mpc::graph::rows {

/// Which part of the settings a struct is, and where it is.
template <Part which, auto where> struct PartIs {
  static constexpr Part part = which;
  static constexpr auto in = where;
};
template <typename Struct> struct PartOf;
template <>
struct PartOf<Numerics> : PartIs<Part::Numerics, &TrainingSettings::numerics> {
};
template <>
struct PartOf<LossScale>
    : PartIs<Part::LossScale, &TrainingSettings::lossScale> {};
template <>
struct PartOf<OptimizerChoice>
    : PartIs<Part::OptimizerChoice, &TrainingSettings::optimizer> {};
template <>
struct PartOf<Hyperparameters>
    : PartIs<Part::Hyperparameters, &TrainingSettings::hyperparameters> {};
template <>
struct PartOf<Clip> : PartIs<Part::Clip, &TrainingSettings::clip> {};
template <>
struct PartOf<Schedule> : PartIs<Part::Schedule, &TrainingSettings::schedule> {
};
template <>
struct PartOf<StepParts> : PartIs<Part::StepParts, &TrainingSettings::step> {};
template <>
struct PartOf<StepOutputs>
    : PartIs<Part::StepOutputs, &TrainingSettings::outputs> {};

template <typename Struct, typename Value> Struct structOf(Value Struct::*);

template <auto member> FieldRef refer(TrainingSettings &settings) {
  using Struct = decltype(structOf(member));
  auto &value = settings.*PartOf<Struct>::in.*member;
  if constexpr (std::is_enum_v<std::remove_reference_t<decltype(value)>>)
    return WordRef(value);
  else
    return &value;
}

/// The field `member`, by the name that the attribute of its part has for it.
template <auto member> constexpr Field in(StringRef parameter) {
  using Struct = decltype(structOf(member));
  return {PartOf<Struct>::part, parameter, refer<member>};
}

} // namespace mpc::graph::rows

#endif // MPC_DIALECT_GRAPH_SETTINGS_MEMBERS_H
