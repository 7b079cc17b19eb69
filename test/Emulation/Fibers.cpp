#include "Fibers.h"
#include "FiberWatch.h"
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __x86_64__
#include <ucontext.h>
#endif

using namespace mpc::emulation;

// The lowest page of a stack is closed: an overflow stops where it happens.
static size_t getPage() { return size_t(sysconf(_SC_PAGESIZE)); }

#ifdef __x86_64__
// mpcFiberSwitch(void **save, void *stack) returns on the other stack;
// mpcFiberStart calls r12 with rbx.
asm(R"(
  .text
  .type mpcFiberSwitch, @function
mpcFiberSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size mpcFiberSwitch, .-mpcFiberSwitch
  .type mpcFiberStart, @function
mpcFiberStart:
  movq %rbx, %rdi
  call *%r12
  ud2
  .size mpcFiberStart, .-mpcFiberStart
)");
extern "C" void mpcFiberSwitch(void **save, void *stack);
extern "C" void mpcFiberStart();

namespace {
struct Flow {
  void *stack = nullptr;
  void begin(char *low, size_t bytes, Fibers::Entry entry, void *argument) {
    // As mpcFiberSwitch left it: r15, r14, r13, r12, rbx, rbp, return address.
    // 9 words: the stack is aligned to 16 where mpcFiberStart calls.
    auto *top = reinterpret_cast<void **>(low + bytes) - 9;
    std::memset(top, 0, 8 * sizeof(void *));
    top[3] = reinterpret_cast<void *>(entry);
    top[4] = argument;
    top[6] = reinterpret_cast<void *>(&mpcFiberStart);
    stack = top;
  }
  MPC_NO_THREAD_SANITIZER void switchTo(Flow &other) {
    mpcFiberSwitch(&stack, other.stack);
  }
};
} // namespace
#else
namespace {
struct Flow {
  ucontext_t context;
  Fibers::Entry entry;
  void *argument;

  void begin(char *low, size_t bytes, Fibers::Entry function, void *own) {
    entry = function;
    argument = own;
    getcontext(&context);
    context.uc_stack.ss_sp = low;
    context.uc_stack.ss_size = bytes;
    auto self = reinterpret_cast<uintptr_t>(this);
    makecontext(&context, reinterpret_cast<void (*)()>(&start), 2,
                unsigned(self >> 32), unsigned(self));
  }
  static void start(unsigned high, unsigned low) {
    auto *self = reinterpret_cast<Flow *>(uintptr_t(high) << 32 | low);
    self->entry(self->argument);
  }
  MPC_NO_THREAD_SANITIZER void switchTo(Flow &other) {
    swapcontext(&context, &other.context);
  }
};
} // namespace
#endif

struct Fibers::Switch {
  Flow main;
  std::vector<Flow> fibers;
  FiberWatch watch;
};

Fibers::Fibers(size_t count, Entry entry, void *argument)
    : count(count), entry(entry), argument(argument),
      flows(new Switch{{}, std::vector<Flow>(count), FiberWatch(count)}) {
  void *all = mmap(nullptr, count * kStackBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    throw std::bad_alloc();
  memory = static_cast<char *>(all);
  for (size_t number = 0; number < count; ++number)
    mprotect(getStack(number), getPage(), PROT_NONE);
}

Fibers::~Fibers() { munmap(memory, count * kStackBytes); }

char *Fibers::getStack(size_t number) const {
  return memory + number * kStackBytes;
}

void Fibers::prepare(size_t number) {
  // Stacks begin at different cache sets, or all would compete for a few.
  size_t bytes = kStackBytes - number % 61 * 64;
  flows->fibers[number].begin(getStack(number), bytes, &Fibers::run, this);
  flows->watch.prepare(number);
}

MPC_NO_THREAD_SANITIZER void Fibers::run(void *pointer) {
  auto *self = static_cast<Fibers *>(pointer);
  self->flows->watch.inFiber(self->running);
  self->entry(self->argument);
  self->leave(/*forEver=*/true);
}

void Fibers::resume(size_t number) {
  running = number;
  flows->watch.toFiber(number, getStack(number), kStackBytes);
  flows->main.switchTo(flows->fibers[number]);
  flows->watch.inMain();
}

MPC_NO_THREAD_SANITIZER void Fibers::leave(bool forEver) {
  size_t number = running;
  flows->watch.toMain(number, forEver);
  flows->fibers[number].switchTo(flows->main);
  flows->watch.inFiber(number);
}
