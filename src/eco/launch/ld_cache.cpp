// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/ld_cache.h"

#include <cstdint>
#include <cstring>

#include "eco/base/text.h"

namespace eco::launch {

namespace {

// glibc's format since 2.2; the older one may stand before it, and is skipped by the search below.
constexpr char magic[] = "glibc-ld.so.cache1.1";

struct Header {
    char magic[sizeof(launch::magic) - 1];
    std::uint32_t entries;
    std::uint32_t string_bytes;
    std::uint32_t unused[5];
};

struct Entry {
    std::int32_t flags;
    std::uint32_t soname;  // both counted from the header
    std::uint32_t file;
    std::uint32_t os_version;
    std::uint64_t capabilities;
};

}  // namespace

LoaderCache::LoaderCache(const std::string& path) {
    content_ = read_text(path).value_or("");
    const std::size_t start = content_.find(magic);
    content_.erase(0, start == std::string::npos ? content_.size() : start);
}

std::vector<std::string> LoaderCache::find(const std::string& soname) const {
    std::vector<std::string> files;
    Header header{};
    if (content_.size() < sizeof header) return files;
    std::memcpy(&header, content_.data(), sizeof header);
    const auto text = [&](std::uint32_t offset) {
        return offset < content_.size() ? content_.c_str() + offset : "";
    };
    for (std::size_t i = 0; i < header.entries; ++i) {
        const std::size_t offset = sizeof header + i * sizeof(Entry);
        if (offset + sizeof(Entry) > content_.size()) break;
        Entry entry{};
        std::memcpy(&entry, content_.data() + offset, sizeof entry);
        if (soname == text(entry.soname)) files.emplace_back(text(entry.file));
    }
    return files;
}

}  // namespace eco::launch
