// SPDX-License-Identifier: BSD-3-Clause
// One launch of smpirun: the selector's own collectives, or every candidate of ECO's planners, each
// from a common start. Simulated time is deterministic, so one run each, after one that is not
// counted, is the answer. Rank 0 prints a JSON line for each.
//
//     collectives PROFILE native|eco|CHOICE;CHOICE… OPERATIONS SIZES ROOTS
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "eco/base/error.h"
#include "eco/measure/trial.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/selection/candidates.h"
#include "eco/topology/profile.h"
#include "native_smpi.h"

namespace eco {

namespace {

std::vector<std::string> split(const std::string& text, char separator = ',') {
    std::vector<std::string> items;
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, separator);) items.push_back(item);
    return items;
}

double latest(double own) {
    double all = 0;
    check_mpi(
        native().Allreduce(&own, &all, 1, native().real64, native().max, native().comm_world));
    return all;
}

// The slowest rank's seconds from a start that all share.
Seconds once(Trial& trial, const Choice& choice, Rank root) {
    if (!choice.is_native()) trial.use(choice);
    const double start = latest(MPI_Wtime()) + 1.0;
    usleep(static_cast<useconds_t>((start - MPI_Wtime()) * 1e6));
    trial.run(choice.is_native(), root);
    return latest(MPI_Wtime()) - start;
}

// What grids.py wrote: what a job would share of a profile, with the names of hosts.
Profile read_network(const char* path) {
    std::ifstream file(path);
    const auto root = nlohmann::json::parse(file);
    Profile profile;
    root.at("hosts").get_to(profile.hosts);
    root.at("levels").get_to(profile.levels);
    root.at("ring").get_to(profile.ring);
    for (const auto& row : root.at("inter_cluster_costs"))
        profile.inter_cluster_costs.push_back({row.at(0).get<int>(),
                                               row.at(1).get<int>(),
                                               {row.at(2).get<double>(), row.at(3).get<double>()},
                                               {row.at(4).get<double>(), row.at(5).get<double>()}});
    return profile;
}

void run(char** words) {
    const std::string by = words[2];
    Settings settings;
    settings.choice = "native";  // each trial names its own
    settings.learn = Learn::off;
    begin_session(settings, read_network(words[1]), false);
    const MPI_Comm comm = native().comm_world;
    int rank = 0, ranks = 0;
    native().Comm_rank(comm, &rank);
    native().Comm_size(comm, &ranks);
    for (const auto& name : split(words[3]))
        for (const auto& size : split(words[4])) {
            const Operation operation = parse_operation(name);
            const Bytes bytes = std::stoll(size);
            Trial trial(operation, bytes, comm);
            const Request request{operation, &trial.communicator().hierarchy(), 0, true};
            std::vector<Choice> choices;
            if (by == "eco")
                choices = candidates(request, trial.known_bytes() < 0 ? -1 : bytes);
            else
                for (const auto& text : split(by, ';')) choices.push_back(parse_choice(text));
            std::erase_if(choices, [&](const Choice& choice) {
                return !choice.is_native() && !supports(choice, request);
            });
            const int roots = traits(operation).rooted() ? std::stoi(words[5]) : 1;
            for (const Choice& choice : choices) {
                Seconds sum = 0;
                for (int i = 0; i < roots; ++i) {
                    const Rank root = ranks * i / roots;
                    once(trial, choice, root);
                    sum += once(trial, choice, root);
                }
                if (rank == 0)
                    std::printf(
                        "{\"operation\": \"%s\", \"bytes\": %lld, \"choice\": \"%s\", "
                        "\"seconds\": %.9f}\n",
                        name.c_str(), static_cast<long long>(bytes), to_text(choice).c_str(),
                        sum / roots);
            }
        }
    std::fflush(stdout);
    end_session();
}

}  // namespace

}  // namespace eco

int main(int count, char** words) {
    MPI_Init(&count, &words);
    eco::fill_from_smpi();
    try {
        if (count != 6) throw eco::Error(eco::Code::usage, "collectives: five arguments");
        eco::run(words);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "eco: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
