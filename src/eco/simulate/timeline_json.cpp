// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/timeline_json.h"

#include <nlohmann/json.hpp>

namespace eco {

using nlohmann::json;

static const char* name(Kind kind) {
    switch (kind) {
        case Kind::send:
            return "send";
        case Kind::recv:
            return "recv";
        case Kind::reduce:
            return "reduce";
        case Kind::copy:
            return "copy";
        case Kind::combine:
            return "combine";
        case Kind::native:
            return "native";
        case Kind::mcast:
            return "mcast";
        case Kind::mcast_recv:
            return "mcast_recv";
    }
    return "";
}

static const char* name(Step::What what) {
    switch (what) {
        case Step::What::send:
            return "send";
        case Step::What::flow:
            return "flow";
        case Step::What::delay:
            return "delay";
        case Step::What::receive:
            return "receive";
        case Step::What::compute:
            return "compute";
    }
    return "";
}

static json tasks_json(const std::vector<TaskTimes>& tasks, const Program& program) {
    json list = json::array();
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const TaskTimes& times = tasks[t];
        json entry{
            {"kind", name(program.tasks[t].kind)}, {"ready", times.ready}, {"end", times.end}};
        if (program.tasks[t].peer >= 0) entry["peer"] = program.tasks[t].peer;
        if (times.work.end > 0) entry["work"] = {times.work.start, times.work.end};
        if (times.take.end > 0) entry["take"] = {times.take.start, times.take.end};
        list.push_back(std::move(entry));
    }
    return list;
}

std::string timeline_json(const Timeline& timeline, const Network& network,
                          const std::vector<int>& host_of, const std::vector<Program>& programs) {
    json root{{"time", timeline.time}};
    root["ranks"] = json::array();
    for (std::size_t rank = 0; rank < programs.size(); ++rank)
        root["ranks"].push_back({{"host", network.hosts[static_cast<std::size_t>(host_of[rank])]},
                                 {"tasks", tasks_json(timeline.tasks[rank], programs[rank])}});
    root["messages"] = json::array();
    for (const MessageTimes& message : timeline.messages)
        root["messages"].push_back({{"from", message.from},
                                    {"to", message.to},
                                    {"bytes", message.bytes},
                                    {"posted", message.posted},
                                    {"start", message.start},
                                    {"left", message.left},
                                    {"arrived", message.arrived}});
    root["links"] = json::array();
    for (std::size_t link = 0; link < timeline.links.size(); ++link)
        root["links"].push_back({{"name", network.name(static_cast<int>(link))},
                                 {"rate", network.links[link].rate},
                                 {"bytes", timeline.links[link].bytes},
                                 {"busy", timeline.links[link].busy},
                                 {"share", timeline.links[link].share}});
    const int bottleneck = timeline.bottleneck();
    root["bottleneck"] = bottleneck >= 0 ? json(bottleneck) : json();
    root["chain"] = json::array();
    for (const Step& step : timeline.chain()) {
        json entry{{"what", name(step.what)},
                   {"rank", step.rank},
                   {"task", step.task},
                   {"start", step.start},
                   {"end", step.end}};
        if (step.peer >= 0) entry["peer"] = step.peer;
        root["chain"].push_back(std::move(entry));
    }
    return root.dump();
}

}  // namespace eco
