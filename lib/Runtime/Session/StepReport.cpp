#include "mpc/Runtime/StepReport.h"
#include "Element.h"
#include "SessionBody.h"
#include "mpc/Program/Names.h"

#include <cmath>

using namespace mpc;
using namespace mpc::runtime;

std::string_view runtime::getOutputName(ReportField field) {
  switch (field) {
  case ReportField::Loss:
    return program::kLossOutput;
  case ReportField::Scale:
    return program::kScaleOutput;
  case ReportField::GradNorm:
    return program::kGradNormOutput;
  case ReportField::FoundInf:
    return program::kFoundInfOutput;
  case ReportField::LearningRate:
    return program::kLrOutput;
  case ReportField::Step:
    return program::kStepOutput;
  case ReportField::ConsecutiveSkips:
    return program::kConsecutiveSkipsOutput;
  case ReportField::ScaleAtFloor:
    return program::kScaleAtFloorOutput;
  case ReportField::NonFiniteGrad:
    return program::kNonfiniteGradOutput;
  }
  return "";
}

std::optional<bool> StepReport::hasNonFiniteLoss() const {
  std::optional<double> loss = (*this)[ReportField::Loss];
  return loss ? std::optional(!std::isfinite(*loss)) : std::nullopt;
}

ReportLayout::ReportLayout(const program::Program &program) {
  const auto *entries = program.entries();
  for (uint32_t i = 0; entries && i < entries->size(); ++i)
    if (entries->Get(i)->name()->string_view() == program::kStepEntry)
      stepEntry = i;
  if (!stepEntry)
    return;
  const auto *list = entries->Get(*stepEntry)->outputs();
  for (uint32_t i = 0; list && i < list->size(); ++i) {
    const program::Tensor &tensor = *list->Get(i);
    if (tensor.shape() && tensor.shape()->size() != 0)
      continue;
    for (size_t field = 0; field < kReportFields; ++field)
      if (tensor.name()->string_view() ==
          getOutputName(static_cast<ReportField>(field)))
        outputs[field] = i;
  }
}

Result<StepReport> Session::stepReport(uint32_t age) const {
  std::optional<uint32_t> entry = body->layout.entry();
  if (!entry)
    return Status(StatusCode::NotFound,
                  "expected a program with an entry 'step', but it has none: "
                  "there is no step to report on");
  const auto *outputs =
      body->program->file()->entries()->Get(*entry)->outputs();
  StepReport report;
  for (size_t field = 0; field < kReportFields; ++field) {
    std::optional<uint32_t> index =
        body->layout.output(static_cast<ReportField>(field));
    if (!index)
      continue;
    Result<std::span<const uint8_t>> bytes = result(*entry, *index, age);
    if (!bytes)
      return bytes.status();
    report.values[field] =
        loadElement(outputs->Get(*index)->type(), bytes->data(), 0);
  }
  return report;
}
