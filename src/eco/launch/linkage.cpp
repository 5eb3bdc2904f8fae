// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/linkage.h"

#include <elf.h>

#include <deque>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "eco/launch/elf.h"
#include "eco/launch/ld_cache.h"

namespace eco::launch {

namespace fs = std::filesystem;

namespace {

// An object on the way, with the DT_RPATH folders of those that led to it: they count as well.
struct Object {
    std::string path;
    std::vector<std::string> inherited;
};

std::vector<std::string> folders(const std::string& list, const std::string& object) {
    std::vector<std::string> result;
    const std::string origin = fs::path(object).parent_path();
    for (std::size_t start = 0; start < list.size();) {
        std::size_t end = list.find(':', start);
        if (end == std::string::npos) end = list.size();
        std::string folder = list.substr(start, end - start);
        start = end + 1;
        for (const std::string word : {"${ORIGIN}", "$ORIGIN"})
            if (const std::size_t place = folder.find(word); place != std::string::npos)
                folder.replace(place, word.size(), origin);
        if (!folder.empty()) result.push_back(folder);
    }
    return result;
}

class Search {
public:
    Search(const std::string& search_path, int machine)
        : search_path_(folders(search_path, "")), machine_(machine) {}

    // The file that the loader takes for a needed library; empty if there is none.
    std::string file(const std::string& name, const std::vector<std::string>& rpath,
                     const std::vector<std::string>& runpath) {
        if (name.find('/') != std::string::npos) return fits(name) ? name : "";
        for (const auto* list : {&rpath, &search_path_, &runpath})
            for (const std::string& folder : *list)
                if (std::string path = folder + "/" + name; fits(path)) return path;
        if (!cache_) cache_ = std::make_unique<LoaderCache>();
        for (std::string& path : cache_->find(name))
            if (fits(path)) return std::move(path);
        // Debian's loader has Debian's folders, also where an image has no cache.
        const std::string debians = machine_ == EM_AARCH64  ? "aarch64-linux-gnu/"
                                    : machine_ == EM_X86_64 ? "x86_64-linux-gnu/"
                                                            : "";
        for (const std::string& folder :
             {"/lib/" + debians, "/usr/lib/" + debians, std::string("/lib64/"),
              std::string("/usr/lib64/"), std::string("/lib/"), std::string("/usr/lib/")})
            if (std::string path = folder + name; fits(path)) return path;
        return "";
    }

private:
    bool fits(const std::string& path) const {
        const auto elf = ElfFile::open(path);
        return elf && elf->machine() == machine_;
    }

    const std::vector<std::string> search_path_;
    const int machine_;
    std::unique_ptr<LoaderCache> cache_;  // read once, and only when needed
};

bool is_interpreter_library(std::string_view name) {
    for (const char* prefix : {"libpython", "libjulia", "libR.so", "liboctinterp", "libperl",
                               "libruby", "liblua", "libtcl", "libjvm", "libjli"})
        if (name.starts_with(prefix)) return true;
    return false;
}

// GCC's and Clang's. That of undefined behaviour alone takes any place.
bool is_sanitizer_runtime(std::string_view name) {
    for (const char* prefix :
         {"libasan.so", "libhwasan.so", "liblsan.so", "libtsan.so", "libclang_rt.asan",
          "libclang_rt.hwasan", "libclang_rt.lsan", "libclang_rt.tsan", "libclang_rt.msan"})
        if (name.starts_with(prefix)) return true;
    return false;
}

}  // namespace

Linkage read_linkage(const std::string& program, const std::string& search_path) {
    Linkage linkage;
    std::error_code ignored;
    std::string start = fs::canonical(program, ignored);
    if (start.empty()) start = program;
    const auto main = ElfFile::open(start);
    if (!main) return linkage;
    linkage.elf = true;

    Search search(search_path, main->machine());
    std::set<std::string> seen;
    std::deque<Object> waiting{{start, {}}};
    // Breadth first: MPI is mostly among the program's own needs.
    while (!waiting.empty()) {
        const Object object = std::move(waiting.front());
        waiting.pop_front();
        const auto elf = ElfFile::open(object.path);
        if (!elf) continue;
        const NeededLibraries needs = elf->needs();
        for (const std::string& name : needs.libraries) {
            if (const auto abi = abi_of_library(name)) {
                linkage.abi = abi;
                linkage.library = name;
                return linkage;
            }
            linkage.hosts_interpreter |= is_interpreter_library(name);
        }
        std::vector<std::string> rpath = folders(needs.rpath, object.path);
        rpath.insert(rpath.end(), object.inherited.begin(), object.inherited.end());
        const std::vector<std::string> runpath = folders(needs.runpath, object.path);
        for (const std::string& name : needs.libraries) {
            if (!seen.insert(name).second) continue;
            // An object with DT_RUNPATH looks nowhere in the DT_RPATH of those above it.
            const std::string file =
                search.file(name, runpath.empty() ? rpath : std::vector<std::string>{}, runpath);
            if (!file.empty()) waiting.push_back({file, rpath});
        }
    }
    linkage.has_mpi_inside = main->defines("MPI_Init") || main->defines("PMPI_Init");
    return linkage;
}

std::string sanitizer_runtime(const std::string& program, const std::string& search_path) {
    const auto main = ElfFile::open(program);
    if (!main) return "";
    for (const std::string& name : main->needs().libraries)
        if (is_sanitizer_runtime(name)) {
            std::string file = find_library(name, program, search_path);
            return file.empty() ? name : file;
        }
    return "";
}

std::string find_library(const std::string& name, const std::string& program,
                         const std::string& search_path) {
    std::error_code ignored;
    std::string start = fs::canonical(program, ignored);
    if (start.empty()) start = program;
    const auto main = ElfFile::open(start);
    if (!main) return "";
    // What the program itself needs is loaded first, and later objects get the same.
    const NeededLibraries needs = main->needs();
    Search search(search_path, main->machine());
    std::vector<std::string> runpath = folders(needs.runpath, start);
    // A system in folders of its own has its loader there too, which looks beside itself.
    const fs::path loader = fs::canonical(main->interpreter(), ignored);
    if (!loader.empty()) runpath.push_back(loader.parent_path());
    return search.file(name, folders(needs.rpath, start), runpath);
}

}  // namespace eco::launch
