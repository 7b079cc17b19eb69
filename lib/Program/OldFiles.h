// What files of older versions say otherwise, said as files of today do. Of a
// program only what FlatBuffers and verifyAlignment check is known here, and
// all of it is to be verified again: where one list lies, the file of a
// stranger may have another. Private to this room.
#ifndef MPC_LIB_PROGRAM_OLDFILES_H
#define MPC_LIB_PROGRAM_OLDFILES_H

#include "mpc/Program/Program.h"

namespace mpc::program {

/// The calls that the products of a file of version 1 to 3 are: a buffer whose
/// root is a vector of Call. Empty if it has none. Fails with Corrupt for
/// products that have no operands to speak of.
Result<std::vector<uint8_t>> makeCalls(const Program &program);

/// Before this version products were no calls.
constexpr uint32_t kFirstVersionOfCalls = 4;
/// Lets `program` have the calls of makeCalls, which lie after it at `calls`
/// and as long as it does, in place of the old products. FlatBuffers has no
/// room in a table for a field that it was written without, but the place of
/// the old products is free: a new description of the table (vtable) at
/// `vtable`, of kVtableBytes, calls it the place of the calls.
void replaceProducts(Program &program, uint8_t *calls, uint8_t *vtable);
constexpr uint64_t kVtableBytes = Program::VT_CALLS + sizeof(uint16_t);

/// Before this version the names of states told what roles and `of` do now.
constexpr uint32_t kFirstVersionOfRoles = 3;
/// Gives the states of a program of an older version today's roles, and returns
/// what each belongs to as far as its name says it, or "".
std::vector<std::string> upgradeStates(Program &program);

} // namespace mpc::program

#endif // MPC_LIB_PROGRAM_OLDFILES_H
