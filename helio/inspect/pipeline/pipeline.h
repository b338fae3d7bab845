// The explain pipeline: packets → segments → messages → exchanges → a view of them. It assembles
// Dissector, Flows, Pairing and the views, and feeds them from files, pasted text or an interface:
//
//     const auto loaded = load_catalogue({});
//     const PipelineResult result =
//         explain_files({.filter = "nfs3.READ"}, *loaded.catalogue, {"nfs.pcap"}, output);
//
// Functions here throw std::runtime_error for options that contradict each other, a filter that
// does not parse, and files that cannot be read. The contents of the input never make them throw.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "helio/inspect/capture/reader.h"
#include "helio/inspect/capture/source.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/pipeline/options.h"
#include "helio/inspect/view/ledger.h"

namespace helio::inspect {

struct PipelineResult {
    Ledger ledger;               // of captures: accounts for every packet and message
    std::uint64_t messages = 0;  // recognised in the input
    std::uint64_t shown = 0;     // exchanges that matched; for text: messages
    bool schema_broken = false;  // a message breaks its schema, or no test case could be made
    bool input_broken = false;   // a capture is damaged; everything before that is explained
    bool missing_xid = false;    // no call with the xid that was asked for

    bool ok() const { return messages != 0 && !schema_broken && !input_broken && !missing_xid; }
};

// The assembly itself, for packets that arrive one at a time.
class Pipeline final {
 public:
    // Borrows catalogue and output.
    Pipeline(const PipelineOptions& options, const Catalogue& catalogue, PipelineOutput& output);
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    // False: options.calls_max exchanges have been shown.
    bool packet(const Packet& packet);
    // Writes what is buffered.
    void flush();
    // There are no more packets: writes the calls that were never answered, totals and the ledger.
    PipelineResult finish();

 private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

// Packets from anywhere, for instance an interface.
class PacketSource {
 public:
    virtual ~PacketSource() = default;
    // False: there are no more. A packet without bytes means that none came for a while.
    virtual bool next(Packet& packet) = 0;
};
PipelineResult explain_packets(const PipelineOptions& options, const Catalogue& catalogue,
                               PacketSource& packets, PipelineOutput& output);

struct NamedSource {
    std::string name;  // for notes
    ByteSource* source = nullptr;
};

// pcap, pcapng and snoop files, one after the other.
PipelineResult explain_captures(const PipelineOptions& options, const Catalogue& catalogue,
                                std::span<const NamedSource> captures, PipelineOutput& output);
// The bytes of a connection without packets: one source per direction, two at most.
PipelineResult explain_streams(const PipelineOptions& options, const Catalogue& catalogue,
                               std::span<const NamedSource> directions, PipelineOutput& output);
// A hex dump, trace lines, words: everything that read_dump() understands.
PipelineResult explain_text(const PipelineOptions& options, const Catalogue& catalogue,
                            std::string text, PipelineOutput& output);
// Any of the three, recognised by content; "-" is standard input. All files must be of one kind.
PipelineResult explain_files(const PipelineOptions& options, const Catalogue& catalogue,
                             const std::vector<std::string>& paths, PipelineOutput& output);

struct LoadedCatalogue {
    std::unique_ptr<Catalogue> catalogue;
    std::string warnings;  // of the schema files, as lines
};
// The user's schema files, then the schemas that come with the library. Throws std::runtime_error
// if a file has errors.
LoadedCatalogue load_catalogue(const std::vector<std::string>& schema_files);

}  // namespace helio::inspect
