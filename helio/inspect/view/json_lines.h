// JsonLines: one JSON object per call and line, for programs. docs/json-mapping.md describes
// arguments and results; unknown values are omitted:
//
//   {"time":"2026-11-16T07:00:00.123456789Z","packet":12,"reply_packet":13,"client":"10.0.0.1:854",
//    "server":"10.0.0.2:2049","carrier":"tcp","xid":"0x8f0a71c7","operation":"nfs3.READ",
//    "program":100003,"version":3,"procedure":6,"path":"/a/b","verdict":"SUCCESS",
//    "status":"NFS3_OK","latency_ns":1234,"retransmissions":1,"missing":"reply","cut":"call",
//    "args":{…},"args_error":"…","result":{…},"result_error":"…"}
//
// Arguments and results that are cut or break their schema are included up to the fault, with an
// error that says where and what.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/text/json_writer.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"
#include "helio/inspect/view/ledger.h"
#include "helio/inspect/view/names.h"
#include "helio/reflect/tree.h"

namespace helio::inspect {

class JsonLines final {
 public:
    explicit JsonLines(const Catalogue& catalogue) : catalogue_(catalogue) {}

    // False: a complete message breaks its schema.
    bool append(std::string& out, const Exchange& exchange, Names& names);
    // The last line: {"ledger":{…}}.
    void append(std::string& out, const Ledger& ledger) const;

 private:
    void append_time(std::string& out, std::int64_t time_ns);
    void put_head(std::string& out, JsonWriter& json, const Exchange& exchange);
    void put_outcome(std::string& out, JsonWriter& json, const Exchange& exchange) const;
    bool put_value(std::string& out, JsonWriter& json, std::string_view key, const Message& message,
                   bool complete, ByteView bytes, const idl::Type& type);

    const Catalogue& catalogue_;
    reflect::Tree tree_;  // reused
    std::string path_;
    std::int64_t second_ = -1;  // the second that second_text_ is for
    std::string second_text_;
};

}  // namespace helio::inspect
