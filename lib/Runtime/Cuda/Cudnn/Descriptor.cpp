#include "Descriptor.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;

Status runtime::makeStatus(const CudnnApi &api, cudnnStatus_t status,
                           std::string_view what) {
  if (status == CUDNN_STATUS_SUCCESS)
    return {};
  std::string text = std::string(what) + ": " + api.cudnnGetErrorString(status);
  char detail[512] = {};
  api.cudnnGetLastErrorString(detail, sizeof detail);
  if (detail[0] != 0)
    text += std::string(", ") + detail;
  return {status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED
              ? StatusCode::OutOfMemory
              : StatusCode::LibraryError,
          std::move(text)};
}

Result<int64_t>
Descriptor::readNumber(cudnnBackendAttributeName_t attribute) const {
  int64_t value = 0, count = 0;
  if (Status status = makeStatus(
          *api,
          api->cudnnBackendGetAttribute(handle, attribute, CUDNN_TYPE_INT64, 1,
                                        &count, &value),
          "cudnnBackendGetAttribute");
      !status.ok())
    return status;
  return value;
}

Result<std::vector<cudnnBackendNumericalNote_t>> Descriptor::readNotes() const {
  std::vector<cudnnBackendNumericalNote_t> notes(
      CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  int64_t count = 0;
  if (Status status = makeStatus(*api,
                                 api->cudnnBackendGetAttribute(
                                     handle, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                     CUDNN_TYPE_NUMERICAL_NOTE,
                                     static_cast<int64_t>(notes.size()), &count,
                                     static_cast<void *>(notes.data())),
                                 "cudnnBackendGetAttribute of numerical notes");
      !status.ok())
    return status;
  // A newer library may know more of them than it has room for.
  notes.resize(static_cast<size_t>(
      std::clamp<int64_t>(count, 0, static_cast<int64_t>(notes.size()))));
  return notes;
}

Result<std::vector<Descriptor>>
Descriptor::readList(cudnnBackendAttributeName_t attribute,
                     cudnnBackendDescriptorType_t type) const {
  auto read = [&](int64_t room, int64_t &count, void *values) {
    return makeStatus(*api,
                      api->cudnnBackendGetAttribute(
                          handle, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                          room, &count, values),
                      "cudnnBackendGetAttribute of a list");
  };
  int64_t count = 0;
  if (Status status = read(0, count, nullptr); !status.ok())
    return status;
  // The caller makes what the library fills.
  std::vector<Descriptor> list;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (int64_t i = 0; i < count; ++i) {
    cudnnBackendDescriptor_t made = nullptr;
    if (Status status =
            makeStatus(*api, api->cudnnBackendCreateDescriptor(type, &made),
                       "cudnnBackendCreateDescriptor of a list's member");
        !status.ok())
      return status;
    list.emplace_back(*api, made);
    handles.push_back(made);
  }
  if (count != 0)
    if (Status status = read(count, count, static_cast<void *>(handles.data()));
        !status.ok())
      return status;
  list.resize(static_cast<size_t>(count));
  return list;
}

DescriptorBuilder::DescriptorBuilder(const CudnnApi &api,
                                     cudnnBackendDescriptorType_t type,
                                     const char *what)
    : api(api), what(what) {
  cudnnBackendDescriptor_t handle = nullptr;
  failure = makeStatus(api, api.cudnnBackendCreateDescriptor(type, &handle),
                       std::string("cudnnBackendCreateDescriptor of ") + what);
  made = Descriptor(api, handle);
}

DescriptorBuilder &DescriptorBuilder::set(cudnnBackendAttributeName_t attribute,
                                          cudnnBackendAttributeType_t type,
                                          size_t count, const void *values) {
  if (failure.ok())
    failure = makeStatus(
        api,
        api.cudnnBackendSetAttribute(made.get(), attribute, type,
                                     static_cast<int64_t>(count), values),
        "cudnnBackendSetAttribute " + std::to_string(attribute) + " of " +
            what);
  return *this;
}

DescriptorBuilder &DescriptorBuilder::set(cudnnBackendAttributeName_t attribute,
                                          std::span<const Descriptor> values) {
  std::vector<cudnnBackendDescriptor_t> handles;
  for (const Descriptor &value : values)
    handles.push_back(value.get());
  return set(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, handles.size(),
             static_cast<const void *>(handles.data()));
}

Result<Descriptor> DescriptorBuilder::finish() {
  if (failure.ok())
    failure = makeStatus(api, api.cudnnBackendFinalize(made.get()),
                         std::string("cudnnBackendFinalize of ") + what);
  if (!failure.ok())
    return failure;
  return std::move(made);
}
