#include "mpc/Support/Status.h"

using namespace mpc;

std::string_view mpc::getName(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "ok";
  case StatusCode::InvalidArgument:
    return "invalid argument";
  case StatusCode::NotFound:
    return "not found";
  case StatusCode::IoError:
    return "input or output failed";
  case StatusCode::OutOfMemory:
    return "out of memory";
  case StatusCode::Internal:
    return "internal error";
  case StatusCode::BadMagic:
    return "not a program file";
  case StatusCode::Truncated:
    return "file is truncated";
  case StatusCode::ChecksumMismatch:
    return "program file fails its checksum";
  case StatusCode::Corrupt:
    return "file is corrupt";
  case StatusCode::VersionTooNew:
    return "program format is too new";
  case StatusCode::VersionTooOld:
    return "program format is too old";
  case StatusCode::WrongTarget:
    return "program is for another target";
  case StatusCode::InvalidProgram:
    return "invalid program";
  case StatusCode::CodeNotAllowed:
    return "code is not allowed";
  case StatusCode::CodeUnusable:
    return "code could not be loaded";
  case StatusCode::CpuUnsupported:
    return "processor is not supported";
  case StatusCode::DeviceUnsupported:
    return "device is not supported";
  case StatusCode::TypeMismatch:
    return "type mismatch";
  case StatusCode::ShapeMismatch:
    return "shape mismatch";
  case StatusCode::SizeMismatch:
    return "size mismatch";
  case StatusCode::NotInitialized:
    return "session is not initialized";
  case StatusCode::LibraryError:
    return "matrix library failed";
  case StatusCode::CollectiveFailed:
    return "collective failed";
  case StatusCode::DeviceFailed:
    return "device failed";
  case StatusCode::CollectiveTimedOut:
    return "collective timed out";
  }
  return "unknown code";
}
