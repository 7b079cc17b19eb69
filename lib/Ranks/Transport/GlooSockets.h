// Gloo's sockets, which it makes without close-on-exec: programs that a rank
// starts would inherit them, and keep its connections open when it is gone.
#ifndef MPC_LIB_RANKS_TRANSPORT_GLOOSOCKETS_H
#define MPC_LIB_RANKS_TRANSPORT_GLOOSOCKETS_H

#include <sys/socket.h>
#include <vector>

namespace mpc_plugin {

/// Keeps those sockets of this process from programs that are bound to one of
/// `own`, or connected to one of `peers`: addresses, with ports, of which each
/// is one pair's of Gloo, so that nobody else has such a socket. On Gloo's
/// thread, which closes them.
void keepFromPrograms(const std::vector<sockaddr_storage> &own,
                      const std::vector<sockaddr_storage> &peers);

} // namespace mpc_plugin

#endif // MPC_LIB_RANKS_TRANSPORT_GLOOSOCKETS_H
