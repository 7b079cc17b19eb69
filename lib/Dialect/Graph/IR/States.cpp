#include "mpc/Dialect/Graph/IR/States.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mpc/Dialect/Graph/IR/Names.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::ShapedType;

//===-- What roles demand -------------------------------------------------===//

namespace {

/// Types: of numbers that the program itself computes with, or like the
/// parameter that the state belongs to, which StateTable compares.
enum class Form { Floats, Wide, Any, Number, Float, Integer };

/// First values.
enum class Start { Any, Number, Above0, Zero, Derived };

struct Demands {
  bool ofParameter;
  Form form;
  Start start;
};

Demands demandsOf(Role role) {
  switch (role) {
  case Role::Parameter:
    return {false, Form::Floats, Start::Any};
  case Role::WeightCopy: // which the entry init computes
    return {true, Form::Floats, Start::Derived};
  case Role::Moment:
    return {true, Form::Floats, Start::Number};
  case Role::Scaler:
    return {false, Form::Number, Start::Number};
  case Role::Counter:
    return {false, Form::Integer, Start::Number};
  case Role::Hyperparameter:
    return {false, Form::Number, Start::Number};
  case Role::Accumulator: // of a gradient or of an output
    return {false, Form::Any, Start::Zero};
  case Role::Compensation:
    return {true, Form::Floats, Start::Zero};
  case Role::LossScale:
    return {false, Form::Float, Start::Above0};
  case Role::StepCounter:
    return {false, Form::Integer, Start::Number};
  case Role::LearningRate:
    return {false, Form::Float, Start::Number};
  case Role::RandomSeed: // which initialisation sets to its own
  case Role::RandomStep:
    return {false, Form::Integer, Start::Zero};
  case Role::RunningStatistic:
    return {false, Form::Wide, Start::Number};
  }
  llvm_unreachable("all roles are listed");
}

bool starts(Start start, Attribute init) {
  auto fill = dyn_cast<FillAttr>(init);
  switch (start) {
  case Start::Any:
    return true;
  case Start::Number:
    return isa<FillAttr, ZerosAttr>(init);
  case Start::Above0:
    return fill && fill.getValue().value > 0;
  case Start::Zero:
    return isa<ZerosAttr>(init) || (fill && fill.getValue().value == 0);
  case Start::Derived:
    return false;
  }
  llvm_unreachable("all starts are listed");
}

StringRef describe(Start start) {
  switch (start) {
  case Start::Any:
    break;
  case Start::Number:
    return "to start at #graph.zeros or a #graph.fill";
  case Start::Above0:
    return "to start at a #graph.fill above 0";
  case Start::Zero:
    return "to start at #graph.zeros";
  case Start::Derived:
    return "to have no `init`, since the entry `init` computes it";
  }
  llvm_unreachable("nothing is refused");
}

bool hasForm(Form form, ShapedType type) {
  Type element = type.getElementType();
  bool isNumber = type.getRank() == 0;
  switch (form) {
  case Form::Floats:
    return isa<FloatType>(element);
  case Form::Wide:
    return element.isF32() || element.isF64();
  case Form::Any:
    return true;
  case Form::Number:
    return isNumber;
  case Form::Float:
    return isNumber && element.isF32();
  case Form::Integer:
    return isNumber && element.isInteger(32);
  }
  llvm_unreachable("all forms are listed");
}

StringRef describe(Form form) {
  switch (form) {
  case Form::Floats:
    return "of floats";
  case Form::Wide:
    return "of f32 or f64";
  case Form::Any:
    break;
  case Form::Number:
    return "of rank 0";
  case Form::Float:
    return "one number of f32";
  case Form::Integer:
    return "one number of i32";
  }
  llvm_unreachable("nothing is refused");
}

/// `moment "w.exp_avg"`.
std::string describe(const StateFacts &state) {
  return (stringifyRole(state.role) + " \"" + state.name.getValue() + "\"")
      .str();
}

} // namespace

bool graph::belongsToParameter(Role role) {
  return demandsOf(role).ofParameter;
}

/// Nothing follows, which the generated parser would leave unread.
Attribute ZerosAttr::parse(mlir::AsmParser &parser, Type) {
  mlir::SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLess())) {
    parser.emitError(loc, "expected nothing after 'zeros'");
    return {};
  }
  return get(parser.getContext());
}
void ZerosAttr::print(mlir::AsmPrinter &) const {}

/// The numbers between < and > of an initialiser that is written as `form`.
static FailureOr<SmallVector<Real, 2>> parseNumbers(mlir::AsmParser &parser,
                                                    StringRef form) {
  size_t expected = form.count(',') + 1;
  mlir::SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLess()))
    return parser.emitError(loc, "expected '") << form << "'";
  SmallVector<Real, 2> numbers;
  auto readNumber = [&]() -> mlir::ParseResult {
    FailureOr<Real> number = parseReal(parser);
    if (failed(number))
      return failure();
    numbers.push_back(*number);
    return success();
  };
  if (parser.parseCommaSeparatedList(readNumber) || parser.parseGreater())
    return failure();
  if (numbers.size() != expected)
    return parser.emitError(loc, "expected '")
           << form << "', but got " << numbers.size()
           << (numbers.size() == 1 ? " number" : " numbers");
  return numbers;
}

Attribute FillAttr::parse(mlir::AsmParser &parser, Type) {
  auto numbers = parseNumbers(parser, kInitialiserForms[1]);
  return succeeded(numbers) ? get(parser.getContext(), (*numbers)[0])
                            : Attribute();
}
void FillAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<" << getValue() << ">";
}

/// An initialiser of two numbers, which are checked.
template <typename Attr>
static Attribute parsePair(mlir::AsmParser &parser, StringRef form) {
  mlir::SMLoc loc = parser.getCurrentLocation();
  auto numbers = parseNumbers(parser, form);
  if (failed(numbers))
    return {};
  return parser.getChecked<Attr>(loc, parser.getContext(), (*numbers)[0],
                                 (*numbers)[1]);
}

Attribute NormalAttr::parse(mlir::AsmParser &parser, Type) {
  return parsePair<NormalAttr>(parser, kInitialiserForms[2]);
}
void NormalAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<" << getMean() << ", " << getStddev() << ">";
}

Attribute UniformAttr::parse(mlir::AsmParser &parser, Type) {
  return parsePair<UniformAttr>(parser, kInitialiserForms[3]);
}
void UniformAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<" << getLow() << ", " << getHigh() << ">";
}

bool graph::isInitialiser(Attribute attr) {
  return isa<ZerosAttr, FillAttr, NormalAttr, UniformAttr>(attr);
}

LogicalResult graph::verifyFacts(const StateFacts &state,
                                 function_ref<InFlightDiagnostic()> emitError) {
  Demands demands = demandsOf(state.role);
  if (demands.ofParameter && !state.of)
    return emitError() << "expected `of` and a parameter for "
                       << describe(state);
  if (state.role == Role::Parameter && state.of)
    return emitError() << "expected " << describe(state)
                       << " to belong to nothing, but it is of " << state.of;
  if (!state.init)
    return success();
  if (!isInitialiser(state.init))
    return emitError() << "expected " << describe(state)
                       << " to start at #graph.zeros, #graph.fill, "
                          "#graph.normal or #graph.uniform, but got "
                       << state.init;
  if (!starts(demands.start, state.init))
    return emitError() << "expected " << describe(state) << " "
                       << describe(demands.start) << ", but got " << state.init;
  return success();
}

LogicalResult
graph::verifyStateType(const StateFacts &state, ShapedType type,
                       function_ref<InFlightDiagnostic()> emitError) {
  Form form = demandsOf(state.role).form;
  if (hasForm(form, type))
    return success();
  return emitError() << "expected " << describe(state) << " to be "
                     << describe(form) << ", but got " << type;
}

//===-- All states of a module --------------------------------------------===//

LogicalResult StateTable::add(const StateFacts &state, ShapedType type,
                              Location loc) {
  auto [found, isNew] = states.try_emplace(state.name, State{state, type, loc});
  if (isNew)
    return success();
  const State &other = found->second;
  auto fail = [&](StringRef what, const auto &expected,
                  const auto &got) -> LogicalResult {
    InFlightDiagnostic diagnostic = mlir::emitError(loc);
    diagnostic << "expected state " << state.name << " to have one " << what
               << " in all entries, but got " << got << " and in another one "
               << expected;
    diagnostic.attachNote(other.loc) << "the other is here";
    return failure();
  };
  auto textOf = [](Attribute attr) {
    std::string text;
    llvm::raw_string_ostream(text) << attr;
    return attr ? text : std::string("none");
  };
  if (other.facts.role != state.role)
    return fail("role", stringifyRole(other.facts.role),
                stringifyRole(state.role));
  if (other.type != type)
    return fail("type", other.type, type);
  if (other.facts.of != state.of)
    return fail("owner", textOf(other.facts.of), textOf(state.of));
  if (other.facts.init != state.init)
    return fail("first value", textOf(other.facts.init), textOf(state.init));
  return success();
}

LogicalResult StateTable::verifyOwners() const {
  for (const auto &[name, state] : states) {
    bool isOfParameter = belongsToParameter(state.facts.role) ||
                         state.facts.role == Role::Accumulator;
    if (!isOfParameter || !state.facts.of)
      continue;
    auto owner = states.find(state.facts.of);
    if (owner == states.end() || owner->second.facts.role != Role::Parameter)
      return mlir::emitError(state.loc)
             << "expected " << describe(state.facts)
             << " to be of a parameter, but " << state.facts.of
             << (owner == states.end() ? " is none of the module"
                                       : " is another state");
    ShapedType expected = owner->second.type;
    bool isAlike = state.type.getShape() == expected.getShape();
    if (state.facts.role == Role::Compensation)
      isAlike &= state.type == expected;
    if (isAlike)
      continue;
    InFlightDiagnostic diagnostic = mlir::emitError(state.loc);
    diagnostic << "expected " << describe(state.facts)
               << " to be like its parameter, " << expected << ", but got "
               << state.type;
    diagnostic.attachNote(owner->second.loc) << "the parameter is here";
    return failure();
  }
  return success();
}

std::optional<StateFacts> graph::getStateFacts(mlir::FunctionOpInterface func,
                                               unsigned index) {
  if (auto state = func.getArgAttrOfType<StateAttr>(index, kStateAttr))
    return StateFacts{state.getName(), state.getRole(), state.getOf(),
                      state.getInit()};
  if (StringAttr name = getName(func.getArgAttr(index, kParameterAttr)))
    return StateFacts{name, Role::Parameter, StringAttr(),
                      func.getArgAttr(index, kInitAttr)};
  return std::nullopt;
}

LogicalResult graph::verifyStates(ModuleOp module) {
  StateTable states;
  for (auto func : module.getOps<mlir::FunctionOpInterface>()) {
    if (!func->hasAttr(kEntryAttr) || func.isExternal())
      continue;
    for (mlir::BlockArgument argument : func.getArguments()) {
      auto type = dyn_cast<ShapedType>(argument.getType());
      std::optional<StateFacts> facts =
          getStateFacts(func, argument.getArgNumber());
      if (facts && type && failed(states.add(*facts, type, argument.getLoc())))
        return failure();
    }
  }
  return states.verifyOwners();
}
