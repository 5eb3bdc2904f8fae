// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/line_code.h"

#include <algorithm>
#include <array>

namespace eco {

namespace {

// With its end. Launchers read 4,096 bytes at once, or a multiple: no line is cut where their
// buffer ends, so that lines of other ranks do not come between its halves. One that is wrapped at
// 80, with what is written before it, is cut once, if at all, and the reader joins two halves.
constexpr std::size_t length_of_line = 64;

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
    constexpr std::string_view mark = "@eco.", points = "...\n";
    const std::string head =
        base64(stream, of_stream) + '.' + static_cast<char>(arrival) + std::to_string(number) + '.';
    std::string lines;
    for (int part = 0; part == 0 || !text.empty(); ++part) {
        std::string body = head + std::to_string(part);
        const std::size_t around = mark.size() + body.size() + 1 + points.size() + of_sum;
        const std::string_view here = text.substr(0, (length_of_line - around) / 4 * 3);
        text.remove_prefix(here.size());
        body += (text.empty() ? "z." : ".") + base64(here) + '.';
        std::string line = std::string(mark) + body + base64(crc32(body), of_sum) + '.';
        line.resize(length_of_line - 1, ' ');
        lines += line + '\n';
    }
    return lines;
}

}  // namespace eco
