// SPDX-License-Identifier: BSD-3-Clause
// libfabric, loaded on demand and never linked: if it is not installed there are no rails. Called
// by fabric_rails.cpp and by what lists a host's NICs.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <memory>
#include <string>
#include <vector>

namespace eco {

// The functions that are not inline in its headers, in the version that these headers describe.
class Libfabric {
public:
    Libfabric();
    bool usable() const { return usable_; }

    decltype(&fi_getinfo) getinfo{};
    decltype(&fi_freeinfo) freeinfo{};
    decltype(&fi_dupinfo) dupinfo{};
    decltype(&fi_fabric) fabric{};
    decltype(&fi_strerror) strerror{};

private:
    template <typename Function>
    bool find(Function& function, const char* name, const char* version);
    void* library_ = nullptr;  // stays loaded: providers have threads and exit handlers
    bool usable_ = false;
};

// A NIC that one-sided writes with notification can go out of.
struct Card {
    std::string name;      // eth1, mlx5_0, …: the domain
    std::string network;   // 10.10.0.0/16 where it has addresses of IP, else the fabric's name
    std::string provider;  // tcp, verbs;ofi_rxm, …
    std::shared_ptr<fi_info> info;
};

// All NICs of the provider that suits best, by name. Left out, with the reason: the
// loopback, interfaces that are bridges inside this host (docker0, virbr0), and those whose
// provider the user has told to keep writes back (FI_TCP_STAGING_SBUF_SIZE).
std::vector<Card> find_cards(const Libfabric& fabric,
                             std::vector<std::pair<std::string, std::string>>& left_out);

}  // namespace eco
