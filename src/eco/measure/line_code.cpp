// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/line_code.h"

#include <algorithm>
#include <array>

namespace eco {

namespace {

// Of a text, in one line. With what is around it a line has about 70 characters: one that is
// wrapped at 80 is cut once, if at all, and the reader joins two halves.
constexpr std::size_t bytes_per_line = 30;

// Base64 for file names and addresses (RFC 4648, 5), without padding.
constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string base64(std::string_view bytes) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view three = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t n = 0; n < 3; ++n)
            bits = bits << 8 | (n < three.size() ? static_cast<unsigned char>(three[n]) : 0U);
        for (std::size_t n = 0; n <= three.size(); ++n) text += digits[bits >> (18 - 6 * n) & 63];
    }
    return text;
}

std::string base64(std::uint64_t value, std::size_t length) {
    std::string text;
    for (; text.size() < length; value >>= 6) text += digits[value & 63];
    return text;
}

// As zlib's, which reads it.
std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t sum = ~0U;
    for (const char byte : bytes) {
        sum ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320U : 0U);
    }
    return ~sum;
}

}  // namespace

std::string coded_lines(std::string_view text, std::uint64_t stream, Arrival arrival, int number) {
    constexpr std::size_t of_stream = 6, of_sum = 6;  // base64 digits: 36 bits each
    const std::string head =
        base64(stream, of_stream) + '.' + static_cast<char>(arrival) + std::to_string(number) + '.';
    std::string lines;
    for (int part = 0; part == 0 || !text.empty(); ++part) {
        const std::string_view here = text.substr(0, bytes_per_line);
        text.remove_prefix(here.size());
        const std::string last = text.empty() ? "z" : "";
        const std::string body = head + std::to_string(part) + last + '.' + base64(here) + '.';
        lines += "@eco." + body + base64(crc32(body), of_sum) + ".\n";
    }
    return lines;
}

}  // namespace eco
