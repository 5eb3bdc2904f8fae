// SPDX-License-Identifier: BSD-3-Clause
#include "eco/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "eco/base/error.h"

namespace eco {

namespace {

Report example() {
    Report report;
    report.library = "openmpi 5.0.11";
    report.network = "2026";
    report.profile = "/profiles/net.json";
    report.ranks = report.hosts = 8;
    report.whole = 12.3;
    report.rows = {
        {"allreduce",
         CallForm::blocking,
         96000,
         "md+0x10",
         "exchange:top=chain",
         200,
         4,
         0.5,
         {6.1, 6.5, 7.0},
         Basis::timed_here},
        {"allreduce",
         CallForm::blocking,
         16,
         "md+0x20",
         "native",
         10,
         0.1,
         0.25,
         {0.1, 0.1, 0.1},
         Basis::ran},
        {"bcast",
         CallForm::blocking,
         8,
         "md+0x30",
         "k2",
         20,
         0.01,
         0,
         {0.51, 0.51, 0.51},
         Basis::timed},
        {"ibcast", CallForm::nonblocking, 8, "md+0x40", "k2", 20, 9, 0, {}, Basis::unknown},
        {"bcast_init", CallForm::persistent, 8, "md+0x50", "k2", 30, 9, 0, {}, Basis::unknown}};
    return report;
}

}  // namespace

TEST(Report, IsReadAsItIsWritten) {
    const Report report = example(), again = parse_report(to_json(report), "r.json");
    EXPECT_EQ(to_json(again), to_json(report));
    EXPECT_EQ(to_text(again), to_text(report));
}

TEST(Report, NamesWhatWasMadeWithReorder) {
    Report report = example();
    const auto row = [](Numbering numbering, double crossing, double otherwise, double busiest) {
        return ReorderRow{"MPI_Dist_graph_create_adjacent",
                          "libsolver.so.12.1:exchange_borders",
                          8,
                          2,
                          numbering,
                          crossing,
                          otherwise,
                          busiest};
    };
    const auto text_of = [&](const ReorderRow& one) {
        report.reorders = {one};
        const Report again = parse_report(to_json(report), "r.json");
        EXPECT_EQ(to_json(again), to_json(report));
        return to_text(again);
    };
    const std::string kept = text_of(row(Numbering::kept, 0.71, 0.29, 0.63));
    EXPECT_NE(kept.find("MPI_Dist_graph_create_adjacent of 8 ranks ×2\n  at libsolver.so"),
              std::string::npos)
        << kept;
    EXPECT_NE(kept.find("the library kept the ranks\n  71 % of its edges cross the widest level, "
                        "29 % with ECO_REORDER=on;\n  the busiest link would carry 63 % of what it "
                        "does\n"),
              std::string::npos)
        << kept;
    EXPECT_NE(
        text_of(row(Numbering::eco, 0.29, 0.71, 0.63))
            .find("ECO renumbered the ranks\n  29 % of its edges cross the widest level, 71 % "
                  "with ECO_REORDER=native;\n"),
        std::string::npos);
    EXPECT_NE(text_of(row(Numbering::kept, 0.5, 0.5, 1)).find("would change nothing"),
              std::string::npos);
    EXPECT_NE(text_of(row(Numbering::library, -1, -1, -1)).find("was not worked out"),
              std::string::npos);
    std::istringstream lines(kept);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 75U) << line;
    // Programs that call no collective may ask for reorder all the same.
    report.rows.clear();
    EXPECT_NE(text_of(row(Numbering::best, 0.5, 0.5, 1)).find("ECO kept the ranks"),
              std::string::npos);
}

// Of an earlier release.
TEST(Report, MayHaveNothingOnReorder) {
    std::string text = to_json(example());
    const std::string part = ",\n \"reorders\": []";
    ASSERT_NE(text.find(part), std::string::npos) << text;
    EXPECT_TRUE(parse_report(text.erase(text.find(part), part.size()), "r.json").reorders.empty());
}

TEST(Report, SumsOnlyCallsThatBlock) {
    EXPECT_NEAR(total_time(example()), 4.11, 1e-9);
    EXPECT_NEAR(total_waited(example()), 0.75, 1e-9);
    const TimeRange saved = total_saved(example());
    EXPECT_NEAR(saved.low, 2.6, 1e-9);
    EXPECT_NEAR(saved.likely, 3.0, 1e-9);
    EXPECT_NEAR(saved.high, 3.5, 1e-9);
}

// Errors of different calls do not add up.
TEST(Report, CallsAreOffEachByThemselves) {
    Report report = example();
    report.rows[2].other = {0.21, 0.51, 0.51};
    EXPECT_NEAR(total_saved(report).low, 2.5, 1e-9);
}

TEST(Report, TheStartIsNotSaved) {
    Report report = example();
    report.start = 0.5;
    EXPECT_NEAR(total_saved(report).likely, 2.5, 1e-9);
    report.with_eco = false;
    report.rows.resize(1);
    std::swap(report.rows[0].time, report.rows[0].other.likely);
    EXPECT_NEAR(total_saved(report).likely, 2.0, 1e-9);
}

// Where it is not known what calls would have taken natively, nothing is claimed of them.
TEST(Report, WhatIsNotKnownIsNotClaimed) {
    Report report = example();
    report.rows[0].basis = Basis::unknown;
    report.rows[0].other = {};
    EXPECT_NEAR(total_saved(report).likely, 0.5, 1e-9);
    EXPECT_NEAR(total_unknown(report), 4, 1e-9);
    const std::string text = to_text(report);
    EXPECT_NE(text.find("collectives 4.1 s of 12.3 s; what ECO saved is not known\n"
                        "of 4.0 s it is not known what the library takes"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("not known\n"), std::string::npos) << text;
    EXPECT_EQ(to_text(parse_report(to_json(report), "r.json")), text);
}

TEST(Report, SavesNoMoreThanNativeTakes) {
    Report report = example();
    report.with_eco = false;
    for (ReportRow& row : report.rows) {
        row.time = 1;
        row.other = {-9, 0, 0};
    }
    EXPECT_LE(total_saved(report).high, 3);
}

// Of calls that overlap a program takes less than of all of them one after the other.
TEST(Report, OverlappingCallsSaveLess) {
    Report report = example();
    report.whole = 4.11 / 2;
    EXPECT_NEAR(total_saved(report).likely, 1.5, 1e-9);
}

TEST(Report, SaysWhatWasSavedInATableAndASentence) {
    const std::string text = to_text(example());
    EXPECT_NE(text.find("waiting for late ranks 750 ms; ECO's start 0 us\n"
                        "collectives 4.1 s of 12.3 s; about 3.0 s saved (2.6 s to 3.5 s)\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("timed here"), std::string::npos) << text;
    EXPECT_NE(text.find("200 allreduce of 96 kB at md+0x10"), std::string::npos) << text;
    EXPECT_LT(text.find("\nallreduce"), text.find("\nbcast")) << text;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 75U) << line;
}

TEST(Report, TellsLongNamesApart) {
    Report report = example();
    const char* const names[] = {"reduce_scatter_block", "reduce_scatter_block_init",
                                 "ireduce_scatter_block"};
    for (const char* name : names) {
        report.rows.push_back(report.rows[3]);
        report.rows.back().operation = name;
    }
    const std::string text = to_text(report);
    for (const char* name : names)
        EXPECT_NE(text.find(std::string("\n") + name + " "), std::string::npos) << text;
}

TEST(Report, CallsMayOverlap) {
    Report report = example();
    EXPECT_EQ(to_text(report).find("overlap"), std::string::npos);
    report.whole = 4;
    EXPECT_NE(
        to_text(report).find("collectives 4.1 s of 4.0 s, as some overlap; about 2.9 s saved"),
        std::string::npos)
        << to_text(report);
}

TEST(Report, CountsEachFormApart) {
    EXPECT_EQ(name_in_form("bcast", CallForm::blocking), "bcast");
    EXPECT_EQ(name_in_form("bcast", CallForm::nonblocking), "ibcast");
    EXPECT_EQ(name_in_form("bcast", CallForm::persistent), "bcast_init");
    std::istringstream lines(to_text(example()));
    int apart = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name, calls, bytes, unit, time;
        words >> name >> calls >> bytes >> unit >> time;
        if (name != "ibcast" && name != "bcast_init") continue;
        ++apart;
        EXPECT_EQ(calls, name == "ibcast" ? "20" : "30");
        EXPECT_EQ(time, "-");
    }
    EXPECT_EQ(apart, 2);
}

TEST(Report, WithoutEcoSaysWhatItWouldSave) {
    Report report = example();
    report.with_eco = false;
    for (ReportRow& row : report.rows)
        if (row.known()) {
            const Seconds time = std::exchange(row.time, row.other.likely);
            row.other = {time, time, time};
        }
    EXPECT_NEAR(total_saved(report).likely, 3.0, 1e-9);
    EXPECT_NE(to_text(report).find("about 3.0 s could be saved"), std::string::npos);
}

TEST(Report, WithoutCallsSaysSo) {
    EXPECT_EQ(to_text(Report{}),
              "no collective was called on more than one rank, all on hosts of the profile\n");
}

TEST(Report, RefusesWhatIsNone) {
    const auto refusal = [](const std::string& text) {
        try {
            parse_report(text, "r.json");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(refusal("").find("r.json is not a report"), std::string::npos);
    EXPECT_NE(refusal("[]").find("r.json is not a report"), std::string::npos);
    EXPECT_NE(refusal(R"({"eco_report": 1})").find("another version"), std::string::npos);
    EXPECT_NE(refusal(R"({"eco_report": 2})").find("r.json is damaged"), std::string::npos);
    std::string text = to_json(example());
    text.replace(text.find("timed here"), 10, "guessed");
    EXPECT_NE(refusal(text).find("unknown basis"), std::string::npos);
    text = to_json(example());
    text.replace(text.find("\"persistent\""), 12, "\"early\"");
    EXPECT_NE(refusal(text).find("unknown form"), std::string::npos);
}

// Learning may change the bits of sums only on request, and then the report says so.
TEST(Report, SaysThatBitsMayChange) {
    Report report = example();
    EXPECT_EQ(to_text(report).find("other bits"), std::string::npos);
    report.bits_may_change = true;
    EXPECT_NE(to_text(report).find("ECO_LEARN=all: sums may have other bits in another job\n"),
              std::string::npos);
    EXPECT_TRUE(parse_report(to_json(report), "x").bits_may_change);
}

TEST(Report, SaysThatTheNetworkIsNotTheProfiles) {
    Report report = example();
    EXPECT_EQ(to_text(report).find("not the profile's"), std::string::npos);
    report.other_network = true;
    EXPECT_NE(to_text(report).find("the network is not the profile's"), std::string::npos);
    EXPECT_TRUE(parse_report(to_json(report), "x").other_network);
}

}  // namespace eco
