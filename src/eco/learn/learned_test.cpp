// SPDX-License-Identifier: BSD-3-Clause
#include "eco/learn/learned.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "eco/base/error.h"

namespace eco {

namespace {

LearnedClass some_class(Bytes bytes, double native, double tree) {
    return {"openmpi 5",
            "bcast",
            "near",
            false,
            8,
            bytes,
            native < tree ? "native" : "k2",
            {{"native", 8, native}, {"k2", 8, tree}}};
}

class File : public testing::Test {
protected:
    File() {
        path_ = testing::TempDir() + "learned-" + std::to_string(getpid()) + ".json.learned";
        std::filesystem::remove(path_);
    }
    ~File() override { std::filesystem::remove(path_); }
    void write(const std::string& text) const { std::ofstream(path_) << text; }
    std::string read() const {
        std::ifstream file(path_);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string path_;
};

}  // namespace

TEST(Learned, ReadsWhatItWrote) {
    const Learned learned{"2026-11-23", {some_class(16, 1, 2), some_class(-1, 3, 2)}};
    const Learned again = parse_learned(to_json(learned), "file");
    EXPECT_EQ(to_json(again), to_json(learned));
    const auto shared = read_short(short_json(learned.classes), "openmpi 5");
    ASSERT_EQ(shared.size(), 2U);
    EXPECT_TRUE(shared[1].same_calls(learned.classes[1]));
    EXPECT_EQ(shared[0].arms, learned.classes[0].arms);
}

// Classes of neighbourhood collectives are told apart by their graph, and the oldest are forgotten.
TEST(Learned, GraphsAreToldApart) {
    Learned known{"2026-11-23", {some_class(16, 1, 2)}};
    for (int graph = 0; graph < 300; ++graph) {
        LearnedClass each = some_class(16, 1, 2);
        each.graph = std::to_string(graph);
        merge(known, {"2026-11-23", {each}});
    }
    ASSERT_EQ(known.classes.size(), 201U);
    EXPECT_EQ(known.classes.front().graph, "");
    EXPECT_EQ(known.classes[1].graph, "100");
    EXPECT_EQ(to_json(parse_learned(to_json(known), "file")), to_json(known));
    EXPECT_EQ(read_short(short_json(known.classes), "openmpi 5")[1].graph, "100");
}

TEST(Learned, CommunicatorsOnOtherHostsAreToldApart) {
    LearnedClass all = some_class(16, 1, 2), part = some_class(16, 2, 1);
    part.structure = "1+7";
    Learned known{"2026-11-23", {all}};
    merge(known, {"2026-11-23", {part}});
    ASSERT_EQ(known.classes.size(), 2U);
    EXPECT_EQ(parse_learned(to_json(known), "file").classes[1].structure, "1+7");
    EXPECT_EQ(read_short(short_json(known.classes), "openmpi 5")[1].structure, "1+7");
}

// Times of non-blocking calls hold the work beside them: those of different work do not mix.
TEST(Learned, TimesOfOtherWorkReplaceThoseOfNonBlockingCalls) {
    const auto calls_of = [](std::vector<LearnedArm> arms) {
        LearnedClass named = some_class(16, 1, 2);
        named.operation = "ibcast";
        named.arms = std::move(arms);
        return named;
    };
    Learned known{"net", {calls_of({{"native", 8, 1}, {"k2", 8, 2}, {"k3", 8, 3}})}};
    merge(known, {"net", {calls_of({{"native", 8, 6}, {"k2", 8, 5}})}});
    EXPECT_EQ(known.classes[0].arms, (std::vector<LearnedArm>{{"native", 8, 6}, {"k2", 8, 5}}));
    EXPECT_EQ(known.classes[0].best, "k2");
    merge(known, {"net", {calls_of({{"k2", 8, 5.2}})}});
    EXPECT_EQ(known.classes[0].arms.size(), 2U);
    merge(known, {"net", {calls_of({{"k2", 8, 9}})}});
    EXPECT_EQ(known.classes[0].arms, (std::vector<LearnedArm>{{"k2", 8, 9}}));
}

TEST(Learned, NonBlockingCallsOfEachProgramAreApart) {
    const auto calls_of = [](const std::string& program, double native) {
        LearnedClass named = some_class(16, native, 2);
        named.operation = "ibcast";
        named.program = program;
        return named;
    };
    Learned known{"net", {calls_of("solve", 1)}};
    merge(known, {"net", {calls_of("train.py", 3)}});
    known = parse_learned(to_json(known), "file");
    ASSERT_EQ(known.classes.size(), 2U);
    EXPECT_EQ(known.classes[0].program, "solve");
    EXPECT_DOUBLE_EQ(known.classes[0].arms[0].mean, 1);
    EXPECT_EQ(known.classes[1].best, "k2");
}

TEST(Learned, OfManyProgramsTheOldestAreForgotten) {
    Learned fresh{"net", {some_class(16, 1, 2)}};
    for (int number = 0; number < 1100; ++number) {
        fresh.classes.push_back(some_class(16, 1, 2));
        fresh.classes.back().operation = "ibcast";
        fresh.classes.back().program = std::to_string(number);
    }
    Learned known{"net", {}};
    merge(known, fresh);
    ASSERT_EQ(known.classes.size(), 1001U);
    EXPECT_EQ(known.classes[0].operation, fresh.classes[0].operation);
    EXPECT_EQ(known.classes[1].program, "100");
    merge(known, {"net", {fresh.classes[101]}});
    EXPECT_EQ(known.classes.back().program, "100");
}

TEST(Learned, RefusesWhatItCannotRead) {
    for (const char* text : {"", "{", "[]", "{}", R"({"eco_learned": 2})",
                             R"({"eco_learned": 1, "network": "", "classes": [{}]})",
                             R"({"eco_learned": 1, "network": "", "classes": [{"mpi": 3}]})"})
        EXPECT_THROW(parse_learned(text, "file"), Error) << text;
}

TEST(Learned, RunsOfBothCount) {
    Learned known{"a", {some_class(16, 1, 2)}};
    merge(known, {"a", {some_class(16, 1.2, 2), some_class(32, 2, 1)}});
    ASSERT_EQ(known.classes.size(), 2U);
    EXPECT_DOUBLE_EQ(known.classes[0].arms[0].mean, 1.1);
    EXPECT_EQ(known.classes[0].arms[0].runs, 16);
    EXPECT_EQ(known.classes[0].best, "native");
}

TEST(Learned, ANetworkThatChangedIsNotAveraged) {
    Learned known{"a", {some_class(16, 1, 2)}};
    merge(known, {"a", {some_class(16, 5, 2)}});
    EXPECT_DOUBLE_EQ(known.classes[0].arms[0].mean, 5);
    EXPECT_EQ(known.classes[0].best, "k2");
}

TEST(Learned, AnotherMeasurementOrVersionForgets) {
    Learned known{"a", {some_class(16, 1, 2)}};
    merge(known, {"b", {some_class(32, 1, 2)}});
    ASSERT_EQ(known.classes.size(), 1U);
    EXPECT_EQ(known.classes[0].bytes, 32);
    LearnedClass newer = some_class(64, 1, 2);
    newer.mpi = "openmpi 6";
    merge(known, {"b", {newer}});
    ASSERT_EQ(known.classes.size(), 1U);
    EXPECT_EQ(known.classes[0].mpi, "openmpi 6");
}

TEST_F(File, IsEmptyWhereThereIsNone) { EXPECT_TRUE(read_learned(path_, "a").classes.empty()); }

TEST_F(File, OfAnotherMeasurementCountsForNothing) {
    keep_learned(path_, {"a", {some_class(16, 1, 2)}});
    EXPECT_EQ(read_learned(path_, "a").classes.size(), 1U);
    EXPECT_TRUE(read_learned(path_, "b").classes.empty());
}

TEST_F(File, WhatIsForeignIsLeftAlone) {
    write("precious");
    EXPECT_THROW(keep_learned(path_, {"a", {some_class(16, 1, 2)}}), Error);
    EXPECT_EQ(read(), "precious");
}

TEST_F(File, TwoJobsAtOnceLoseNothing) {
    std::vector<std::thread> jobs;
    for (int job = 0; job < 8; ++job)
        jobs.emplace_back([&, job] {
            for (int run = 0; run < 5; ++run)
                keep_learned(path_, {"a", {some_class(100 * job + run, 1, 2)}});
        });
    for (auto& job : jobs) job.join();
    EXPECT_EQ(read_learned(path_, "a").classes.size(), 40U);
}

// As a user who may not do all; whether it held. Nothing where there is no such user, or none that
// may look into this folder.
static std::optional<bool> as_another_user(const std::string& folder,
                                           const std::function<bool()>& holds) {
    constexpr int cannot = 2;
    const pid_t child = fork();
    if (child == 0) {
        setenv("XDG_DATA_HOME", "/d", 1);
        if ((geteuid() == 0 && setuid(65534) != 0) || access(folder.c_str(), X_OK) != 0)
            _exit(cannot);
        _exit(holds() ? 0 : 1);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return false;
    if (WEXITSTATUS(status) == cannot) return std::nullopt;
    return WEXITSTATUS(status) == 0;
}

TEST_F(File, IsNoPipe) {
    const std::string beside = path_ + ".json.learned";
    ASSERT_EQ(mkfifo(beside.c_str(), 0600), 0);
    EXPECT_NE(learned_path(path_ + ".json", "2026-11-23"), beside);
    std::filesystem::remove(beside);
}

TEST_F(File, IsBesideTheProfileOrInTheUsersFolder) {
    const std::string folder = path_ + ".d/", profile = folder + "cluster.json";
    const std::string beside = profile + ".learned";
    std::filesystem::create_directory(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::all);
    EXPECT_EQ(learned_path(profile, "2026-11-23"), beside);
    const auto is_own = [&] {
        // Clusters that share a home may each have a profile of this name.
        return learned_path(profile, "2026-11-23T01:02:03Z") ==
                   "/d/eco/profiles/cluster.json.20261123T010203Z.learned" &&
               learned_path(profile, "../../2026") == "/d/eco/profiles/cluster.json.2026.learned";
    };
    const auto is_beside = [&] { return learned_path(profile, "2026-11-23") == beside; };
    const auto other_user = as_another_user(folder, is_beside);
    if (!other_user) GTEST_SKIP() << "no other user can use " << folder;
    EXPECT_TRUE(*other_user);
    std::ofstream(beside) << "of a user who keeps it closed";
    std::filesystem::permissions(beside, std::filesystem::perms::none);
    EXPECT_TRUE(as_another_user(folder, is_own).value());
    std::filesystem::remove(beside);
    std::filesystem::permissions(folder, std::filesystem::perms{0555});
    EXPECT_TRUE(as_another_user(folder, is_own).value());
    std::filesystem::permissions(folder, std::filesystem::perms::all);
    std::filesystem::remove_all(folder);
}

}  // namespace eco
