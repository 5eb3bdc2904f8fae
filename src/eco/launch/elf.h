// SPDX-License-Identifier: BSD-3-Clause
// Reads what the launcher must know of a program or library file: which libraries it needs, in
// which versions, where it looks for them, which symbols and versions it defines. Only 64-bit files
// of this machine's byte order; every offset is checked, so a damaged file yields less, never a
// crash. Called by linkage.h.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eco::launch {

struct NeededLibraries {
    std::vector<std::string> libraries;  // DT_NEEDED, in their order
    std::string rpath;                   // DT_RPATH; empty if there is a DT_RUNPATH
    std::string runpath;
};

// Versions of a library's symbols (GLIBC_2.34): all of them must be there when a program starts.
struct NeededVersions {
    std::string library;
    std::vector<std::string> versions;
};

class ElfFile {
public:
    // Nothing if the file cannot be read or is no such file.
    static std::optional<ElfFile> open(const std::string& path);

    ElfFile(ElfFile&& other) noexcept;
    ElfFile& operator=(ElfFile&&) = delete;
    ~ElfFile();

    int machine() const;
    std::string interpreter() const;  // the loader that starts the program; empty without one
    NeededLibraries needs() const;
    std::vector<NeededVersions> needed_versions() const;
    std::vector<std::string> defined_versions() const;
    // Whether the symbol table, or the dynamic one, has this name with a definition.
    bool defines(std::string_view symbol) const;

private:
    ElfFile(const std::byte* start, std::size_t size) : start_(start), size_(size) {}

    // The count values of type T at the offset, or nullptr where the file ends before.
    template <class T>
    const T* at(std::uint64_t offset, std::uint64_t count = 1) const;
    std::string_view text(std::uint64_t offset) const;
    std::optional<std::uint64_t> file_offset(std::uint64_t address) const;
    // Of the dynamic section; none if there is no such section.
    struct Entries {
        const Elf64_Dyn* first = nullptr;
        std::uint64_t count = 0;
    };
    Entries dynamic_entries() const;
    std::optional<std::uint64_t> value(std::int64_t tag) const;
    // What the address in the entry with this tag is in the file.
    std::optional<std::uint64_t> place(std::int64_t tag) const;

    const std::byte* start_;
    std::size_t size_;
};

}  // namespace eco::launch
