#include "Dnnl.h"

#include "mpc/Runtime/HostCall.h"

#include <sys/mman.h>

// Of the OpenMP library that oneDNN uses. Declared here since its header is
// the compiler's, and the compiler may be of another house.
extern "C" int omp_get_max_threads(void);
extern "C" void omp_set_num_threads(int threads);

using namespace mpc;
using namespace mpc::runtime;

OneThread::OneThread() : before(omp_get_max_threads()) { useOneThread(); }
OneThread::~OneThread() { omp_set_num_threads(before); }
void runtime::useOneThread() { omp_set_num_threads(1); }

dnnl_status_t runtime::checkMemory() {
  // Several times what one primitive takes while it is made: code is generated
  // into buffers of 256 KB. Not by malloc, which would take more from the heap
  // from then on.
  constexpr size_t room = size_t(16) << 20;
  void *memory = mmap(nullptr, room, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return dnnl_out_of_memory;
  munmap(memory, room);
  return dnnl_success;
}

bool runtime::multipliesBFloat() {
  // Sets of instructions are sets of bits, each with those that it contains.
  unsigned has = dnnl_get_effective_cpu_isa();
  return (has & dnnl_cpu_isa_avx512_core_bf16) == dnnl_cpu_isa_avx512_core_bf16;
}

Status runtime::dnnlFailure(const std::string &what, dnnl_status_t status) {
  const char *name = status == dnnl_out_of_memory       ? "out of memory"
                     : status == dnnl_invalid_arguments ? "invalid arguments"
                     : status == dnnl_unimplemented     ? "unimplemented"
                                                        : "runtime error";
  return {status == dnnl_out_of_memory ? StatusCode::OutOfMemory
                                       : StatusCode::LibraryError,
          what + ": oneDNN answered " + std::to_string(status) + " (" + name +
              ")"};
}

dnnl_status_t runtime::makeEngine(DnnlEngine &engine) {
  dnnl_engine_t made = nullptr;
  dnnl_status_t status = dnnl_engine_create(&made, dnnl_cpu, 0);
  engine.reset(made);
  return status;
}

dnnl_status_t runtime::makeStream(DnnlStream &stream, dnnl_engine_t engine) {
  dnnl_stream_t made = nullptr;
  dnnl_status_t status =
      dnnl_stream_create(&made, engine, dnnl_stream_default_flags);
  stream.reset(made);
  return status;
}

dnnl_status_t runtime::makeMemory(DnnlMemory &memory,
                                  const dnnl_memory_desc_t &description,
                                  dnnl_engine_t engine, void *data) {
  dnnl_memory_t made = nullptr;
  dnnl_status_t status = dnnl_memory_create(&made, &description, engine, data);
  memory.reset(made);
  return status;
}

dnnl_status_t runtime::makeAttributes(DnnlAttributes &attributes) {
  dnnl_primitive_attr_t made = nullptr;
  dnnl_status_t status = dnnl_primitive_attr_create(&made);
  attributes.reset(made);
  if (status == dnnl_success)
    status = dnnl_primitive_attr_set_scratchpad_mode(made,
                                                     dnnl_scratchpad_mode_user);
  if (status == dnnl_success)
    status = dnnl_primitive_attr_set_fpmath_mode(made, dnnl_fpmath_mode_strict);
  return status;
}
