// A loaded program, for the C++ interface (mpc-c/Runtime.hpp).
#ifndef MPC_C_PROGRAM_HPP
#define MPC_C_PROGRAM_HPP

#include "mpc-c/Runtime.h"
#include "mpc-c/Status.hpp"

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpc::rt {

namespace detail {
inline const mpc_api &api() {
  static const mpc_api *table = mpc_get_api(MPC_API_VERSION);
  return *table;
}
/// Calls a function of the table that ends in a status.
template <typename Function, typename... Args>
Status call(Function function, Args... args) {
  mpc_status status = {};
  mpc_code code = function(args..., &status);
  return code == MPC_OK ? Status() : Status(code, status.message);
}
/// Calls one that leaves a T in front of the status.
template <typename T, typename Function, typename... Args>
Expected<T> take(Function function, Args... args) {
  T taken = {};
  Status status = call(function, args..., &taken);
  if (!status)
    return status;
  return taken;
}
} // namespace detail

/// The function table, for what is asked through no class here.
using detail::api;

/// Whether a T is an element of `type`. Types that C++ lacks travel as their
/// bits: f16 and bf16 as uint16_t, f8 and i1 (0 or 1) as uint8_t.
template <typename T> constexpr bool holds(mpc_type type);
template <> constexpr bool holds<double>(mpc_type type) {
  return type == MPC_F64;
}
template <> constexpr bool holds<float>(mpc_type type) {
  return type == MPC_F32;
}
template <> constexpr bool holds<int64_t>(mpc_type type) {
  return type == MPC_I64;
}
template <> constexpr bool holds<int32_t>(mpc_type type) {
  return type == MPC_I32;
}
template <> constexpr bool holds<uint16_t>(mpc_type type) {
  return type == MPC_F16 || type == MPC_BF16;
}
template <> constexpr bool holds<uint8_t>(mpc_type type) {
  return type == MPC_I1 || type == MPC_F8E4M3 || type == MPC_F8E5M2;
}

struct LoadOptions {
  bool allowCode = false; ///< the file's kernels may run in this process
};

/// An entry with what goes in and comes out. Strings and shapes in it are the
/// program's.
struct Entry {
  uint32_t index = 0, numRecords = 0;
  std::string_view name;
  std::vector<mpc_tensor_info> inputs, outputs;

  std::optional<uint32_t> findInput(std::string_view input) const {
    return find(inputs, input);
  }
  std::optional<uint32_t> findOutput(std::string_view output) const {
    return find(outputs, output);
  }

private:
  static std::optional<uint32_t> find(const std::vector<mpc_tensor_info> &list,
                                      std::string_view name) {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].name == name)
        return static_cast<uint32_t>(i);
    return std::nullopt;
  }
};

/// A file that was read whole; see file_read. Move-only.
class File {
public:
  static Expected<File> read(const std::string &path) {
    mpc_file *handle = nullptr;
    if (Status status =
            detail::call(detail::api().file_read, path.c_str(), &handle);
        !status)
      return status;
    return File(handle);
  }
  /// They live as long as this.
  std::string_view bytes() const {
    size_t size = 0;
    const void *data = detail::api().file_data(handle.get(), &size);
    return {static_cast<const char *>(data), size};
  }
  /// Replaces the file at `path`, or writes a new one; see file_write.
  static Status write(const std::string &path, std::string_view bytes) {
    return detail::call(detail::api().file_write, path.c_str(), bytes.data(),
                        bytes.size());
  }

private:
  struct Release {
    void operator()(mpc_file *file) const { detail::api().file_release(file); }
  };
  explicit File(mpc_file *file) : handle(file) {}
  std::unique_ptr<mpc_file, Release> handle;
};

/// A loaded program; copies share it.
class Program {
public:
  static Expected<Program> load(const std::string &path,
                                LoadOptions options = {}) {
    MPC_STRUCT(mpc_load_options, c);
    c.allow_code = options.allowCode;
    mpc_program *handle = nullptr;
    Status status = detail::call(detail::api().program_load_file, path.c_str(),
                                 &c, &handle);
    Expected<Program> program = take(handle, std::move(status));
    if (program)
      program->file = path;
    return program;
  }
  static Expected<Program> loadMemory(const void *data, size_t bytes,
                                      LoadOptions options = {}) {
    MPC_STRUCT(mpc_load_options, c);
    c.allow_code = options.allowCode;
    mpc_program *handle = nullptr;
    Status status = detail::call(detail::api().program_load_memory, data, bytes,
                                 &c, &handle);
    return take(handle, std::move(status));
  }

  /// The file that it was loaded from; "" if it was memory.
  const std::string &path() const { return file; }
  mpc_program_info info() const {
    MPC_STRUCT(mpc_program_info, info);
    detail::api().program_info(get(), &info);
    return info;
  }
  /// How it was compiled: "accumulate", "loss-scale", ...
  std::optional<std::string> setting(const std::string &name) const {
    const char *key = nullptr, *value = nullptr;
    for (uint32_t i = 0, count = info().num_settings; i < count; ++i)
      if (detail::api().program_setting(get(), i, &key, &value) == MPC_OK &&
          name == key)
        return std::string(value);
    return std::nullopt;
  }
  std::vector<mpc_state_info> states() const {
    std::vector<mpc_state_info> list(info().num_states);
    for (uint32_t i = 0; i < list.size(); ++i) {
      list[i].struct_size = sizeof(mpc_state_info);
      detail::api().program_state(get(), i, &list[i]);
    }
    return list;
  }
  std::optional<mpc_state_info> findState(std::string_view name) const {
    for (const mpc_state_info &state : states())
      if (state.name == name)
        return state;
    return std::nullopt;
  }
  /// The state of `role` that belongs to nothing in particular: the one loss
  /// scale, the learning rate of the parameters that are in no group.
  std::optional<mpc_state_info> findState(mpc_role role) const {
    for (const mpc_state_info &state : states())
      if (state.role == role && !*state.of)
        return state;
    return std::nullopt;
  }
  /// The names of its parameter groups, each of which counts its own steps.
  std::vector<std::string> groups() const {
    std::vector<std::string> names;
    for (const mpc_state_info &state : states())
      if (state.role == MPC_STEP_COUNTER && *state.of)
        names.push_back(state.of);
    return names;
  }
  /// Of one step: runs of "accumulate", and the one of "step"; 1 without
  /// accumulation.
  Expected<uint64_t> microBatches() const {
    std::string text = setting("accumulate").value_or("1");
    uint64_t count = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), count);
    bool isNumber = error == std::errc() && end == text.data() + text.size();
    if (isNumber && count > 0 &&
        (count > 1) == static_cast<bool>(findEntry("accumulate")))
      return count;
    return Status(MPC_INVALID_PROGRAM,
                  "'" + file +
                      "': expected an entry 'accumulate' if and only if a step "
                      "has several micro-batches, but setting 'accumulate' is "
                      "'" +
                      text + "'");
  }
  std::vector<Entry> entries() const {
    std::vector<Entry> list(info().num_entries);
    for (uint32_t i = 0; i < list.size(); ++i)
      list[i] = entry(i);
    return list;
  }
  /// The entry `name`; MPC_NOT_FOUND lists the others.
  Expected<Entry> entry(const std::string &name) const {
    Expected<uint32_t> index = findEntry(name);
    if (!index)
      return index.status();
    return entry(*index);
  }
  Expected<uint32_t> findEntry(const std::string &name) const {
    uint32_t index = 0;
    Status status = detail::call(detail::api().program_find_entry, get(),
                                 name.c_str(), &index);
    if (!status)
      return status;
    return index;
  }
  std::vector<mpc_tensor_info> inputs(uint32_t entry) const {
    return tensors(entry, detail::api().program_input);
  }
  std::vector<mpc_tensor_info> outputs(uint32_t entry) const {
    return tensors(entry, detail::api().program_output);
  }
  /// All of them, or why not: to describe one takes memory.
  Expected<std::vector<mpc_record_info>> records(uint32_t entry) const {
    MPC_STRUCT(mpc_entry_info, facts);
    mpc_code code = detail::api().program_entry(get(), entry, &facts);
    std::vector<mpc_record_info> list(facts.num_records);
    MPC_STRUCT(mpc_record_info, info);
    for (uint32_t i = 0; i < list.size() && code == MPC_OK; ++i) {
      code = detail::api().program_record(get(), entry, i, &info);
      list[i] = info;
    }
    if (code != MPC_OK)
      return Status(code, "'" + file + "': records of entry " +
                              std::to_string(entry) +
                              " could not be described");
    return list;
  }
  mpc_program *get() const { return handle.get(); }

private:
  static Expected<Program> take(mpc_program *made, Status status) {
    if (!status)
      return status;
    Program program;
    program.handle.reset(made, detail::api().program_release);
    return program;
  }
  Entry entry(uint32_t index) const {
    MPC_STRUCT(mpc_entry_info, info);
    detail::api().program_entry(get(), index, &info);
    return {index, info.num_records, info.name, inputs(index), outputs(index)};
  }
  template <typename Query>
  std::vector<mpc_tensor_info> tensors(uint32_t entry, Query query) const {
    std::vector<mpc_tensor_info> list;
    MPC_STRUCT(mpc_tensor_info, info);
    while (query(get(), entry, static_cast<uint32_t>(list.size()), &info) ==
           MPC_OK)
      list.push_back(info);
    return list;
  }
  std::shared_ptr<mpc_program> handle;
  std::string file;
};

} // namespace mpc::rt

#endif // MPC_C_PROGRAM_HPP
