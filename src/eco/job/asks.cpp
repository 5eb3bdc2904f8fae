// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/asks.h"

#include <link.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>

#include "eco/base/file_name.h"

namespace eco {

namespace {

constexpr const char* start_of_names = "eco_comm_";

// Of one loaded object, where it says that they are; null if it has none.
struct Dynamic {
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    const ElfW(Rela) * relocations[2] = {};
    std::size_t bytes[2] = {};
};

Dynamic dynamic_of(const dl_phdr_info& info) {
    Dynamic found;
    const ElfW(Dyn)* entry = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i)
        if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; ++entry) {
        // The loader has made addresses of most, not of the kernel's own object's.
        const ElfW(Addr) value = entry->d_un.d_ptr;
        const ElfW(Addr) address = value < info.dlpi_addr ? value + info.dlpi_addr : value;
        switch (entry->d_tag) {
            case DT_SYMTAB:
                found.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
                break;
            case DT_STRTAB:
                found.names = reinterpret_cast<const char*>(address);
                break;
            case DT_RELA:
                found.relocations[0] = reinterpret_cast<const ElfW(Rela)*>(address);
                break;
            case DT_RELASZ:
                found.bytes[0] = entry->d_un.d_val;
                break;
            case DT_JMPREL:
                found.relocations[1] = reinterpret_cast<const ElfW(Rela)*>(address);
                break;
            case DT_PLTRELSZ:
                found.bytes[1] = entry->d_un.d_val;
                break;
            default:
                break;
        }
    }
    return found;
}

// Of an object: whether some symbol that it needs of another has such a name.
template <typename Is>
bool needs(const dl_phdr_info& info, Is is) {
    const Dynamic object = dynamic_of(info);
    if (!object.symbols || !object.names) return false;
    for (std::size_t list = 0; list < 2; ++list) {
        const ElfW(Rela)* relocation = object.relocations[list];
        const std::size_t count = relocation ? object.bytes[list] / sizeof *relocation : 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto& symbol = object.symbols[relocation[i].r_info >> 32];
            if (symbol.st_shndx == SHN_UNDEF && is(object.names + symbol.st_name)) return true;
        }
    }
    return false;
}

int refers(dl_phdr_info* info, std::size_t, void*) {
    return needs(*info, [](const char* name) {
        return std::strncmp(name, start_of_names, std::strlen(start_of_names)) == 0;
    });
}

// MPI_Ibcast, MPI_Ibcast_c, mpi_ibcast_, mpi_ibcast_f08_ and so on.
bool is_nonblocking(const char* name) {
    if (strncasecmp(name, "mpi_i", 5) != 0) return false;
    constexpr std::array starts{
#define ECO_COLLECTIVE(name, ...) #name,
#define ECO_MULTICASTS(name, ...) #name,
#include "eco/schedule/operations.def"
    };
    for (const char* start : starts)
        if (strncasecmp(name + 5, start, std::strlen(start)) == 0) return true;
    return false;
}

int names_some(dl_phdr_info* info, std::size_t, void*) {
    return needs(*info, is_nonblocking) ? 1 : -1;  // the first object is the program; no others
}

bool has_all_functions(const char* path) {
    for (const char* start : {"libmpi", "MPI."})
        if (std::strncmp(file_name(path), start, std::strlen(start)) == 0) return true;
    return false;
}

int some_library_names(dl_phdr_info* info, std::size_t, void*) {
    return !has_all_functions(info->dlpi_name) && needs(*info, is_nonblocking);
}

// eco.f90 looks the functions up by name: constants of the program itself.
int names(dl_phdr_info* info, std::size_t, void*) {
    constexpr std::size_t most = 16 << 20;  // of much more, much would have to be read from disk
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || part.p_flags != PF_R || part.p_filesz > most) continue;
        // Not by memmem: AddressSanitizer has its own, which takes what lies between the program's
        // constants, all of which is looked through here, for a fault of the program.
        const char* begin = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
        const char* end = begin + part.p_filesz;
        const std::boyer_moore_horspool_searcher name(start_of_names,
                                                      start_of_names + std::strlen(start_of_names));
        if (std::search(begin, end, name) != end) return 1;
    }
    return -1;  // the first object is the program; no others
}

bool several_programs() {
    const char* programs = std::getenv("OMPI_NUM_APP_CTX");
    return programs && std::atoi(programs) > 1;
}

}  // namespace

bool needs_session_at_init() {
    return several_programs() || dl_iterate_phdr(names, nullptr) == 1 ||
           dl_iterate_phdr(refers, nullptr) == 1;
}

bool names_nonblocking() { return dl_iterate_phdr(names_some, nullptr) == 1; }

bool libraries_name_nonblocking() { return dl_iterate_phdr(some_library_names, nullptr) == 1; }

}  // namespace eco
