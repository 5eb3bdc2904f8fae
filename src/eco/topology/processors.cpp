// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/processors.h"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#if ECO_HWLOC
#include <hwloc.h>
#endif

namespace eco {

#if ECO_HWLOC
namespace {

// The functions of hwloc that are needed, from the library that the process has or finds.
class Hwloc {
public:
    Hwloc() {
        // An MPI library may have brought it: then this is the same one.
        library_.reset(dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL));
        if (!library_) return;
        // hwloc calls itself by names that a program with a hwloc of its own would answer.
        void* visible = dlsym(RTLD_DEFAULT, "hwloc_topology_init");
        usable_ =
            (!visible || visible == dlsym(library_.get(), "hwloc_topology_init")) &&
            find(api_version, "hwloc_get_api_version") &&
            api_version() >> 16 == HWLOC_API_VERSION >> 16 && find(init, "hwloc_topology_init") &&
            find(load, "hwloc_topology_load") && find(destroy, "hwloc_topology_destroy") &&
            find(set_flags, "hwloc_topology_set_flags") &&
            find(set_all_filters, "hwloc_topology_set_all_types_filter") &&
            find(set_filter, "hwloc_topology_set_type_filter") &&
            find(depth_of, "hwloc_get_type_depth") && find(count_at, "hwloc_get_nbobjs_by_depth") &&
            find(object_at, "hwloc_get_obj_by_depth") && find(new_set, "hwloc_bitmap_alloc") &&
            find(free_set, "hwloc_bitmap_free") && find(add, "hwloc_bitmap_set") &&
            find(intersect, "hwloc_bitmap_and") && find(is_empty, "hwloc_bitmap_iszero") &&
            find(is_included, "hwloc_bitmap_isincluded") &&
            find(is_equal, "hwloc_bitmap_isequal") && find(weight, "hwloc_bitmap_weight") &&
            find(first, "hwloc_bitmap_first");
    }
    bool usable() const { return usable_; }

    decltype(&hwloc_get_api_version) api_version{};
    decltype(&hwloc_topology_init) init{};
    decltype(&hwloc_topology_load) load{};
    decltype(&hwloc_topology_destroy) destroy{};
    decltype(&hwloc_topology_set_flags) set_flags{};
    decltype(&hwloc_topology_set_all_types_filter) set_all_filters{};
    decltype(&hwloc_topology_set_type_filter) set_filter{};
    decltype(&hwloc_get_type_depth) depth_of{};
    decltype(&hwloc_get_nbobjs_by_depth) count_at{};
    decltype(&hwloc_get_obj_by_depth) object_at{};
    decltype(&hwloc_bitmap_alloc) new_set{};
    decltype(&hwloc_bitmap_free) free_set{};
    decltype(&hwloc_bitmap_set) add{};
    decltype(&hwloc_bitmap_and) intersect{};
    decltype(&hwloc_bitmap_iszero) is_empty{};
    decltype(&hwloc_bitmap_isincluded) is_included{};
    decltype(&hwloc_bitmap_isequal) is_equal{};
    decltype(&hwloc_bitmap_weight) weight{};
    decltype(&hwloc_bitmap_first) first{};

private:
    struct Close {
        void operator()(void* library) const { dlclose(library); }
    };
    template <typename Function>
    bool find(Function& function, const char* name) {
        void* address = dlsym(library_.get(), name);
        std::memcpy(&function, &address, sizeof address);
        return address != nullptr;
    }
    std::unique_ptr<void, Close> library_;
    bool usable_ = false;
};

// One topology, with little in it but packages, NUMA nodes and caches; one binding in it.
class Topology {
public:
    Topology(const Hwloc& hwloc, const std::vector<int>& processors)
        : hwloc_(hwloc), bound_(hwloc.new_set()) {
        if (!bound_ || hwloc_.init(&topology_) != 0) return;
        hwloc_.set_all_filters(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
        hwloc_.set_filter(topology_, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
        // NUMA nodes that are parts of a package depend on them.
        hwloc_.set_filter(topology_, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
        for (const auto cache : caches)
            hwloc_.set_filter(topology_, cache, HWLOC_TYPE_FILTER_KEEP_ALL);
        // A hwloc that is older does not know them, and does that much more.
        hwloc_.set_flags(topology_, HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                        HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                                        HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
        if (hwloc_.load(topology_) != 0) return;
        for (const int processor : processors) hwloc_.add(bound_, static_cast<unsigned>(processor));
        machine_ = hwloc_.object_at(topology_, 0, 0);
        hwloc_.intersect(bound_, bound_, machine_->cpuset);
        sound_ = !hwloc_.is_empty(bound_);
    }
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;
    ~Topology() {
        if (topology_) hwloc_.destroy(topology_);
        if (bound_) hwloc_.free_set(bound_);
    }

    Binding binding() const {
        Binding found;
        if (!sound_) return found;
        const hwloc_obj_t package = around(hwloc_.depth_of(topology_, HWLOC_OBJ_PACKAGE));
        // Memory of the whole machine may have a node of its own: the narrowest one counts.
        const hwloc_obj_t numa = around(HWLOC_TYPE_DEPTH_NUMANODE);
        hwloc_const_cpuset_t part = machine_->cpuset;
        for (const hwloc_obj_t each : {package, numa})
            if (each && hwloc_.is_included(each->cpuset, part)) part = each->cpuset;
        found.package = number(package, HWLOC_OBJ_PACKAGE);
        found.numa = number(numa, HWLOC_OBJ_NUMANODE);
        int most = 1;  // a cache of one processor is not shared
        for (const auto type : caches) {
            const hwloc_obj_t cache = around(hwloc_.depth_of(topology_, type));
            if (!cache || !hwloc_.is_included(cache->cpuset, part) ||
                hwloc_.is_equal(cache->cpuset, part) || hwloc_.weight(cache->cpuset) <= most)
                continue;
            most = hwloc_.weight(cache->cpuset);
            found.cache = hwloc_.first(cache->cpuset);
        }
        return found;
    }

private:
    static constexpr hwloc_obj_type_t caches[] = {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                                  HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};

    // The narrowest object at a depth that holds the whole binding; null if none does.
    hwloc_obj_t around(int depth) const {
        hwloc_obj_t best = nullptr;
        const unsigned count = hwloc_.count_at(topology_, depth);
        for (unsigned i = 0; i < count; ++i) {
            const hwloc_obj_t each = hwloc_.object_at(topology_, depth, i);
            if (hwloc_.is_included(bound_, each->cpuset) &&
                (!best || hwloc_.weight(each->cpuset) < hwloc_.weight(best->cpuset)))
                best = each;
        }
        return best;
    }

    // A machine that hwloc sees no packages in is all one.
    int number(hwloc_obj_t object, hwloc_obj_type_t type) const {
        if (object) return hwloc_.first(object->cpuset);
        return hwloc_.count_at(topology_, hwloc_.depth_of(topology_, type)) == 0 ? 0 : -1;
    }

    const Hwloc& hwloc_;
    hwloc_topology_t topology_ = nullptr;
    hwloc_bitmap_t bound_;
    hwloc_obj_t machine_ = nullptr;
    bool sound_ = false;
};

}  // namespace
#endif

std::vector<int> allowed_processors() {
    std::vector<int> allowed;
    for (int most = 1024; most <= 1 << 20; most *= 4) {
        cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(most));
        const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
        const bool fits = set && sched_getaffinity(0, size, set) == 0;
        const bool too_short = set && !fits && errno == EINVAL;
        for (int i = 0; fits && i < most; ++i)
            if (CPU_ISSET_S(static_cast<std::size_t>(i), size, set)) allowed.push_back(i);
        CPU_FREE(set);
        if (!too_short) break;
    }
    return allowed;
}

bool may_be_bound() {
    for (const char* other_machine : {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE"})
        if (std::getenv(other_machine)) return true;
    return static_cast<long>(allowed_processors().size()) < sysconf(_SC_NPROCESSORS_ONLN);
}

#if ECO_HWLOC
Binding find_binding(const std::vector<int>& processors) {
    const Hwloc hwloc;
    if (!hwloc.usable() || processors.empty()) return {};
    return Topology(hwloc, processors).binding();
}
#else
Binding find_binding(const std::vector<int>&) { return {}; }
#endif

}  // namespace eco
