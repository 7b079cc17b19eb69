// Instruction sets of processors, as code sections of a program name them: the
// compiler writes one shared object for each that it is asked for, the runtime
// takes the best that the machine can run.
#ifndef MPC_PROGRAM_INSTRUCTIONSETS_H
#define MPC_PROGRAM_INSTRUCTIONSETS_H

#include <string_view>

namespace mpc::program {

/// AVX2, FMA and F16C; the least that programs run on.
inline constexpr std::string_view kV3 = "x86-64-v3";
/// AVX-512 F, BW, CD, DQ and VL.
inline constexpr std::string_view kV4 = "x86-64-v4";
/// The same with AVX512-BF16, which rounds 16 numbers to bf16 at once.
inline constexpr std::string_view kV4WithBFloat = "x86-64-v4-bf16";

/// Best first. Results have the same bits on all of them.
inline constexpr std::string_view kInstructionSets[] = {kV4WithBFloat, kV4,
                                                        kV3};

} // namespace mpc::program

#endif // MPC_PROGRAM_INSTRUCTIONSETS_H
