// How the records of a program are called: by compiler, in messages of the
// runtime, and where their times are told.
//
// Neither LLVM nor FlatBuffers: both wings include this.
#ifndef MPC_PROGRAM_RECORDNAME_H
#define MPC_PROGRAM_RECORDNAME_H

#include <string>
#include <string_view>

namespace mpc::program {

/// Which part of a step a record is.
constexpr std::string_view kForwardPhase = "forward";
constexpr std::string_view kBackwardPhase = "backward";
/// Or of a parameter: "update of 'w'".
constexpr std::string_view kUpdatePhase = "update";

/// "matmul 64x784x10 (backward) at m.mlir:7": what is done, in which part of
/// the step, and the line of the model that asks for it. The last two may be
/// missing.
struct RecordName {
  std::string_view what, phase, place;

  std::string text() const {
    std::string text(what);
    if (!phase.empty())
      text.append(" (").append(phase).append(")");
    if (!place.empty())
      text.append(" at ").append(place);
    return text;
  }
  static RecordName parse(std::string_view text) {
    constexpr std::string_view mark = " at ";
    RecordName name{text, "", ""};
    if (size_t at = text.rfind(mark); at != std::string_view::npos) {
      name.what = text.substr(0, at);
      name.place = text.substr(at + mark.size());
    }
    for (std::string_view known :
         {kForwardPhase, kBackwardPhase, kUpdatePhase}) {
      size_t open = name.what.rfind(" (" + std::string(known));
      if (open == std::string_view::npos || name.what.back() != ')')
        continue;
      std::string_view phase =
          name.what.substr(open + 2, name.what.size() - open - 3);
      if (phase != known &&
          phase.substr(0, known.size() + 5) != std::string(known) + " of '")
        continue;
      name.phase = phase;
      name.what = name.what.substr(0, open);
      break;
    }
    return name;
  }
};

} // namespace mpc::program

#endif // MPC_PROGRAM_RECORDNAME_H
