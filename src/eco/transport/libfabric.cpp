// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/libfabric.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "eco/transport/interfaces.h"

namespace eco {

// If a socket is full the tcp provider copies the end of a write into a staging buffer, reports
// the write as complete, and sends the rest when libfabric is called next. A rank that has done its
// part of a collective does not call it again, and its peers would wait forever. Without a staging
// buffer a write is complete when the kernel has all of it. Read when libfabric starts, which may
// be in the program's MPI_Init (docs/decisions/0012-no-staging-buffer.md). A user's own setting
// stays: then there are no rails.
static constexpr std::array staging_buffers{std::pair("tcp", "FI_TCP_STAGING_SBUF_SIZE"),
                                            std::pair("net", "FI_NET_STAGING_SBUF_SIZE")};

__attribute__((constructor)) static void disable_staging_buffers() {
    for (const auto& [provider, variable] : staging_buffers) setenv(variable, "0", 0);
}

// Why a write over this provider may be incomplete when reported complete; empty if it cannot be.
static std::string why_incomplete(const std::string& name) {
    for (const auto& [provider, variable] : staging_buffers) {
        const char* value = std::getenv(variable);
        if (name.starts_with(provider) && value && std::strcmp(value, "0") != 0)
            return std::string(variable) + " is " + value +
                   ", with which the end of a message may stay in libfabric; rails need 0";
    }
    return "";
}

Libfabric::Libfabric() {
    // An MPI library may have brought it: then this is the same one.
    library_ = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    usable_ =
        library_ && find(getinfo, "fi_getinfo", "FABRIC_1.3") &&
        find(freeinfo, "fi_freeinfo", "FABRIC_1.3") && find(dupinfo, "fi_dupinfo", "FABRIC_1.3") &&
        find(fabric, "fi_fabric", "FABRIC_1.1") && find(strerror, "fi_strerror", "FABRIC_1.0");
}

template <typename Function>
bool Libfabric::find(Function& function, const char* name, const char* version) {
    void* address = dlvsym(library_, name, version);
    std::memcpy(&function, &address, sizeof address);
    return address != nullptr;
}

namespace {

// Best first. Shared memory and datagrams are no rails.
constexpr std::array providers{"cxi",   "efa", "psm3",        "opx", "verbs;ofi_rxm",
                               "verbs", "tcp", "tcp;ofi_rxm", "net"};

}  // namespace

std::vector<Card> find_cards(const Libfabric& fabric,
                             std::vector<std::pair<std::string, std::string>>& left_out) {
    const auto release = [free = fabric.freeinfo](fi_info* info) { free(info); };
    const std::shared_ptr<fi_info> hints(fabric.dupinfo(nullptr), release);
    hints->caps = FI_MSG | FI_RMA | FI_WRITE | FI_REMOTE_WRITE;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->cq_data_size = 4;
    fi_info* list = nullptr;
    if (fabric.getinfo(FI_VERSION(1, 15), nullptr, nullptr, 0, hints.get(), &list) != 0) return {};
    const std::shared_ptr<fi_info> all(list, release);

    const auto rank = [](const fi_info* info) {
        return std::find(providers.begin(), providers.end(),
                         std::string(info->fabric_attr->prov_name)) -
               providers.begin();
    };
    std::vector<Card> cards;
    auto best = static_cast<std::ptrdiff_t>(providers.size());
    for (const fi_info* info = list; info; info = info->next) {
        if (!info->domain_attr->name || !info->fabric_attr->prov_name) continue;
        if (rank(info) > best || rank(info) == static_cast<std::ptrdiff_t>(providers.size()))
            continue;
        Card card{info->domain_attr->name, "", info->fabric_attr->prov_name, nullptr};
        bool loopback = false;
        if (info->addr_format == FI_SOCKADDR_IN && info->src_addr) {
            sockaddr_in address{};
            std::memcpy(&address, info->src_addr, sizeof address);
            card.network = subnet_of(address, loopback);
        } else if (info->addr_format != FI_SOCKADDR_IN6) {
            card.network = info->fabric_attr->name ? info->fabric_attr->name : "";
        }
        const std::string kept = why_incomplete(card.provider);
        if (loopback || is_bridge(card.name) || !kept.empty()) {
            const std::pair<std::string, std::string> why(
                card.name, loopback               ? "the loopback"
                           : is_bridge(card.name) ? "a bridge inside the host"
                                                  : kept);
            if (std::find(left_out.begin(), left_out.end(), why) == left_out.end())
                left_out.push_back(why);
            continue;
        }
        if (card.network.empty()) continue;
        const bool known = std::any_of(cards.begin(), cards.end(), [&](const Card& other) {
            return rank(info) == best && other.name == card.name;
        });
        if (known) continue;
        if (rank(info) < best) {
            best = rank(info);
            cards.clear();
        }
        // A copy's `next` is null, so that it is freed alone.
        card.info = {fabric.dupinfo(info), release};
        cards.push_back(std::move(card));
    }
    // eth2 before eth10.
    std::sort(cards.begin(), cards.end(), [](const Card& a, const Card& b) {
        return std::pair(a.name.size(), a.name) < std::pair(b.name.size(), b.name);
    });
    return cards;
}

}  // namespace eco
