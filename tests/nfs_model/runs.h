// Runs of the model: a list of events against a fresh server, and the shortest list that still
// fails.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/nfs_model/driver.h"

namespace helio::tests::model {

struct Outcome {
    std::optional<std::string> wrong;
    std::size_t events = 0;  // until then
    std::vector<std::string> trace;
    std::set<std::pair<nfs4::nfs_opnum4, nfs4::nfsstat4>> seen;
};

using MakeSubject = std::function<std::unique_ptr<Subject>()>;

inline std::vector<Event> random_events(std::uint64_t seed, std::size_t count) {
    Random random{seed};
    std::vector<Event> out(count);
    for (Event& one : out) one = random_event(random);
    return out;
}

inline Outcome run_events(const MakeSubject& make, const std::vector<Event>& events) {
    const auto subject = make();
    Driver driver{*subject, "model"};
    Outcome out;
    for (const Event& event : events) {
        ++out.events;
        if ((out.wrong = driver.apply(event))) break;
    }
    if (!out.wrong) out.wrong = driver.audit();
    out.trace = std::move(driver.trace);
    out.seen = std::move(driver.seen);
    return out;
}

// Leaves out events, in ever smaller pieces, as long as what remains fails.
inline std::vector<Event> minimised(const MakeSubject& make, std::vector<Event> events) {
    events.resize(run_events(make, events).events);
    for (std::size_t piece = events.size() / 2; piece > 0; piece /= 2)
        for (std::size_t at = 0; at < events.size();) {
            std::vector<Event> fewer = events;
            const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at);
            fewer.erase(from,
                        from + static_cast<std::ptrdiff_t>(std::min(piece, events.size() - at)));
            if (run_events(make, fewer).wrong)
                events = std::move(fewer);
            else
                at += piece;
        }
    return events;
}

}  // namespace helio::tests::model
