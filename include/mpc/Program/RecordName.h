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

  /// A quote in the name of a parameter becomes \', so that the name ends where
  /// it is read to end, whatever files are called.
  std::string text() const {
    std::string text(what);
    if (!phase.empty())
      text.append(" (").append(escapeName(phase)).append(")");
    if (!place.empty())
      text.append(" at ").append(place);
    return text;
  }
  /// Of any text. `what` has neither a phase nor " at " in it; names of tensors
  /// and of files may have both. The phase is as it is written there.
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
  static constexpr std::string_view kBeforeName = " of '";

  /// "update of 'w'" with \' and \\ for quotes and backslashes of the name.
  static std::string escapeName(std::string_view phase) {
    size_t begin = phase.find(kBeforeName);
    if (begin == std::string_view::npos || !phase.ends_with('\''))
      return std::string(phase);
    begin += kBeforeName.size();
    std::string text(phase.substr(0, begin));
    for (char c : phase.substr(begin, phase.size() - 1 - begin)) {
      if (c == '\'' || c == '\\')
        text += '\\';
      text += c;
    }
    return text + "'";
  }

  /// Of a text that begins with " (backward)" or the like; or nothing.
  static std::string_view getPhase(std::string_view text) {
    for (std::string_view known :
         {kForwardPhase, kBackwardPhase, kUpdatePhase}) {
      if (!text.starts_with(" (" + std::string(known)))
        continue;
      size_t end = known.size() + 2;
      if (text.substr(end).starts_with(kBeforeName)) {
        end += kBeforeName.size();
        while (end < text.size() && text[end] != '\'')
          end += text[end] == '\\' ? 2 : 1;
        ++end;
      }
      if (end < text.size() && text[end] == ')')
        return text.substr(2, end - 2);
    }
    return "";
  }
};

} // namespace mpc::program

#endif // MPC_PROGRAM_RECORDNAME_H
