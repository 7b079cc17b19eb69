// Assertions: what the code around them guarantees, so that a failure is a
// mistake in it and never one of a user. What a user can cause is a Status or a
// diagnostic.
//
//   MPC_ASSERT(offset % kAlignment == 0, "the planner aligns every buffer");
//
// They are checked where the project is built with MPC_ENABLE_ASSERTS, as the
// presets with sanitizers do, and cost nothing elsewhere. NDEBUG does not
// switch them: it is always set, because Debian's MLIR was built with it.
#ifndef MPC_SUPPORT_ASSERT_H
#define MPC_SUPPORT_ASSERT_H

#ifdef MPC_ENABLE_ASSERTS
namespace mpc {
/// Says where which condition did not hold, and why it should, on stderr; ends
/// the process.
[[noreturn]] void failAssertion(const char *condition, const char *why,
                                const char *file, int line);
} // namespace mpc
#define MPC_ASSERT(condition, why)                                             \
  ((condition) ? static_cast<void>(0)                                          \
               : ::mpc::failAssertion(#condition, why, __FILE__, __LINE__))
#else
// Not evaluated, but compiled: what it names is used.
#define MPC_ASSERT(condition, why) static_cast<void>(sizeof(!(condition)))
#endif

#endif // MPC_SUPPORT_ASSERT_H
