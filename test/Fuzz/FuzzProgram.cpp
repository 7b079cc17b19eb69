// Program files: whatever a hostile file says, the C API describes it or
// refuses it. The hash is made right first, since anybody can compute it. Code
// of the input is never run: programs without kernels get a session and run.
#include "Bytes.h"
#include "mpc-c/Runtime.h"

#include <cstring>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc::fuzz;

namespace {

constexpr size_t kHeaderBytes = 64, kPayloadBytesAt = 16, kHashAt = 24;
/// Sessions of larger programs only cost time.
constexpr uint64_t kMaxSessionBytes = 1 << 24;

const mpc_api *api() {
  static const mpc_api *table = mpc_get_api(MPC_API_VERSION);
  return table;
}

std::vector<uint8_t> withHash(Input input) {
  std::vector<uint8_t> file(input.begin(), input.end());
  if (file.size() < kHeaderBytes)
    return file;
  uint64_t bytes = file.size() - kHeaderBytes;
  uint64_t hash = XXH64(file.data() + kHeaderBytes, bytes, 0);
  std::memcpy(file.data() + kPayloadBytesAt, &bytes, sizeof bytes);
  std::memcpy(file.data() + kHashAt, &hash, sizeof hash);
  return file;
}

/// Whoever reads a text to its end finds out whether it has one.
void read(const char *text) {
  require(text != nullptr && std::strlen(text) < SIZE_MAX, "a text");
}

void read(const mpc_tensor_info &tensor) {
  read(tensor.name);
  int64_t sum = 0;
  for (uint32_t dim = 0; dim < tensor.rank; ++dim)
    sum |= tensor.shape[dim];
  require(sum >= 0, "dims that are not negative");
}

/// Everything that can be asked of a program.
class Description {
public:
  explicit Description(const mpc_program *program) : program(program) {
    MPC_STRUCT(mpc_program_info, facts);
    api()->program_info(program, &facts);
    info = facts;
  }

  void readAll() {
    for (const char *text :
         {info.producer, info.target, info.model, info.code_target})
      read(text);
    readLists();
    for (uint32_t entry = 0; entry < info.num_entries; ++entry)
      readEntry(entry);
    for (uint32_t code = 0; code < info.num_code_sections; ++code)
      readCode(code);
  }

  mpc_program_info info;

private:
  void readLists() {
    for (uint32_t i = 0; i < info.num_settings; ++i) {
      const char *key, *value;
      if (api()->program_setting(program, i, &key, &value) == MPC_OK) {
        read(key);
        read(value);
      }
    }
    for (uint32_t i = 0; i < info.num_states; ++i) {
      MPC_STRUCT(mpc_state_info, state);
      if (api()->program_state(program, i, &state) == MPC_OK) {
        read(state.name);
        read(state.of);
      }
    }
    for (uint32_t i = 0; i < info.num_kernels; ++i) {
      MPC_STRUCT(mpc_kernel_info, kernel);
      if (api()->program_kernel(program, i, &kernel) == MPC_OK)
        read(kernel.symbol);
    }
    for (uint32_t i = 0; i < info.num_calls; ++i) {
      MPC_STRUCT(mpc_call_info, call);
      if (api()->program_call(program, i, &call) != MPC_OK)
        continue;
      read(call.kind);
      for (uint32_t j = 0; j < call.num_operands; ++j) {
        MPC_STRUCT(mpc_operand_info, operand);
        require(api()->program_operand(program, i, j, &operand) == MPC_OK,
                "has its operands");
        for (uint32_t k = 0; k < operand.rank; ++k)
          require(operand.shape[k] >= 0 && operand.strides[k] >= 0,
                  "shapes and strides of operands");
      }
    }
    for (uint32_t i = 0; i < info.num_multi_tensors; ++i) {
      MPC_STRUCT(mpc_multi_tensor_info, list);
      if (api()->program_multi_tensor(program, i, &list) == MPC_OK)
        read(list.kind);
    }
    for (uint32_t i = 0; i < info.num_probes; ++i) {
      MPC_STRUCT(mpc_probe_info, probe);
      if (api()->program_probe(program, i, &probe) != MPC_OK)
        continue;
      read(probe.what);
      read(probe.location);
      for (uint32_t j = 0; j < probe.num_reads; ++j)
        require(probe.reads[j] < info.num_probes, "reads among the probes");
    }
  }

  void readEntry(uint32_t entry) {
    MPC_STRUCT(mpc_entry_info, facts);
    if (api()->program_entry(program, entry, &facts) != MPC_OK)
      return;
    read(facts.name);
    for (uint32_t i = 0; i < facts.num_inputs + facts.num_outputs; ++i) {
      MPC_STRUCT(mpc_tensor_info, tensor);
      mpc_code code = i < facts.num_inputs
                          ? api()->program_input(program, entry, i, &tensor)
                          : api()->program_output(
                                program, entry, i - facts.num_inputs, &tensor);
      if (code == MPC_OK)
        read(tensor);
    }
    for (uint32_t i = 0; i < facts.num_records; ++i) {
      MPC_STRUCT(mpc_record_info, record);
      if (api()->program_record(program, entry, i, &record) != MPC_OK)
        continue;
      for (const char *text : {record.kind, record.name, record.symbol})
        read(text);
    }
  }

  void readCode(uint32_t code) {
    MPC_STRUCT(mpc_code_info, facts);
    if (api()->program_code(program, code, &facts) != MPC_OK)
      return;
    read(facts.target);
    read(facts.format);
    for (uint32_t i = 0; i < facts.num_launches; ++i) {
      MPC_STRUCT(mpc_launch_info, launch);
      if (api()->program_code_launch(program, code, i, &launch) != MPC_OK)
        continue;
      for (uint32_t j = 0; j < launch.num_stages; ++j) {
        MPC_STRUCT(mpc_stage_info, stage);
        if (api()->program_code_stage(program, code, i, j, &stage) == MPC_OK)
          read(stage.symbol);
      }
    }
  }

  const mpc_program *program;
};

/// Runs every entry once, on inputs of zeros.
class Run {
public:
  Run(mpc_program *program, const mpc_program_info &info)
      : program(program), info(info) {
    MPC_STRUCT(mpc_session_options, options);
    options.threads = 1;
    api()->session_create(program, &options, &session, nullptr);
  }
  ~Run() { api()->session_destroy(session); }

  void runAll() {
    if (!session || api()->session_init(session, 1, nullptr) != MPC_OK)
      return;
    for (uint32_t entry = 0; entry < info.num_entries; ++entry)
      runEntry(entry);
  }

private:
  void runEntry(uint32_t entry) {
    MPC_STRUCT(mpc_entry_info, facts);
    if (api()->program_entry(program, entry, &facts) != MPC_OK)
      return;
    std::vector<std::vector<char>> zeros(facts.num_inputs);
    std::vector<mpc_input> inputs(facts.num_inputs);
    for (uint32_t i = 0; i < facts.num_inputs; ++i) {
      MPC_STRUCT(mpc_tensor_info, tensor);
      if (api()->program_input(program, entry, i, &tensor) != MPC_OK ||
          tensor.bytes > kMaxSessionBytes)
        return;
      zeros[i].resize(tensor.bytes);
      inputs[i] = {zeros[i].data(), tensor.bytes};
    }
    if (api()->session_run(session, entry, inputs.data(), facts.num_inputs,
                           nullptr) == MPC_OK)
      readOutputs(entry, facts.num_outputs);
  }

  void readOutputs(uint32_t entry, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      const void *data;
      uint64_t bytes;
      if (api()->session_output(session, entry, i, &data, &bytes, nullptr) !=
          MPC_OK)
        continue;
      // Under AddressSanitizer, reading them shows whether they are there.
      uint64_t sum = 0;
      for (uint64_t at = 0; at < bytes; ++at)
        sum += static_cast<const uint8_t *>(data)[at];
      total = total + sum;
    }
  }

  mpc_program *program;
  const mpc_program_info &info;
  mpc_session *session = nullptr;
  static inline volatile uint64_t total;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint8_t> file = withHash({data, size});
  MPC_STRUCT(mpc_load_options, options);
  mpc_program *program = nullptr;
  mpc_status status;
  if (api()->program_load_memory(file.data(), file.size(), &options, &program,
                                 &status) != MPC_OK) {
    require(status.message[0] != '\0', "a message with each refusal");
    return 0;
  }
  Description description(program);
  description.readAll();
  const mpc_program_info &info = description.info;
  if (info.state_bytes < kMaxSessionBytes &&
      info.arena_bytes < kMaxSessionBytes)
    Run(program, info).runAll();
  api()->program_release(program);
  return 0;
}
