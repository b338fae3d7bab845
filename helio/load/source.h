// Source: makes the calls of a run if the next one depends on answers, or if answers are checked
// for more than their type: a READ for the bytes that were written, a listing for having every name
// once. The Steps' prepared arguments are not used then.
//
// One Source per thread, called by that thread only. A slot holds one call in flight; calls of one
// slot are sequential, those of different slots are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "helio/base/bytes.h"
#include "helio/xdr/writer.h"

namespace helio::load {

class Source {
 public:
    virtual ~Source() = default;

    // The slot's next call: first the index of its Step, then its arguments. False: out of memory.
    virtual std::uint16_t choose(std::size_t slot) = 0;
    virtual bool write(std::size_t slot, xdr::Writer& arguments) = 0;

    // The call was answered with SUCCESS. Returns nullptr if the results are right, or what is
    // wrong, as one of few strings that outlive the run: answers are counted by them. `bulk` came
    // beside the results (RDMA): pass it to xdr::Reader::take_bulk_from.
    virtual const char* check(std::size_t slot, ByteView results,
                              std::span<const ByteView> bulk) = 0;
    // The call had no result.
    virtual void failed(std::size_t slot) = 0;

    // The measured time begins or ends.
    virtual void begin_measuring() {}
    virtual void end_measuring() {}
};

// Returns the Source of one thread. Its maker owns it; it must outlive the run.
using MakeSource = std::function<Source&(std::uint32_t thread, std::size_t slots)>;

}  // namespace helio::load
