#include "ExternalData.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc;

namespace {
/// What a tensor says of where its data lie.
struct Place {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};
} // namespace

static bool readPlace(const ::onnx::TensorProto &tensor, Place &place,
                      std::string &error) {
  for (const auto &entry : tensor.external_data()) {
    StringRef key = entry.key(), text = entry.value();
    uint64_t number = 0;
    if (key == "location") {
      place.location = entry.value();
    } else if (key == "offset" || key == "length") {
      if (text.getAsInteger(10, number)) {
        error = "expected " + key.str() + " to be a whole number, but got '" +
                text.str() + "'";
        return false;
      }
      if (key == "offset")
        place.offset = number;
      else
        place.length = number;
    } else if (key != "checksum" && key != "basepath") {
      error = "unknown entry '" + key.str() + "' of external data";
      return false;
    }
  }
  return true;
}

/// Opens what `location` names below `folder`, one name at a time, so that no
/// name may be a link. -1 with `error` if it may not or cannot be.
static int openBelow(const std::string &folder, StringRef location,
                     std::string &error) {
  auto refuse = [&](const Twine &why) {
    error = ("location '" + location + "': " + why).str();
    return -1;
  };
  if (location.empty() || location.starts_with("/") ||
      location.contains('\0') || location.contains('\\'))
    return refuse("expected a path relative to the model's folder");
  SmallVector<StringRef> names;
  location.split(names, '/');
  int at = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (at < 0)
    return refuse("the model's folder cannot be opened: " +
                  Twine(std::strerror(errno)));
  for (auto [index, name] : llvm::enumerate(names)) {
    bool isLast = index + 1 == names.size();
    if (name.empty() || name == "." || name == "..") {
      close(at);
      return refuse("expected names of folders and a file, without '.' and "
                    "'..'");
    }
    int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    int next =
        openat(at, name.str().c_str(), isLast ? flags : flags | O_DIRECTORY);
    int failed = errno;
    close(at);
    if (next < 0 && failed == ELOOP)
      return refuse("'" + name +
                    "' is a symbolic link, which may lead out of "
                    "the model's folder; put the file itself "
                    "there");
    if (next < 0)
      return refuse("cannot be opened: " + Twine(std::strerror(failed)));
    at = next;
  }
  return at;
}

/// Zeros, if there may be memory for them beside `before` bytes: a sparse file
/// can be as long as a tensor says, however long that is.
static bool allocate(std::vector<char> &data, uint64_t bytes, uint64_t before) {
  auto pages = uint64_t(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  auto each = uint64_t(std::max(1L, sysconf(_SC_PAGESIZE)));
  if (pages > 0 && bytes / each + before / each >= pages)
    return false;
  try {
    data.resize(bytes);
  } catch (const std::bad_alloc &) {
    return false;
  }
  return true;
}

FailureOr<std::vector<char>>
mpc::onnx::readExternalData(const ::onnx::TensorProto &tensor,
                            const std::string &folder, uint64_t bytes,
                            uint64_t before, std::string &error) {
  Place place;
  if (!readPlace(tensor, place, error))
    return failure();
  if (folder.empty()) {
    error = "its data lie in file '" + place.location +
            "', but the model has no folder: give it as a file";
    return failure();
  }
  if (place.length && *place.length != bytes) {
    error = "expected " + std::to_string(bytes) +
            " bytes of external data for its shape and type, but its length "
            "is " +
            std::to_string(*place.length);
    return failure();
  }
  int file = openBelow(folder, place.location, error);
  if (file < 0)
    return failure();
  llvm::scope_exit closing([&] { close(file); });
  struct stat facts;
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    error = "location '" + place.location + "': expected a regular file";
    return failure();
  }
  uint64_t size = facts.st_size;
  if (place.offset > size || bytes > size - place.offset) {
    error = "expected " + std::to_string(bytes) + " bytes at offset " +
            std::to_string(place.offset) + " of '" + place.location +
            "', but the file has " + std::to_string(size);
    return failure();
  }
  std::vector<char> data;
  if (!allocate(data, bytes, before)) {
    error = "there is no memory for " + std::to_string(bytes) +
            " bytes of external data";
    return failure();
  }
  for (uint64_t done = 0; done < bytes;) {
    ssize_t got =
        pread(file, data.data() + done, bytes - done, place.offset + done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      error = "location '" + place.location + "': cannot be read: " +
              (got == 0 ? "it became shorter" : std::strerror(errno));
      return failure();
    }
    done += got;
  }
  return data;
}
