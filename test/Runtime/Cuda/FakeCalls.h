// The functions behind the table of FakeCuda.
#ifndef MPC_TEST_RUNTIME_CUDA_FAKECALLS_H
#define MPC_TEST_RUNTIME_CUDA_FAKECALLS_H

#include "FakeCuda.h"

namespace mpc::test {

struct FakeCalls {
  static void fillDevice(runtime::CudaApi &api);
  static void fillStreams(runtime::CudaApi &api);
  static void fillGraphs(runtime::CudaApi &api);

  /// `function` with the fake locked.
  template <auto function> struct Locked;

  // Access to the fake for the functions themselves.
  static cudaError_t enter(const std::string &name,
                           const std::string &text = "") {
    return fake().enter(name, text);
  }
  static FakeCuda &fake() { return FakeCuda::current(); }
  static FakeStream *stream(cudaStream_t handle) {
    return reinterpret_cast<FakeStream *>(handle);
  }
  static FakeEvent *event(cudaEvent_t handle) {
    return reinterpret_cast<FakeEvent *>(handle);
  }
  static cudaError_t submit(FakeStream *stream, FakeWork work);
  static cudaError_t breakRule(const std::string &rule, cudaError_t error) {
    return fake().breakRule(rule, error);
  }
  /// Forgets the owner of `handle`; a rule is broken if there is none.
  template <typename List, typename Handle>
  static cudaError_t release(List &list, Handle *handle, const char *what) {
    auto found = std::find_if(list.begin(), list.end(), [&](const auto &item) {
      return static_cast<const void *>(item.get()) == handle;
    });
    if (found == list.end())
      return breakRule(std::string("no such ") + what,
                       cudaErrorInvalidResourceHandle);
    list.erase(found);
    return cudaSuccess;
  }

  // By topic. Private members of the fake are reached here.
  static auto &deviceBlocks() { return fake().deviceBlocks; }
  static auto &pinnedBlocks() { return fake().pinnedBlocks; }
  static auto &streams() { return fake().streams; }
  static auto &events() { return fake().events; }
  static auto &libraries() { return fake().libraries; }
  static auto &graphs() { return fake().graphs; }
  static auto &execs() { return fake().execs; }
  static auto &instantiated() { return fake().instantiated; }
  static auto &currentDevice() { return fake().currentDevice; }
  static auto &used() { return fake().used; }
  static bool isDevice(const void *at, uint64_t bytes) {
    return fake().isDevice(at, bytes);
  }
  static bool isPinned(const void *at, uint64_t bytes) {
    return fake().isPinned(at, bytes);
  }
  static cudaError_t runStream(FakeStream &stream, uint64_t end) {
    return fake().runStream(stream, end);
  }
  static cudaError_t runGraph(FakeGraph &graph) {
    return fake().runGraph(graph);
  }
  static cudaError_t addNode(FakeGraph *graph, std::span<FakeNode *const> after,
                             FakeWork work, FakeNode *&node) {
    return fake().addNode(graph, after, std::move(work), node);
  }

  /// What a copy, fill or launch does, and its name in the log; the checks of
  /// its arguments are made here.
  static FakeWork makeCopy(void *result, const void *source, size_t bytes,
                           cudaMemcpyKind kind);
  static FakeWork makeFill(void *result, int value, size_t bytes);
  static FakeWork makeLaunch(const void *function, dim3 grid, dim3 block,
                             size_t shared, void *const *arguments);
};

template <typename Answer, typename... Arguments,
          Answer (*function)(Arguments...)>
struct FakeCalls::Locked<function> {
  static Answer call(Arguments... arguments) {
    std::lock_guard lock(fake().mutex);
    return function(arguments...);
  }
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_CUDA_FAKECALLS_H
