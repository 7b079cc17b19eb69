/* What the sanitizers are told in every executable of the preset `sanitize`.
 *
 * allow_user_poisoning=0: llvm::BumpPtrAllocator marks its free memory in code
 * that is inlined into ours, but not in Debian's MLIR, which is built without
 * sanitizers. MLIR would be blamed for using memory of its own arenas.
 *
 * use_sigaltstack=0: LLVM's signal handlers, which its temporary files bring,
 * put a stack of their own in the place of the sanitizer's, which then cannot
 * unmap it when the thread ends. */
const char *__asan_default_options(void) {
  return "allow_user_poisoning=0:use_sigaltstack=0";
}

const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }
