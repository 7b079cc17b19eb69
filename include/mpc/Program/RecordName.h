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
  /// Of any text. `what` has neither a phase nor " at " in it; names of tensors
  /// and of files may have both.
  static RecordName parse(std::string_view text) {
    for (size_t space = text.find(' '); space != std::string_view::npos;
         space = text.find(' ', space + 1)) {
      RecordName name{text.substr(0, space), "", ""};
      std::string_view rest = text.substr(space);
      name.phase = getPhase(rest);
      if (!name.phase.empty())
        rest = rest.substr(name.phase.size() + 3); // " (" and ")"
      constexpr std::string_view mark = " at ";
      if (rest.starts_with(mark))
        name.place = rest.substr(mark.size());
      if (rest.empty() || rest.starts_with(mark))
        return name;
    }
    return {text, "", ""};
  }

private:
  /// Of a text that begins with " (backward)" or the like; or nothing. A name
  /// ends where a place begins or the text ends.
  static std::string_view getPhase(std::string_view text) {
    for (std::string_view known :
         {kForwardPhase, kBackwardPhase, kUpdatePhase}) {
      if (!text.starts_with(" (" + std::string(known)))
        continue;
      size_t end = known.size() + 2;
      if (constexpr std::string_view name = " of '";
          text.substr(end).starts_with(name)) {
        size_t close =
            text.ends_with("')") ? text.size() - 2 : text.rfind("') at ");
        if (close == std::string_view::npos || close < end + name.size())
          continue;
        end = close + 1;
      }
      if (text.substr(end).starts_with(')'))
        return text.substr(2, end - 2);
    }
    return "";
  }
};

} // namespace mpc::program

#endif // MPC_PROGRAM_RECORDNAME_H
