#include "Initializer.h"
#include "SessionBody.h"
#include "mpc/Runtime/ThreadPool.h"
#include "mpc/Support/Number.h"
#include "mpc/Support/Ranges.h"

#include <algorithm>
#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::InitKind;
using mpc::program::State;
using mpc::program::toSpan;

const State *Session::Body::findState(std::string_view name,
                                      uint32_t *index) const {
  const auto *states = program->file()->states();
  for (uint32_t i = 0; states && i < states->size(); ++i)
    if (states->Get(i)->name()->string_view() == name) {
      if (index)
        *index = i;
      return states->Get(i);
    }
  return nullptr;
}

/// A rank draws from a seed of its own; whoever sets or gets it sees the one
/// that all ranks have, so that any of them may save it for all. The factor is
/// that of Knuth's multiplicative hash.
static void addRank(const State &state, uint32_t rank, void *value) {
  if (state.role() != program::Role::RandomSeed)
    return;
  uint32_t seed;
  std::memcpy(&seed, value, sizeof seed);
  seed += rank * 0x9E3779B1u;
  std::memcpy(value, &seed, sizeof seed);
}

static Status writeFirstValue(Executor &executor, const State &state,
                              uint64_t seed) {
  auto fill = [&](uint64_t first, std::span<uint8_t> piece) {
    PlainArithmetic arithmetic;
    initializeState(state, seed, first, piece);
    addRank(state, executor.rank(), piece.data());
  };
  return executor.fillState(state.offset(), state.bytes(), fill);
}

Status Session::initialize(uint64_t seed) {
  body->isUpToDate = false;
  const auto *states = body->program->file()->states();
  for (uint32_t i = 0; states && i < states->size(); ++i) {
    const State &state = *states->Get(i);
    if (Status status = writeFirstValue(*body->executor, state, seed);
        !status.ok())
      return status;
    body->noteFirstCount(state);
  }
  body->given.assign(body->given.size(), true);
  body->endStep();
  return body->runInit();
}

/// Whether `state` has its first value though nobody sets it: accumulators are
/// zero, as the whole block is at first.
static bool startsByItself(const State &state) {
  return state.init()->kind() == InitKind::Derived ||
         state.role() == program::Role::Accumulator;
}

Status Session::Body::requireStates() const {
  if (isUpToDate)
    return {};
  const auto *states = program->file()->states();
  for (uint32_t i = 0; states && i < states->size(); ++i)
    if (Status status = requireValue(i); !status.ok())
      return status;
  return {};
}

Status Session::Body::requireValue(uint32_t i) const {
  const State &state = *program->file()->states()->Get(i);
  if (given[i] || startsByItself(state))
    return {};
  return {StatusCode::NotInitialized,
          "state '" + state.name()->str() +
              "' has no value yet: initialise the session with a seed, before "
              "parameters are loaded, or load all states, or set it"};
}

Status Session::refresh() {
  if (Status status = body->requireStates(); !status.ok())
    return status;
  return body->runInit();
}

Status Session::checkComplete() const {
  if (Status status = body->requireStates(); !status.ok())
    return status;
  if (body->isMidStep)
    return {StatusCode::InvalidArgument,
            "a step is half done: expected a run of 'step' after those of "
            "'accumulate'"};
  return body->checkWhole();
}

Status Session::clearAccumulators() {
  const auto *states = body->program->file()->states();
  for (uint32_t i = 0; states && i < states->size(); ++i)
    if (states->Get(i)->role() == program::Role::Accumulator)
      if (Status status = writeFirstValue(*body->executor, *states->Get(i),
                                          /*seed=*/0);
          !status.ok())
        return status;
  body->endStep();
  return {};
}

static Status noSuchState(const program::Program &program,
                          std::string_view name) {
  std::string message = "no state '" + std::string(name) + "'; there are:";
  if (program.states())
    for (const State *state : *program.states())
      message += " " + state->name()->str();
  return {StatusCode::NotFound, message};
}

static Status checkView(const State &state, const TensorView &view) {
  std::string who = "state '" + state.name()->str() + "'";
  auto type = static_cast<program::ElementType>(view.type);
  if (type > program::ElementType::MAX)
    return {StatusCode::InvalidArgument, who + ": unknown element type"};
  // The caller's shape has as many dims as he says: never read more of them
  // than a right one has.
  size_t rank = toSpan(state.shape()).size();
  if (view.shape.size() != rank)
    return {StatusCode::ShapeMismatch,
            who + ": expected a tensor of rank " + std::to_string(rank) +
                ", but got rank " + std::to_string(view.shape.size())};
  std::string expected =
      program::formatTensor(state.type(), toSpan(state.shape()));
  std::string found = program::formatTensor(type, view.shape);
  if (type != state.type())
    return {StatusCode::TypeMismatch,
            who + ": expected " + expected + ", but got " + found};
  if (!std::ranges::equal(toSpan(state.shape()), view.shape))
    return {StatusCode::ShapeMismatch,
            who + ": expected " + expected + ", but got " + found};
  if (view.bytes != state.bytes())
    return {StatusCode::SizeMismatch,
            who + ": expected " + std::to_string(state.bytes()) +
                " bytes, but got " + std::to_string(view.bytes)};
  if (view.bytes && !view.data)
    return {StatusCode::InvalidArgument,
            who + ": expected a pointer, but got null"};
  return {};
}

Status Session::getState(std::string_view name,
                         const TensorView &destination) const {
  uint32_t index = 0;
  const State *state = body->findState(name, &index);
  if (!state)
    return noSuchState(*body->program->file(), name);
  if (Status status = checkView(*state, destination); !status.ok())
    return status;
  if (Status status = body->requireValue(index); !status.ok())
    return status;
  if (state->init()->kind() == InitKind::Derived)
    if (Status status = body->bringUpToDate(); !status.ok())
      return status;
  auto *data = static_cast<uint8_t *>(destination.data);
  Executor &executor = *body->executor;
  if (Status status =
          executor.readState(state->offset(), {data, state->bytes()});
      !status.ok())
    return status;
  addRank(*state, 0 - executor.rank(), data);
  return {};
}

/// What no step can train with, and no later step mends: a scale of 0 or inf
/// makes every gradient NaN, a rate of inf or NaN every parameter.
static Status checkNumbers(const State &state, const TensorView &source) {
  bool isScale = state.role() == program::Role::LossScale;
  bool isRate = state.role() == program::Role::LearningRate;
  if (!(isScale || isRate) || state.type() != program::ElementType::F32)
    return {};
  for (uint64_t at = 0; at < source.bytes; at += sizeof(float)) {
    float number = 0;
    std::memcpy(&number, static_cast<const char *>(source.data) + at,
                sizeof number);
    if (isScale ? isLossScale(number) : isLearningRate(number))
      continue;
    return {StatusCode::InvalidArgument,
            "state '" + state.name()->str() + "': expected " +
                std::string(isScale ? kLossScaleRange : kLearningRateRange) +
                ", but got " + formatNumber(number)};
  }
  return {};
}

Status Session::checkState(std::string_view name,
                           const TensorView &source) const {
  const State *state = body->findState(name);
  if (!state)
    return noSuchState(*body->program->file(), name);
  if (Status status = checkView(*state, source); !status.ok())
    return status;
  if (Status status = checkNumbers(*state, source); !status.ok())
    return status;
  if (Status status = checkCount(*state, source.data); !status.ok())
    return status;
  if (state->init()->kind() == InitKind::Derived)
    return {StatusCode::InvalidArgument,
            "state '" + std::string(name) +
                "' is computed from others by the entry 'init'; set those"};
  return {};
}

Status Session::setState(std::string_view name, const TensorView &source) {
  if (Status status = checkState(name, source); !status.ok())
    return status;
  uint32_t index = 0;
  const State *state = body->findState(name, &index);
  const auto *data = static_cast<const uint8_t *>(source.data);
  body->isUpToDate &= !body->sources[index];
  std::span<const uint8_t> written{data, state->bytes()};
  uint32_t seed = 0;
  if (state->role() == program::Role::RandomSeed) {
    std::memcpy(&seed, data, sizeof seed);
    addRank(*state, body->executor->rank(), &seed);
    written = {reinterpret_cast<const uint8_t *>(&seed), sizeof seed};
  }
  if (Status status = body->executor->writeState(state->offset(), written);
      !status.ok())
    return status;
  body->given[index] = true;
  body->noteCount(*state, data);
  return {};
}
