// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <utility>

namespace eco::launch {

std::optional<ElfFile> ElfFile::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    struct stat status{};
    void* start = MAP_FAILED;
    std::size_t size = 0;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size = static_cast<std::size_t>(status.st_size);
        start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    ::close(file);
    if (start == MAP_FAILED) return std::nullopt;

    ElfFile elf(static_cast<const std::byte*>(start), size);
    const auto* header = elf.at<Elf64_Ehdr>(0);
    const int order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != order)
        return std::nullopt;
    return elf;
}

ElfFile::ElfFile(ElfFile&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), size_(std::exchange(other.size_, 0)) {}

ElfFile::~ElfFile() {
    if (start_) munmap(const_cast<std::byte*>(start_), size_);
}

template <class T>
const T* ElfFile::at(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || offset % alignof(T) != 0 || count > (size_ - offset) / sizeof(T))
        return nullptr;
    return reinterpret_cast<const T*>(start_ + offset);
}

std::string_view ElfFile::text(std::uint64_t offset) const {
    if (offset >= size_) return {};
    const char* first = reinterpret_cast<const char*>(start_ + offset);
    return {first, strnlen(first, size_ - offset)};
}

int ElfFile::machine() const { return at<Elf64_Ehdr>(0)->e_machine; }

std::string ElfFile::interpreter() const {
    const auto* header = at<Elf64_Ehdr>(0);
    const auto* segments = at<Elf64_Phdr>(header->e_phoff, header->e_phnum);
    for (int i = 0; segments && i < header->e_phnum; ++i)
        if (segments[i].p_type == PT_INTERP) return std::string(text(segments[i].p_offset));
    return "";
}

std::optional<std::uint64_t> ElfFile::file_offset(std::uint64_t address) const {
    const auto* header = at<Elf64_Ehdr>(0);
    const auto* segments = at<Elf64_Phdr>(header->e_phoff, header->e_phnum);
    for (int i = 0; segments && i < header->e_phnum; ++i)
        if (const auto& segment = segments[i]; segment.p_type == PT_LOAD &&
                                               address >= segment.p_vaddr &&
                                               address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return std::nullopt;
}

ElfFile::Entries ElfFile::dynamic_entries() const {
    const auto* header = at<Elf64_Ehdr>(0);
    const auto* segments = at<Elf64_Phdr>(header->e_phoff, header->e_phnum);
    Entries entries;
    for (int i = 0; segments && i < header->e_phnum; ++i)
        if (segments[i].p_type == PT_DYNAMIC) {
            entries.count = segments[i].p_filesz / sizeof(Elf64_Dyn);
            entries.first = at<Elf64_Dyn>(segments[i].p_offset, entries.count);
        }
    if (!entries.first) return {};
    std::uint64_t used = 0;
    while (used < entries.count && entries.first[used].d_tag != DT_NULL) ++used;
    return {entries.first, used};
}

std::optional<std::uint64_t> ElfFile::value(std::int64_t tag) const {
    const Entries entries = dynamic_entries();
    for (std::uint64_t i = 0; i < entries.count; ++i)
        if (entries.first[i].d_tag == tag) return entries.first[i].d_un.d_val;
    return std::nullopt;
}

std::optional<std::uint64_t> ElfFile::place(std::int64_t tag) const {
    const auto address = value(tag);
    return address ? file_offset(*address) : std::nullopt;
}

NeededLibraries ElfFile::needs() const {
    const auto strings = place(DT_STRTAB);
    if (!strings) return {};

    NeededLibraries needs;
    const Entries entries = dynamic_entries();
    for (std::uint64_t i = 0; i < entries.count; ++i) {
        const std::uint64_t name = entries.first[i].d_un.d_val;
        switch (entries.first[i].d_tag) {
            case DT_NEEDED:
                needs.libraries.emplace_back(text(*strings + name));
                break;
            case DT_RPATH:
                needs.rpath = text(*strings + name);
                break;
            case DT_RUNPATH:
                needs.runpath = text(*strings + name);
                break;
            default:
                break;
        }
    }
    if (!needs.runpath.empty()) needs.rpath.clear();  // as the loader does
    return needs;
}

std::vector<NeededVersions> ElfFile::needed_versions() const {
    const auto strings = place(DT_STRTAB), first = place(DT_VERNEED);
    const auto libraries = value(DT_VERNEEDNUM);
    if (!strings || !first || !libraries) return {};
    std::vector<NeededVersions> all;
    std::uint64_t at_library = *first;
    for (std::uint64_t n = 0; n < *libraries; ++n) {
        const auto* library = at<Elf64_Verneed>(at_library);
        if (!library) break;
        NeededVersions needed{std::string(text(*strings + library->vn_file)), {}};
        std::uint64_t at_version = at_library + library->vn_aux;
        for (int v = 0; v < library->vn_cnt; ++v) {
            const auto* version = at<Elf64_Vernaux>(at_version);
            if (!version) break;
            if (!(version->vna_flags & VER_FLG_WEAK))
                needed.versions.emplace_back(text(*strings + version->vna_name));
            if (version->vna_next == 0) break;
            at_version += version->vna_next;
        }
        all.push_back(std::move(needed));
        if (library->vn_next == 0) break;
        at_library += library->vn_next;
    }
    return all;
}

std::vector<std::string> ElfFile::defined_versions() const {
    const auto strings = place(DT_STRTAB), first = place(DT_VERDEF);
    const auto count = value(DT_VERDEFNUM);
    if (!strings || !first || !count) return {};
    std::vector<std::string> all;
    std::uint64_t at_version = *first;
    for (std::uint64_t n = 0; n < *count; ++n) {
        const auto* version = at<Elf64_Verdef>(at_version);
        const auto* name = version ? at<Elf64_Verdaux>(at_version + version->vd_aux) : nullptr;
        if (!name) break;
        all.emplace_back(text(*strings + name->vda_name));
        if (version->vd_next == 0) break;
        at_version += version->vd_next;
    }
    return all;
}

bool ElfFile::defines(std::string_view symbol) const {
    const auto* header = at<Elf64_Ehdr>(0);
    const auto* sections = at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
    for (int i = 0; sections && i < header->e_shnum; ++i) {
        const auto& section = sections[i];
        if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
        if (section.sh_link >= header->e_shnum) continue;
        const std::uint64_t strings = sections[section.sh_link].sh_offset;
        const std::uint64_t count = section.sh_size / sizeof(Elf64_Sym);
        const auto* symbols = at<Elf64_Sym>(section.sh_offset, count);
        for (std::uint64_t s = 0; symbols && s < count; ++s)
            if (symbols[s].st_shndx != SHN_UNDEF && text(strings + symbols[s].st_name) == symbol)
                return true;
    }
    return false;
}

}  // namespace eco::launch
