// What the files of the extension share: the tables of the C interfaces, how a
// code becomes an exception, and tensors of Python.
#ifndef MPC_PYTHON_CORE_H
#define MPC_PYTHON_CORE_H

#include "mpc-c/Compiler.h"
#include "mpc-c/Runtime.h"

#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::python {

namespace nb = nanobind;

/// Of libmpcrt, which the extension is linked with.
const mpc_api &api();

/// Of names and messages, which repeat what files say: what is no UTF-8 is
/// written as escapes.
nb::str toText(std::string_view text);
/// Refuses `text` where C would see its first part alone.
void checkText(std::string_view text, const char *what);

/// Throws what mpc._errors makes of a code and a message; needs the GIL.
[[noreturn]] void raise(mpc_code code, const std::string &message);
inline void check(mpc_code code, const mpc_status &status) {
  if (code != MPC_OK)
    raise(code, status.message);
}

/// Other threads of Python run while it lives. A thread that comes back when
/// the interpreter ends stays here: CPython before 3.14 ends it by unwinding
/// its stack, which destructors do not survive.
class OthersRun {
public:
  OthersRun();
  OthersRun(const OthersRun &) = delete;
  OthersRun &operator=(const OthersRun &) = delete;
  ~OthersRun();

private:
  PyThreadState *state; ///< Null: this thread keeps the GIL.
};

struct Program {
  mpc_program *program = nullptr;
  explicit Program(mpc_program *program) : program(program) {}
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program() { api().program_release(program); }
};

/// A tensor that was handed out; whoever takes its memory shares it.
class Tensor {
public:
  explicit Tensor(mpc_dlpack *tensor) : tensor(tensor, release) {}

  const mpc_dlpack &get() const { return *tensor; }
  /// The same elements in memory of its own, which may be written to. Takes no
  /// GIL.
  std::unique_ptr<Tensor> copy() const;
  /// A capsule of DLPack, of 1.x where `versioned`.
  nb::object capsule(bool versioned) const;

private:
  static void release(mpc_dlpack *tensor) { tensor->deleter(tensor); }
  std::shared_ptr<mpc_dlpack> tensor;
};

/// A tensor of the caller's, in place: of whatever has the buffer protocol
/// (NumPy's arrays), else of what has `__dlpack__`. Holds it until the end, for
/// which the GIL is needed; in between it may be read without.
class View {
public:
  /// `what` is for messages. `type` is that of elements, where Python has none
  /// of that name and they come as bits, "bf16"; else empty.
  View(nb::handle object, const std::string &what, const std::string &type);
  View(const View &) = delete;
  View &operator=(const View &) = delete;

  const mpc_dlpack *get() const { return tensor; }

private:
  void takeBuffer(nb::handle object, const std::string &what,
                  const std::string &type);
  void takeCapsule(nb::handle object, const std::string &what);

  /// Lets go of it also where the view is refused.
  struct Buffer : Py_buffer {
    Buffer() : Py_buffer{} {}
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { PyBuffer_Release(this); } // nothing, if it holds none
  };
  Buffer buffer;
  nb::object capsule; ///< Or what else is kept.
  mpc_dlpack own = {};
  std::vector<int64_t> shape, strides;
  const mpc_dlpack *tensor = nullptr;
};

/// "bf16", of a tensor that was handed out.
std::string typeName(const mpc_dltensor &tensor);

/// The table of the libmpcc at `path`, which stays loaded.
const mpc_compiler_api &loadCompiler(const std::string &path);

void addCompile(nb::module_ &module);
void addFiles(nb::module_ &module);
void addOnnx(nb::module_ &module);
void addProgram(nb::module_ &module);
void addSession(nb::module_ &module);
void addTensors(nb::module_ &module);
/// What the interpreter's end and forks ask of OthersRun.
void addThreads();

} // namespace mpc::python

#endif // MPC_PYTHON_CORE_H
