// Files as wholes through the C interface.
#include "Handles.h"
#include "mpc/Data/File.h"

using namespace mpc;
using namespace mpc::capi;

struct mpc_file {
  data::Bytes bytes;
};

static mpc_code fileRead(const char *path, mpc_file **file,
                         mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!path || !file)
      return nullArgument("a path and a place for the file");
    *file = nullptr;
    Result<data::InputFile> input = data::InputFile::open(path);
    if (!input)
      return input.status();
    Result<data::Bytes> bytes = input->read(input->size());
    if (!bytes)
      return bytes.status();
    *file = new mpc_file{std::move(*bytes)};
    return {};
  });
}

static const void *fileData(const mpc_file *file, size_t *bytes) {
  if (bytes)
    *bytes = file ? file->bytes.size() : 0;
  return file ? file->bytes.data() : nullptr;
}

static void fileRelease(mpc_file *file) { delete file; }

static mpc_code fileWrite(const char *path, const void *data, size_t bytes,
                          mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!path || (bytes && !data))
      return nullArgument("a path and bytes");
    std::span<const std::byte> all(static_cast<const std::byte *>(data), bytes);
    return data::writeFile(std::string(path), {&all, 1});
  });
}

void mpc::capi::addFiles(mpc_api &api) {
  api.file_read = fileRead;
  api.file_data = fileData;
  api.file_release = fileRelease;
  api.file_write = fileWrite;
}
