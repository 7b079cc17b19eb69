// `#graph.optimizer`: a dictionary of hyperparameters that says which of them
// somebody gave. Which there are, and their defaults, say the op records
// (Optimizers.h); what their values may be, the table of settings.
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/Settings/SettingsTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::graph;

//===-- Values ------------------------------------------------------------===//

double OptimizerAttr::getReal(StringRef hyperparameter) const {
  auto given = getHyperparameters().getAs<mlir::FloatAttr>(hyperparameter);
  return given ? given.getValueAsDouble()
               : recordOf(*this).getRealDefault(getContext(), hyperparameter);
}

bool OptimizerAttr::getFlag(StringRef hyperparameter) const {
  auto given = getHyperparameters().getAs<mlir::BoolAttr>(hyperparameter);
  return given && given.getValue();
}

//===-- Text --------------------------------------------------------------===//

namespace {

/// The fields between < and >, in any order.
struct FieldReader {
  mlir::AsmParser &parser;
  std::optional<std::string> name;
  std::optional<MasterType> master;
  std::optional<Real> lr;
  mlir::NamedAttrList hyperparameters;

  mlir::ParseResult readField() {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    bool isRepeated = key == "name"     ? name.has_value()
                      : key == "lr"     ? lr.has_value()
                      : key == "master" ? master.has_value()
                                        : bool(hyperparameters.get(key));
    if (isRepeated)
      return parser.emitError(loc, "expected one '")
             << key << "' in an optimizer, but got two";
    if (key == "name")
      return parser.parseString(&name.emplace());
    if (key == "master")
      return readMaster();
    if (key == "lr")
      return readReal(lr.emplace());
    return readHyperparameter(key);
  }

  mlir::ParseResult readMaster() {
    llvm::SMLoc loc = parser.getCurrentLocation();
    std::string text;
    TrainingSettings settings;
    if (parser.parseString(&text) ||
        failed(setText(settings, *findSetting(Part::OptimizerChoice, "master"),
                       text, [&] { return parser.emitError(loc); })))
      return failure();
    master = settings.optimizer.master;
    return success();
  }

  mlir::ParseResult readReal(Real &real) {
    FailureOr<Real> number = mlir::FieldParser<Real>::parse(parser);
    if (failed(number))
      return failure();
    real = *number;
    return success();
  }

  mlir::ParseResult readHyperparameter(StringRef key) {
    Builder &builder = parser.getBuilder();
    for (bool value : {true, false})
      if (succeeded(parser.parseOptionalKeyword(value ? "true" : "false"))) {
        hyperparameters.set(key, builder.getBoolAttr(value));
        return success();
      }
    Real real;
    if (readReal(real))
      return failure();
    hyperparameters.set(key, builder.getF64FloatAttr(real.value));
    return success();
  }
};

} // namespace

Attribute OptimizerAttr::parse(mlir::AsmParser &parser, Type) {
  FieldReader fields{parser, {}, {}, {}, {}};
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater,
                                     [&] { return fields.readField(); }))
    return {};
  if (!fields.name || !fields.lr) {
    parser.emitError(loc, "expected 'name' and 'lr' in an optimizer");
    return {};
  }
  MLIRContext *context = parser.getContext();
  return OptimizerAttr::getChecked(
      [&] { return parser.emitError(loc); }, context, StringRef(*fields.name),
      *fields.lr, fields.hyperparameters.getDictionary(context),
      fields.master.value_or(MasterType::F32));
}

void OptimizerAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<name = \"" << getName() << "\", lr = " << getLr();
  for (NamedAttribute given : getHyperparameters()) {
    printer << ", " << given.getName().getValue() << " = ";
    if (auto flag = dyn_cast<mlir::BoolAttr>(given.getValue()))
      printer << (flag.getValue() ? "true" : "false");
    else
      printer << Real(
          cast<mlir::FloatAttr>(given.getValue()).getValueAsDouble());
  }
  if (getMaster() != MasterType::F32)
    printer << ", master = \"" << stringifyEnum(getMaster()) << "\"";
  printer << ">";
}

//===-- What values may be -----------------------------------------------===//

namespace {

/// No setting without effect: the optimizer takes what is given.
LogicalResult checkTaken(EmitError emitError, const OptimizerRecord &optimizer,
                         StringRef hyperparameter) {
  if (optimizer.takes(hyperparameter))
    return success();
  if (std::string others = optimizerNames(hyperparameter); !others.empty())
    return emitError() << "expected no " << hyperparameter << " with optimizer "
                       << optimizer.name
                       << ", which does not use it: leave it out, or choose "
                       << others;
  return emitError() << "expected name, lr, master or a hyperparameter of "
                     << optimizer.name << " ("
                     << llvm::join(optimizer.hyperparameters, ", ")
                     << "), but got '" << hyperparameter << "'";
}

LogicalResult checkGiven(EmitError emitError, const OptimizerRecord &optimizer,
                         NamedAttribute given) {
  StringRef name = given.getName();
  if (failed(checkTaken(emitError, optimizer, name)))
    return failure();
  const Setting *setting = findSetting(Part::Hyperparameters, name);
  bool isFlag = graph::isFlag(*setting);
  auto number = dyn_cast<mlir::FloatAttr>(given.getValue());
  if (isFlag ? !isa<mlir::BoolAttr>(given.getValue()) : !number)
    return emitError() << "expected " << (isFlag ? "true or false" : "a number")
                       << " for " << name << ", but got " << given.getValue();
  return isFlag ? success()
                : verifyReal(*setting, number.getValueAsDouble(), emitError);
}

/// As torch.optim.SGD.
LogicalResult checkMomentum(EmitError emitError, DictionaryAttr given) {
  auto real = [&](StringRef name) {
    auto number = given.getAs<mlir::FloatAttr>(name);
    return Real(number ? number.getValueAsDouble() : 0.0);
  };
  auto nesterov = given.getAs<mlir::BoolAttr>("nesterov");
  Real momentum = real("momentum"), dampening = real("dampening");
  if (nesterov && nesterov.getValue() &&
      (!(momentum.value > 0) || dampening.value != 0))
    return emitError()
           << "expected momentum > 0 and dampening 0 with nesterov, but got "
           << momentum << " and " << dampening;
  if (dampening.value != 0 && !(momentum.value > 0))
    return emitError() << "expected momentum > 0 with dampening, but got "
                       << momentum;
  return success();
}

} // namespace

LogicalResult OptimizerAttr::verify(EmitError emitError, StringRef name,
                                    Real lr, DictionaryAttr hyperparameters,
                                    MasterType) {
  const OptimizerRecord *optimizer = findOptimizer(name);
  if (!optimizer)
    return emitError() << "expected optimizer " << optimizerNames()
                       << ", but got '" << name << "'";
  if (failed(
          verifyReal(*findSetting(Part::OptimizerChoice, "lr"), lr, emitError)))
    return failure();
  for (NamedAttribute given : hyperparameters)
    if (failed(checkGiven(emitError, *optimizer, given)))
      return failure();
  return checkMomentum(emitError, hyperparameters);
}
