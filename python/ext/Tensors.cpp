#include "Core.h"

#include <cstring>

using namespace mpc::python;

namespace {
/// DLManagedTensor, of DLPack before 1.0.
struct OldManaged {
  mpc_dltensor tensor;
  void *context;
  void (*deleter)(OldManaged *self);
};

constexpr const char *kVersioned = "dltensor_versioned", *kOld = "dltensor";

struct Format {
  char letter; ///< Of the struct module.
  uint8_t code, bits;
};
constexpr Format formats[] = {{'d', MPC_DLPACK_FLOAT, 64},
                              {'f', MPC_DLPACK_FLOAT, 32},
                              {'e', MPC_DLPACK_FLOAT, 16},
                              {'q', MPC_DLPACK_INT, 64},
                              {'l', MPC_DLPACK_INT, 64},
                              {'i', MPC_DLPACK_INT, 32},
                              {'h', MPC_DLPACK_INT, 16},
                              {'b', MPC_DLPACK_INT, 8},
                              {'Q', 1, 64},
                              {'L', 1, 64},
                              {'I', 1, 32},
                              {'H', 1, 16},
                              {'B', 1, 8},
                              {'?', MPC_DLPACK_BOOL, 8}};

struct Named {
  const char *name;
  uint8_t code, bits;
};
constexpr Named types[] = {{"f64", MPC_DLPACK_FLOAT, 64},
                           {"f32", MPC_DLPACK_FLOAT, 32},
                           {"f16", MPC_DLPACK_FLOAT, 16},
                           {"bf16", MPC_DLPACK_BFLOAT, 16},
                           {"i64", MPC_DLPACK_INT, 64},
                           {"i32", MPC_DLPACK_INT, 32},
                           {"i1", MPC_DLPACK_BOOL, 8},
                           {"f8E4M3FN", MPC_DLPACK_FLOAT8_E4M3FN, 8},
                           {"f8E5M2", MPC_DLPACK_FLOAT8_E5M2, 8}};

[[noreturn]] void typeError(const std::string &message) {
  raise(MPC_TYPE_MISMATCH, message);
}

std::string className(nb::handle object) {
  return Py_TYPE(object.ptr())->tp_name;
}
} // namespace

std::string mpc::python::typeName(const mpc_dltensor &tensor) {
  for (const Named &row : types)
    if (row.code == tensor.type.code && row.bits == tensor.type.bits)
      return row.name;
  return "DLPack type code " + std::to_string(tensor.type.code) + " of " +
         std::to_string(tensor.type.bits) + " bits";
}

/// What a library says of its own array, which it does not let be read.
[[noreturn]] static void refuse(nb::python_error error,
                                const std::string &what) {
  if (!error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError))
    throw error;
  typeError(
      what + ": expected numbers in memory of the processor, but this " +
      "array cannot be read: " + nb::cast<std::string>(nb::str(error.value())));
}

//===-- Views -------------------------------------------------------------===//

View::View(nb::handle object, const std::string &what,
           const std::string &type) {
  if (nb::isinstance<Tensor>(object)) { // whose buffer is its bytes
    capsule = nb::borrow(object);
    tensor = &nb::inst_ptr<Tensor>(object)->get();
  } else if (PyObject_CheckBuffer(object.ptr()))
    takeBuffer(object, what, type);
  else if (nb::hasattr(object, "__dlpack__"))
    takeCapsule(object, what);
  else
    typeError(what +
              ": expected an array (of NumPy, or with __dlpack__), but got " +
              className(object));
}

/// The letter of a format that is one element, in the machine's order.
static char letterOf(const char *format) {
  if (!format)
    return 'B';
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  return format[0] && !format[1] ? format[0] : 0;
}

void View::takeBuffer(nb::handle object, const std::string &what,
                      const std::string &type) {
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_RECORDS_RO) != 0)
    refuse(nb::python_error(), what);
  char letter = letterOf(buffer.format);
  for (const Format &format : formats)
    if (format.letter == letter && format.bits == 8 * buffer.itemsize) {
      own.tensor.type.code = format.code;
      own.tensor.type.bits = format.bits;
    }
  for (const Named &row : types)
    if (type == row.name) {
      own.tensor.type.code = row.code;
      own.tensor.type.bits = row.bits;
    }
  if (!own.tensor.type.bits)
    typeError(what + ": expected numbers, but got elements of format '" +
              std::string(buffer.format ? buffer.format : "") + "'");
  own.tensor.type.lanes = 1;
  for (int i = 0; i < buffer.ndim; ++i) {
    shape.push_back(buffer.shape[i]);
    // One that no whole number of elements reaches is no dense one's either.
    bool isWhole = buffer.strides[i] % buffer.itemsize == 0;
    strides.push_back(isWhole ? buffer.strides[i] / buffer.itemsize : -1);
  }
  own.version.major = MPC_DLPACK_MAJOR;
  own.version.minor = MPC_DLPACK_MINOR;
  own.flags = buffer.readonly ? MPC_DLPACK_READ_ONLY : 0;
  own.tensor.data = buffer.buf;
  own.tensor.device.kind = MPC_DLPACK_CPU;
  own.tensor.ndim = buffer.ndim;
  own.tensor.shape = shape.data();
  own.tensor.strides = strides.data();
  tensor = &own;
}

/// Of `object.__dlpack__`, which older ones do not let ask for a version.
static nb::object askForCapsule(nb::handle object, const std::string &what) {
  try {
    nb::object method = object.attr("__dlpack__");
    try {
      return method(nb::arg("max_version") =
                        nb::make_tuple(MPC_DLPACK_MAJOR, MPC_DLPACK_MINOR));
    } catch (nb::python_error &error) {
      if (!error.matches(PyExc_TypeError))
        throw;
    }
    return method();
  } catch (nb::python_error &error) {
    refuse(std::move(error), what);
  }
}

/// Refuses memory of a GPU. It is asked first: a tensor that lies there need
/// not export at all.
static void refuseDevice(nb::handle object, const std::string &what) {
  if (!nb::hasattr(object, "__dlpack_device__"))
    return;
  nb::object device;
  try {
    device = object.attr("__dlpack_device__")();
  } catch (nb::python_error &error) {
    refuse(std::move(error), what);
  }
  std::pair<int64_t, int64_t> found;
  if (!nb::try_cast(device, found))
    typeError(what +
              ": expected __dlpack_device__ to give two integers, but "
              "got " +
              nb::cast<std::string>(nb::repr(device)));
  if (found.first == MPC_DLPACK_CUDA)
    raise(MPC_INVALID_ARGUMENT,
          what + ": expected memory of the processor, but got device " +
              std::to_string(found.first) + " (CUDA) number " +
              std::to_string(found.second) +
              "; copy it to the processor first");
}

void View::takeCapsule(nb::handle object, const std::string &what) {
  refuseDevice(object, what);
  capsule = askForCapsule(object, what);
  PyObject *given = capsule.ptr();
  // It is not consumed: the capsule frees the tensor with itself.
  if (PyCapsule_IsValid(given, kVersioned)) {
    tensor = static_cast<const mpc_dlpack *>(
        PyCapsule_GetPointer(given, kVersioned));
    return;
  }
  if (!PyCapsule_IsValid(given, kOld))
    typeError(what +
              ": expected __dlpack__ to give a capsule of DLPack, but "
              "got " +
              className(capsule));
  own.version.major = MPC_DLPACK_MAJOR;
  own.tensor =
      static_cast<const OldManaged *>(PyCapsule_GetPointer(given, kOld))
          ->tensor;
  tensor = &own;
}

//===-- Tensors -----------------------------------------------------------===//

/// What a capsule owns: its own struct, and a share of the memory.
template <typename Managed> struct Exported {
  Managed managed = {};
  std::shared_ptr<mpc_dlpack> owner;
};

/// A capsule that nobody took frees what is in it.
template <typename Managed>
static nb::object makeCapsule(std::unique_ptr<Exported<Managed>> exported,
                              const char *name) {
  PyObject *made =
      PyCapsule_New(&exported->managed, name, [](PyObject *capsule) {
        const char *name = PyCapsule_GetName(capsule);
        if (std::strncmp(name, "used_", 5) == 0)
          return;
        auto *managed =
            static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
        managed->deleter(managed);
      });
  if (!made)
    throw nb::python_error();
  exported.release();
  return nb::steal(made);
}

/// Bytes of what lies dense.
static size_t bytesOf(const mpc_dltensor &tensor) {
  size_t bytes = tensor.type.bits / 8;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    bytes *= static_cast<size_t>(tensor.shape[i]);
  return bytes;
}

std::unique_ptr<Tensor> Tensor::copy() const {
  struct Copied {
    mpc_dlpack managed;
    std::vector<int64_t> shape, strides;
    std::unique_ptr<uint8_t[]> elements;
  };
  const mpc_dltensor &from = tensor->tensor;
  size_t bytes = bytesOf(from);
  auto made = std::make_unique<Copied>();
  made->managed = *tensor;
  made->managed.flags = MPC_DLPACK_IS_COPIED;
  made->shape.assign(from.shape, from.shape + from.ndim);
  if (from.strides)
    made->strides.assign(from.strides, from.strides + from.ndim);
  made->elements = std::make_unique_for_overwrite<uint8_t[]>(bytes);
  if (bytes)
    std::memcpy(made->elements.get(),
                static_cast<const uint8_t *>(from.data) + from.byte_offset,
                bytes);
  mpc_dltensor &to = made->managed.tensor;
  to.data = made->elements.get();
  to.byte_offset = 0;
  to.shape = made->shape.data();
  to.strides = from.strides ? made->strides.data() : nullptr;
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](mpc_dlpack *self) {
    delete static_cast<Copied *>(self->manager_ctx);
  };
  auto result = std::make_unique<Tensor>(&made->managed);
  made.release(); // NOLINT(bugprone-unused-return-value): the tensor's
  return result;
}

nb::object Tensor::capsule(bool versioned) const {
  if (versioned) {
    auto exported = std::make_unique<Exported<mpc_dlpack>>();
    exported->owner = tensor;
    exported->managed = *tensor;
    exported->managed.manager_ctx = exported.get();
    exported->managed.deleter = [](mpc_dlpack *self) {
      delete static_cast<Exported<mpc_dlpack> *>(self->manager_ctx);
    };
    return makeCapsule(std::move(exported), kVersioned);
  }
  if (tensor->flags & MPC_DLPACK_READ_ONLY)
    throw nb::buffer_error("this tensor is read-only, which DLPack before 1.0 "
                           "cannot say: ask for max_version=(1, 0)");
  auto exported = std::make_unique<Exported<OldManaged>>();
  exported->owner = tensor;
  exported->managed.tensor = tensor->tensor;
  exported->managed.context = exported.get();
  exported->managed.deleter = [](OldManaged *self) {
    delete static_cast<Exported<OldManaged> *>(self->context);
  };
  return makeCapsule(std::move(exported), kOld);
}

static int getBuffer(PyObject *self, Py_buffer *view, int flags) {
  const mpc_dlpack &tensor = nb::inst_ptr<Tensor>(self)->get();
  static char none;
  void *data = tensor.tensor.data ? tensor.tensor.data : &none;
  return PyBuffer_FillInfo(view, self, data,
                           static_cast<Py_ssize_t>(bytesOf(tensor.tensor)),
                           (tensor.flags & MPC_DLPACK_READ_ONLY) != 0, flags);
}

static PyType_Slot slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)}, {0, nullptr}};

static nb::tuple shapeOf(const mpc_dltensor &tensor) {
  nb::list shape;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    shape.append(tensor.shape[i]);
  return nb::tuple(shape);
}

static bool isDense(const mpc_dltensor &tensor) {
  int64_t expected = 1;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    if (tensor.shape[i] == 0)
      return true;
    if (tensor.strides && tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

/// (type, shape, whether it is contiguous) of a tensor of the caller's.
static nb::tuple describe(nb::object object, const std::string &what,
                          const std::string &type) {
  View view(object, what, type);
  const mpc_dltensor &tensor = view.get()->tensor;
  return nb::make_tuple(typeName(tensor), shapeOf(tensor), isDense(tensor));
}

void mpc::python::addTensors(nb::module_ &module) {
  module.def("describe", describe, nb::arg("value"), nb::arg("what"),
             nb::arg("type"));
  nb::class_<Tensor>(module, "Tensor", nb::type_slots(slots))
      .def_prop_ro(
          "shape",
          [](const Tensor &self) { return shapeOf(self.get().tensor); })
      .def_prop_ro(
          "dtype",
          [](const Tensor &self) { return typeName(self.get().tensor); })
      .def_prop_ro("readonly",
                   [](const Tensor &self) {
                     return (self.get().flags & MPC_DLPACK_READ_ONLY) != 0;
                   })
      .def("__dlpack_device__",
           [](const Tensor &) { return nb::make_tuple(MPC_DLPACK_CPU, 0); })
      .def(
          "__dlpack__",
          [](const Tensor &self, nb::object, nb::object version,
             nb::object device, nb::object copy) {
            std::pair<int64_t, int64_t> place = {MPC_DLPACK_CPU, 0};
            if (!device.is_none() && !nb::try_cast(device, place))
              throw nb::type_error("expected dl_device=(kind, number)");
            if (place.first != MPC_DLPACK_CPU)
              throw nb::buffer_error("this tensor lies in memory of the "
                                     "processor: expected dl_device=(1, 0)");
            if (nb::bool_(copy))
              throw nb::buffer_error("expected copy=None or False, but got "
                                     "True: copy what you import");
            std::pair<int64_t, int64_t> number = {0, 0};
            if (!version.is_none() && !nb::try_cast(version, number))
              throw nb::type_error("expected max_version=(major, minor)");
            return self.capsule(number.first >= 1);
          },
          nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none());
}
