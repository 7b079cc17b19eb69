// Parts are ranges of the first dim, of one size, so that one primitive does
// all of them, each at its own address.
#include "Reorder.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;

/// Cuts both into `parts`, if neither has blocks that lie across.
bool Reorder::cutInto(int parts) {
  if (from.dims[0] % parts != 0)
    return false;
  auto take = [&](const dnnl_memory_desc_t &whole, int part,
                  dnnl_memory_desc_t &made) {
    dnnl_dims_t dims, offsets = {};
    std::copy_n(whole.dims, whole.ndims, dims);
    dims[0] /= parts;
    offsets[0] = part * dims[0];
    return dnnl_memory_desc_init_submemory(&made, &whole, dims, offsets) ==
           dnnl_success;
  };
  dnnl_memory_desc_t fromFirst, fromNext, toFirst, toNext;
  if (!take(from, 0, fromFirst) || !take(from, 1, fromNext) ||
      !take(to, 0, toFirst) || !take(to, 1, toNext))
    return false;
  auto getStep = [](const dnnl_memory_desc_t &first,
                    const dnnl_memory_desc_t &next) {
    return static_cast<uint64_t>(next.offset0 - first.offset0) *
           dnnl_data_type_size(first.data_type);
  };
  fromStep = getStep(fromFirst, fromNext);
  toStep = getStep(toFirst, toNext);
  from = fromFirst;
  to = toFirst;
  count = static_cast<uint32_t>(parts);
  return true;
}

/// A part is worth some ten microseconds.
void Reorder::cut() {
  constexpr uint64_t least = uint64_t(128) << 10;
  constexpr int most = 16;
  uint64_t bytes = dnnl_memory_desc_get_size(&from);
  for (int parts = most; parts > 1; parts /= 2)
    if (bytes / static_cast<uint64_t>(parts) >= least && cutInto(parts))
      return;
}

dnnl_status_t Reorder::make(dnnl_engine_t engine) {
  dnnl_status_t status = checkMemory();
  DnnlAttributes attributes;
  if (status == dnnl_success)
    status = makeAttributes(attributes);
  dnnl_primitive_desc_t described = nullptr;
  if (status == dnnl_success)
    status = dnnl_reorder_primitive_desc_create(&described, &from, engine, &to,
                                                engine, attributes.get());
  DnnlDescription owner(described);
  dnnl_primitive_t made = nullptr;
  if (status == dnnl_success)
    status = dnnl_primitive_create(&made, described);
  primitive.reset(made);
  if (status == dnnl_success)
    scratch =
        *dnnl_primitive_desc_query_md(described, dnnl_query_scratchpad_md, 0);
  return status;
}

Result<std::unique_ptr<Reorder>> Reorder::create(dnnl_engine_t engine,
                                                 const dnnl_memory_desc_t &from,
                                                 const dnnl_memory_desc_t &to) {
  auto made = std::make_unique<Reorder>();
  made->from = from;
  made->to = to;
  made->cut();
  dnnl_status_t status = callDnnl([&] { return made->make(engine); });
  if (status == dnnl_success)
    return made;
  return dnnlFailure("layout of a weight", status);
}

dnnl_status_t Reorder::makeArguments(dnnl_engine_t engine,
                                     Arguments &own) const {
  dnnl_status_t status = checkMemory();
  if (status == dnnl_success)
    status = makeStream(own.stream, engine);
  for (auto [slot, description] :
       {std::pair(&own.from, &from), std::pair(&own.to, &to)})
    if (status == dnnl_success)
      status = makeMemory(*slot, *description, engine, nullptr);
  if (status != dnnl_success)
    return status;
  own.scratchBytes.resize(dnnl_memory_desc_get_size(&scratch));
  return makeMemory(own.scratch, scratch, engine,
                    own.scratchBytes.empty() ? nullptr
                                             : own.scratchBytes.data());
}

Status Reorder::bind(dnnl_engine_t engine, uint32_t buffers) {
  arguments.resize(buffers);
  for (Arguments &own : arguments)
    if (dnnl_status_t status =
            callDnnl([&] { return makeArguments(engine, own); });
        status != dnnl_success)
      return dnnlFailure("arguments of a weight's layout", status);
  return {};
}

dnnl_status_t Reorder::run(uint32_t buffer, uint32_t part, const void *fromData,
                           void *toData) {
  Arguments &own = arguments[buffer];
  dnnl_exec_arg_t list[] = {{DNNL_ARG_FROM, own.from.get()},
                            {DNNL_ARG_TO, own.to.get()},
                            {DNNL_ARG_SCRATCHPAD, own.scratch.get()}};
  auto *source = const_cast<uint8_t *>(static_cast<const uint8_t *>(fromData));
  auto *target = static_cast<uint8_t *>(toData);
  // On a thread of the pool: an exception would end the process.
  return callDnnl([&] {
    dnnl_status_t status =
        dnnl_memory_set_data_handle(own.from.get(), source + part * fromStep);
    if (status == dnnl_success)
      status =
          dnnl_memory_set_data_handle(own.to.get(), target + part * toStep);
    if (status == dnnl_success)
      status =
          dnnl_primitive_execute(primitive.get(), own.stream.get(), 3, list);
    return status;
  });
}
