// SPDX-License-Identifier: BSD-3-Clause
// Gives inputs that are nearly right to everything that reads profiles, choices and learned
// files. Each must be taken, and then written and read again without change, or refused by
// an eco::Error of one sentence; and take no more memory than it is worth.
//
//     fuzz CORPUS INPUTS [SEED [NUMBER]]     NUMBER: only this input, and it is printed
//
// CORPUS has a folder for each kind. The same words give the same inputs.
#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>

#include "eco/base/error.h"
#include "eco/learn/learned.h"
#include "eco/planners/choice_text.h"
#include "eco/survey/notes.h"
#include "eco/topology/network.h"
#include "eco/topology/profile.h"
#include "eco/topology/runtime.h"
#include "mutate.h"

namespace {

std::size_t held = 0, most_held = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    void* memory = bytes > (std::size_t{1} << 32) ? nullptr : std::malloc(bytes ? bytes : 1);
    if (!memory) throw std::bad_alloc();
    held += malloc_usable_size(memory);
    most_held = std::max(most_held, held);
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    if (memory) held -= malloc_usable_size(memory);
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

namespace eco::fuzz {

namespace {

// Reads a text and writes it again.
using Reader = std::string (*)(const std::string&);

struct Kind {
    const char* name;
    Reader reader;
    Code refusal;
};

std::string through_profile(const std::string& text) {
    const Profile profile = parse_profile(text, "input");
    nlohmann::json document = nlohmann::json::parse(to_json(profile));
    put_notes(read_notes(text, profile, "input"), document);
    // What a job makes of it.
    std::vector<int> host_of{0};
    parse_runtime(runtime_json(part_for_job(profile, host_of)));
    return document.dump();
}

std::string through_learned(const std::string& text) {
    return to_json(parse_learned(text, "input"));
}

std::string through_choice(const std::string& text) { return to_text(parse_choice(text)); }

constexpr Kind kinds[] = {{"profile", through_profile, Code::bad_input},
                          {"learned", through_learned, Code::bad_input},
                          {"choice", through_choice, Code::usage}};

volatile int current = 0;
const char* volatile current_kind = "";

extern "C" void __asan_set_death_callback(void (*)()) __attribute__((weak));

void say_which() { std::fprintf(stderr, "fuzz: died at input %d, a %s\n", current, current_kind); }

void died(int signal) {
    say_which();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

std::vector<std::string> read_folder(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> texts;
    for (const auto& path : files) {
        std::ifstream file(path);
        texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        if (path.extension() == ".txt") texts.back().erase(texts.back().find_last_not_of('\n') + 1);
    }
    return texts;
}

// What is wrong with how the input was taken; empty: nothing.
std::string fault(const Kind& kind, const std::string& input, int& taken) {
    const std::size_t before = held, most = 8'000'000 + 1000 * input.size();
    most_held = held;
    std::string wrong;
    try {
        const std::string once = kind.reader(input);
        ++taken;
        try {
            const std::string twice = kind.reader(once);
            if (twice != once) wrong = "changes when read again: " + once + "\nbecomes: " + twice;
        } catch (const std::exception& error) {
            wrong = "what it wrote is refused: " + once + ": " + error.what();
        }
    } catch (const Error& error) {
        const std::string text = error.what();
        if (error.code() != kind.refusal) wrong = "another code: " + text;
        if (text.empty() || text.size() > 600 || text.find('\n') != std::string::npos)
            wrong = "no sentence: " + text;
    } catch (const std::exception& error) {
        wrong = std::string("no eco::Error: ") + error.what();
    }
    if (most_held - before > most)
        wrong += " takes " + std::to_string((most_held - before) / 1000) + " kB";
    return wrong;
}

int run(const std::string& corpus, int inputs, std::uint64_t seed, int only) {
    std::vector<std::vector<std::string>> texts;
    int faults = 0, taken[std::size(kinds)] = {};
    for (const Kind& kind : kinds) {
        texts.push_back(read_folder(corpus + "/" + kind.name));
        for (const std::string& text : texts.back())
            if (const auto wrong = fault(kind, text, taken[texts.size() - 1]); !wrong.empty())
                return std::printf("a %s of the corpus %s\n", kind.name, wrong.c_str()), 1;
        // Else what is read is never written and read again.
        if (taken[texts.size() - 1] == 0)
            return std::printf("no %s of the corpus is accepted\n", kind.name), 1;
    }
    std::fill(std::begin(taken), std::end(taken), 0);
    const int end = only < 0 ? inputs : only + 1;
    for (int number = std::max(only, 0); number < end; ++number) {
        current = number;
        const auto which = static_cast<std::size_t>(number) % std::size(kinds);
        Random random(seed * 1'000'003 + static_cast<std::uint64_t>(number));
        const std::string input = mutate(texts[which], random);
        current_kind = kinds[which].name;
        if (only >= 0) std::printf("%s\n", input.c_str());
        const std::string wrong = fault(kinds[which], input, taken[which]);
        if (wrong.empty()) continue;
        std::printf("input %d, a %s, %s\n", current, current_kind, wrong.substr(0, 2000).c_str());
        if (++faults == 10) break;
    }
    if (faults == 0) std::printf("%d inputs, all well; taken:", inputs);
    for (std::size_t i = 0; faults == 0 && i < std::size(kinds); ++i)
        std::printf(" %d of kind %s%s", taken[i], kinds[i].name,
                    i + 1 < std::size(kinds) ? "," : "\n");
    return faults ? 1 : 0;
}

}  // namespace

}  // namespace eco::fuzz

int main(int count, char** words) {
    if (count < 3 || count > 5)
        return std::fprintf(stderr, "fuzz CORPUS INPUTS [SEED [NUMBER]]\n"), 2;
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS})
        std::signal(signal, &eco::fuzz::died);
    if (&eco::fuzz::__asan_set_death_callback)
        eco::fuzz::__asan_set_death_callback(&eco::fuzz::say_which);
    return eco::fuzz::run(words[1], std::atoi(words[2]),
                          count > 3 ? std::strtoull(words[3], nullptr, 10) : 1,
                          count > 4 ? std::atoi(words[4]) : -1);
}
