// One contender: how it encodes and decodes each of the four messages. An Operation is one encode
// or decode behind a plain function pointer, so that every side pays the same five instructions of
// harness, which the null operation measures and the driver subtracts.
#pragma once

#include <memory>
#include <string_view>

#include "bench/codec/sample.h"

namespace bench {

struct Operation {
    void (*run)(void* state);
    void* state;

    void operator()() const { run(state); }
};

// One message on one side. Its address is the operations' state.
class Case {
 public:
    virtual ~Case() = default;
    virtual Operation encode() = 0;
    virtual Operation decode() = 0;

    // The output of the last encode; a gather list is joined.
    virtual Bytes encoded() const = 0;
    // Decodes by itself, because libtirpc's operation frees what it decoded.
    virtual bool decodes_to_sample() = 0;
};

struct Side {
    std::string_view name;
    std::array<std::unique_ptr<Case>, kMessages.size()> cases;  // by Message

    Case& operator[](Message message) { return *cases[static_cast<std::size_t>(message)]; }
};

Side make_limit(const Sample& sample);
Side make_helio(const Sample& sample);
Side make_libtirpc(const Sample& sample);

// A failed operation measured nothing: reports it on stderr and aborts.
[[noreturn]] void operation_failed(std::string_view side, std::string_view operation);

}  // namespace bench
