// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/native.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "eco/base/error.h"
#include "eco/base/file_name.h"

namespace eco {

namespace {

struct Library {
    const char* path = nullptr;  // the loader's
    void* handle = nullptr;
    bool standard = false;  // MPI-5's own interface
};

Library library;
Native table;

bool starts_with(const char* text, const char* start) {
    return std::strncmp(text, start, std::strlen(start)) == 0;
}

// Not so libmpifort, libmpi_mpifh and others whose names start alike.
bool has_collectives(const char* path) {
    void* handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) return false;
    // Of this object, not of one that it needs.
    void* address = dlsym(handle, "PMPI_Bcast");
    Dl_info found{};
    const bool own =
        address && dladdr(address, &found) != 0 && std::strcmp(found.dli_fname, path) == 0;
    dlclose(handle);
    return own;
}

// Nothing may be thrown through the loader, which unwinds by another libgcc than this object.
int look_at(dl_phdr_info* info, std::size_t, void* result) noexcept {
    const char* name = file_name(info->dlpi_name);
    auto* found = static_cast<Library*>(result);
    if (starts_with(name, "libmpi_abi.so")) {
        *found = {info->dlpi_name, nullptr, true};
        return 1;
    }
    // Debian names MPICH's library libmpich, Cray its own libmpi_gnu_91.so.12 and the like.
    if (!found->path && starts_with(name, "libmpi") && std::strstr(name, ".so") &&
        has_collectives(info->dlpi_name))
        *found = {info->dlpi_name, nullptr, false};
    return 0;
}

// What MPI_Get_library_version says, which may be called before MPI_Init. As long as any library's
// that is known; no string of its own, as below.
std::array<char, 16384> said_by_library;

// Without "MPI VERSION : " (Cray), and what follows the first line.
std::string_view name_in(std::string_view said) {
    said = said.substr(0, said.find('\n'));
    constexpr std::string_view before = "MPI VERSION";
    if (said.substr(0, before.size()) != before) return said;
    return said.substr(std::min(said.find_first_not_of(" :", before.size()), said.size()));
}

std::string_view said_name() {
    int (*say)(char*, int*) = nullptr;
    void* address = dlsym(library.handle, "PMPI_Get_library_version");
    if (!address) address = dlsym(library.handle, "MPI_Get_library_version");
    std::memcpy(&say, &address, sizeof address);
    int length = 0;
    if (!say || say(said_by_library.data(), &length) != 0) return {};
    said_by_library.back() = 0;
    return name_in(said_by_library.data());
}

// Null: one whose handles have a form that is not known.
const char* family() {
    if (library.standard) return "abi";
    // Its data has these names in whatever is made of it: Spectrum MPI, Fujitsu's, Bull's.
    if (dlsym(library.handle, "ompi_mpi_comm_world")) return "openmpi";
    return says_mpich_abi(said_name()) ? "mpich" : nullptr;
}

// No string of its own: the first call of any MPI function comes here, and may find no memory.
template <typename Function>
void find(Function& function, const char* profiled, const char* plain, const char* extension) {
    void* address = dlsym(library.handle, profiled);
    if (!address) address = dlsym(library.handle, plain);
    // ULFM, and in Open MPI 4 persistent collectives.
    if (!address) address = dlsym(library.handle, extension);
    std::memcpy(&function, &address, sizeof address);
}

void fill() {
#define ECO_TAKEN(name) find(table.name, "PMPI_" #name, "MPI_" #name, "PMPIX_" #name);
#define ECO_CALLED(name) find(table.name, "PMPI_" #name, "MPI_" #name, "PMPIX_" #name);
#if ECO_HAS_COUNT
#define ECO_TAKEN_COUNT(name)                                                                      \
    find(table.name, "PMPI_" #name, "MPI_" #name, "PMPIX_" #name);                                 \
    find(table.name##_c, "PMPI_" #name "_c", "MPI_" #name "_c", "PMPIX_" #name "_c");
#else
#define ECO_TAKEN_COUNT(name) find(table.name, "PMPI_" #name, "MPI_" #name, "PMPIX_" #name);
#endif
#include "eco/mpi/functions.def"
#if ECO_HAS_COUNT
    find(table.Type_get_envelope_c, "PMPI_Type_get_envelope_c", "MPI_Type_get_envelope_c",
         "PMPIX_Type_get_envelope_c");
#endif
    table.comm_world = ECO_HANDLE(MPI_Comm, MPI_COMM_WORLD, "ompi_mpi_comm_world");
    table.comm_null = ECO_HANDLE(MPI_Comm, MPI_COMM_NULL, "ompi_mpi_comm_null");
    table.comm_self = ECO_HANDLE(MPI_Comm, MPI_COMM_SELF, "ompi_mpi_comm_self");
    table.datatype_null = ECO_HANDLE(MPI_Datatype, MPI_DATATYPE_NULL, "ompi_mpi_datatype_null");
    table.op_null = ECO_HANDLE(MPI_Op, MPI_OP_NULL, "ompi_mpi_op_null");
    table.byte = ECO_HANDLE(MPI_Datatype, MPI_BYTE, "ompi_mpi_byte");
    table.int32 = ECO_HANDLE(MPI_Datatype, MPI_INT32_T, "ompi_mpi_int32_t");
    table.real64 = ECO_HANDLE(MPI_Datatype, MPI_DOUBLE, "ompi_mpi_double");
    table.sum = ECO_HANDLE(MPI_Op, MPI_SUM, "ompi_mpi_op_sum");
    table.max = ECO_HANDLE(MPI_Op, MPI_MAX, "ompi_mpi_op_max");
    table.min = ECO_HANDLE(MPI_Op, MPI_MIN, "ompi_mpi_op_min");
    table.errors_return = ECO_HANDLE(MPI_Errhandler, MPI_ERRORS_RETURN, "ompi_mpi_errors_return");
    table.errors_are_fatal =
        ECO_HANDLE(MPI_Errhandler, MPI_ERRORS_ARE_FATAL, "ompi_mpi_errors_are_fatal");
    table.request_null = ECO_HANDLE(MPI_Request, MPI_REQUEST_NULL, "ompi_request_null");
    table.info_null = ECO_HANDLE(MPI_Info, MPI_INFO_NULL, "ompi_mpi_info_null");
    table.unweighted = ECO_POINTER(MPI_UNWEIGHTED);
    table.weights_empty = ECO_POINTER(MPI_WEIGHTS_EMPTY);
}

}  // namespace

const Native& native() { return table; }

// As the first words of MPICH and of the libraries that share its ABI (mpich.org/abi).
bool says_mpich_abi(std::string_view said) {
    const std::string_view name = name_in(said);
    for (const std::string_view known :
         {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPICH", "ParaStation", "IBM PE"})
        if (name.substr(0, known.size()) == known) return true;
    return false;
}

void* native_symbol(const char* name) { return dlsym(library.handle, name); }

std::string wrapper_behind() {
    void* next = dlsym(RTLD_NEXT, "MPI_Finalize");
    Dl_info found{};
    if (!next || dladdr(next, &found) == 0) return {};
    // A library may consist of several objects.
    return starts_with(file_name(found.dli_fname), "libmp") ? "" : found.dli_fname;
}

void* native_data(const char* name) {
    void* address = dlsym(RTLD_DEFAULT, name);
    return address ? address : dlsym(library.handle, name);
}

FoundLibrary load_native() {
    Library found;
    dl_iterate_phdr(look_at, &found);
    if (!found.path) return FoundLibrary::none;
    found.handle = dlopen(found.path, RTLD_NOLOAD | RTLD_NOW);
    if (!found.handle) return FoundLibrary::none;
    library = found;
    const char* abi = family();
    if (!abi) return FoundLibrary::of_unknown_abi;
    if (std::strcmp(abi, ECO_FAMILY) != 0) return FoundLibrary::of_other_abi;
    fill();
    return FoundLibrary::usable;
}

const char* name_of_unknown_library() {
    const std::string_view said = said_name();
    if (said.empty()) return file_name(library.path);
    said_by_library[static_cast<std::size_t>(said.data() + said.size() - said_by_library.data())] =
        0;
    return said.data();
}

void open_native(const char* path) {
    if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL))
        throw Error(Code::environment, std::string("the MPI library cannot be loaded (") +
                                           dlerror() + "); set ECO_LIBMPI to its path");
    const FoundLibrary found = load_native();
    if (found == FoundLibrary::of_unknown_abi)
        throw Error(Code::environment, std::string(path) + " is " + name_of_unknown_library() +
                                           ", whose ABI ECO does not know");
    if (found != FoundLibrary::usable)
        throw Error(Code::environment,
                    std::string(path) + " is not an MPI library with the " ECO_FAMILY " ABI");
}

}  // namespace eco
