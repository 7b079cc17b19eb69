#include "States.h"

#include <bit>
#include <cmath>

using namespace mpc::rt;
using mpc::test::StateBytes;

/// Element `index` of raw values of type `type`.
static double valueAt(const unsigned char *bytes, mpc_type type, size_t index) {
  auto take = [&]<typename T>(T value) {
    std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
    return value;
  };
  switch (type) {
  case MPC_F64:
    return take(double());
  case MPC_F32:
    return take(float());
  case MPC_F16:
    return take(_Float16());
  case MPC_BF16:
    return std::bit_cast<float>(uint32_t(take(uint16_t())) << 16);
  case MPC_I64:
    return static_cast<double>(take(int64_t()));
  case MPC_I32:
    return take(int32_t());
  default:
    return bytes[index];
  }
}

std::vector<double> StateBytes::toDoubles() const {
  size_t size = mpc_get_api(MPC_API_VERSION)->type_bytes(info.type);
  std::vector<double> values(bytes.size() / size);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = valueAt(bytes.data(), info.type, i);
  return values;
}

static mpc_tensor viewOf(const StateBytes &state) {
  return {sizeof(mpc_tensor),
          state.info.type,
          state.info.rank,
          state.info.shape,
          const_cast<unsigned char *>(state.bytes.data()),
          state.bytes.size()};
}

Expected<std::vector<StateBytes>>
mpc::test::readStates(const Program &program, const Session &session) {
  std::vector<StateBytes> states;
  for (const mpc_state_info &info : program.states()) {
    states.push_back({info, std::vector<unsigned char>(info.bytes)});
    mpc_tensor view = viewOf(states.back());
    Status status = detail::call(detail::api().session_get_state, session.get(),
                                 info.name, &view);
    if (!status)
      return status;
  }
  return states;
}

Status mpc::test::writeStates(Session &session,
                              const std::vector<StateBytes> &states) {
  for (const StateBytes &state : states) {
    if (state.info.init == MPC_INIT_DERIVED)
      continue;
    mpc_tensor view = viewOf(state);
    Status status = detail::call(detail::api().session_set_state, session.get(),
                                 state.info.name, &view);
    if (!status)
      return status;
  }
  return session.refresh();
}

double mpc::test::relativeDistance(const std::vector<double> &a,
                                   const std::vector<double> &b) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    bool bothNaN = std::isnan(a[i]) && std::isnan(b[i]);
    if (a[i] == b[i] || bothNaN) {
      size += std::isfinite(b[i]) ? b[i] * b[i] : 0;
      continue;
    }
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return difference == 0 ? 0 : std::sqrt(difference / size);
}

uint64_t mpc::test::hashStates(const std::vector<StateBytes> &states) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const StateBytes &state : states)
    for (unsigned char byte : state.bytes)
      hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}
