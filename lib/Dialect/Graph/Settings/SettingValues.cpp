// Values of settings by their kind: from text, to text, compared and hashed.
#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "mpc/Dialect/Graph/Settings/SettingsTable.h"
#include "mpc/Support/Assert.h"
#include "mpc/Support/Number.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <charconv>
#include <cmath>

using namespace mpc;
using namespace mpc::graph;

bool graph::isHeldBy(llvm::APFloat number, const llvm::fltSemantics &format) {
  bool wasZero = number.isZero(), losesInfo;
  number.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.isFinite() && (wasZero || number.isNonZero());
}

std::string graph::formatReal(Real real) {
  char buffer[32];
  auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), real.value);
  MPC_ASSERT(error == std::errc(), "a double has at most 24 characters");
  std::string text(buffer, end);
  // The MLIR lexer knows a float by its point.
  if (text.find('.') == std::string::npos)
    text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

/// The shortest of "%g" that reads back as `value`.
static std::string shortest(double value) {
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
    double back = 0;
    if (llvm::to_float(text, back) && back == value)
      break;
  }
  return text;
}

//===-- Ranges ------------------------------------------------------------===//

/// Arithmetic on numbers of such a range is f32: none may be infinite there,
/// nor 0 under another name.
static bool isOfF32(const RealRange &range) {
  return range.highest == std::numeric_limits<float>::max();
}

bool RealRange::contains(Real real) const {
  double value = real.value;
  constexpr double least = std::numeric_limits<float>::denorm_min();
  // Half of the least number, and what is below, is rounded to 0.
  if (isOfF32(*this) && value != 0 && std::abs(value) <= least / 2)
    return false;
  return (withLowest ? lowest <= value : lowest < value) &&
         (withHighest ? value <= highest : value < highest);
}

std::string RealRange::describe(StringRef name) const {
  if (highest == std::numeric_limits<double>::infinity())
    return (name + (withLowest ? " >= " : " > ")).str() + shortest(lowest);
  if (isOfF32(*this))
    return (name + (withLowest ? " >= " : " > ")).str() + shortest(lowest) +
           " in the range of f32";
  return shortest(lowest) + (withLowest ? " <= " : " < ") + name.str() +
         (withHighest ? " <= " : " < ") + shortest(highest);
}

LogicalResult graph::verifyReal(const Setting &setting, Real value,
                                EmitError emitError) {
  if (setting.reals.contains(value))
    return success();
  return emitError() << "expected "
                     << setting.reals.describe(setting.field.label)
                     << ", but got " << formatReal(value);
}

namespace {
struct RangeCheck {
  const Setting &setting;
  EmitError emitError;

  LogicalResult operator()(const int64_t *value) const {
    const IntegerRange &range = setting.integers;
    if (range.contains(*value))
      return success();
    return emitError() << "expected " << setting.name << " from "
                       << range.lowest << " to " << range.highest
                       << ", but got " << *value;
  }
  LogicalResult operator()(const Real *value) const {
    return verifyReal(setting, *value, emitError);
  }
  LogicalResult operator()(const std::optional<Real> *value) const {
    return *value ? (*this)(&**value) : success();
  }
  // Flags, words and norms are right by their types; texts were judged when
  // they were read.
  LogicalResult operator()(WordRef) const { return success(); }
  LogicalResult operator()(const bool *) const { return success(); }
  LogicalResult operator()(const std::optional<bool> *) const {
    return success();
  }
  LogicalResult operator()(const PNorm *) const { return success(); }
  LogicalResult operator()(const Pattern *) const { return success(); }
  LogicalResult operator()(const std::string *) const { return success(); }
};
} // namespace

LogicalResult graph::verifyRange(const TrainingSettings &settings,
                                 const Setting &setting, EmitError emitError) {
  return std::visit(RangeCheck{setting, emitError},
                    read(setting.field, settings));
}

//===-- From text ---------------------------------------------------------===//

namespace {

/// Reads one text into the field of a setting.
struct TextReader {
  const Setting &setting;
  StringRef text;
  EmitError emitError;

  LogicalResult wrong(const Twine &expected) const {
    return emitError() << "expected " << expected << ", but got '" << text
                       << "'";
  }

  LogicalResult operator()(WordRef word) const {
    return word.set(text)
               ? success()
               : wrong(setting.field.label + " " + listWords(word.all()));
  }
  LogicalResult operator()(Real *number) const {
    auto parsed = parseNumber<double>(text);
    if (!parsed)
      return wrong("a finite number");
    *number = *parsed;
    return success();
  }
  LogicalResult operator()(int64_t *integer) const {
    auto parsed = parseNumber<int64_t>(text);
    if (!parsed)
      return wrong("an integer");
    *integer = *parsed;
    return success();
  }
  LogicalResult operator()(bool *flag) const {
    *flag = text == "true";
    return *flag || text == "false" ? success() : wrong("true or false");
  }
  LogicalResult operator()(PNorm *norm) const {
    auto parsed = text == "inf" ? std::numeric_limits<double>::infinity()
                                : parseNumber<double>(text).value_or(0);
    if (!(parsed > 0))
      return wrong(setting.field.label + " inf or a number > 0");
    norm->p = parsed;
    return success();
  }
  LogicalResult operator()(Pattern *pattern) const {
    bool isNone = text == kNoPattern;
    pattern->text = isNone ? "" : text.str();
    return isNone ? success() : verifyPattern(text, emitError);
  }
  LogicalResult operator()(std::string *name) const {
    *name = text.str();
    return success();
  }
  /// Whether an optimizer takes it is asked when there is one; its range is
  /// asked here, as there may be none.
  template <typename Value>
  LogicalResult operator()(std::optional<Value> *value) const {
    if (failed((*this)(&value->emplace())))
      return failure();
    return RangeCheck{setting, emitError}(value);
  }
};

} // namespace

LogicalResult graph::setText(TrainingSettings &settings, const Setting &setting,
                             StringRef text, EmitError emitError) {
  return std::visit(TextReader{setting, text, emitError},
                    setting.field.in(settings));
}

//===-- To text -----------------------------------------------------------===//

namespace {
struct TextWriter {
  using Text = std::optional<std::string>;

  Text operator()(WordRef word) const { return word.get().str(); }
  Text operator()(const Real *number) const { return shortest(number->value); }
  Text operator()(const int64_t *integer) const {
    return std::to_string(*integer);
  }
  Text operator()(const bool *flag) const { return *flag ? "true" : "false"; }
  Text operator()(const PNorm *norm) const { return shortest(norm->p.value); }
  Text operator()(const std::string *text) const {
    return text->empty() ? Text() : *text;
  }
  Text operator()(const Pattern *pattern) const {
    return (*this)(&pattern->text);
  }
  template <typename Value>
  Text operator()(const std::optional<Value> *value) const {
    return *value ? (*this)(&**value) : Text();
  }
};
} // namespace

FieldRef graph::read(const Field &field, const TrainingSettings &settings) {
  return field.in(const_cast<TrainingSettings &>(settings));
}

std::optional<std::string> graph::toText(const TrainingSettings &settings,
                                         const Setting &setting) {
  if (!setting.hasField())
    return std::nullopt;
  return std::visit(TextWriter(), read(setting.field, settings));
}

bool graph::isFlag(const Setting &setting) {
  return holds<bool *>(setting) || holds<std::optional<bool> *>(setting);
}

bool graph::isDefault(const TrainingSettings &settings,
                      const Setting &setting) {
  return toText(settings, setting) == toText(TrainingSettings(), setting);
}
