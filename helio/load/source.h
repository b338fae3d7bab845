// Source: where the calls of a run come from when the next one depends on answers, or when answers
// are to be checked for more than their type: a READ for the bytes that were written, a listing for
// every name once. A Step's prepared arguments are not used then.
//
// One Source per thread, called by that thread only. A slot is a place for one call in flight; its
// calls follow each other, those of different slots do not.
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

    // The slot's next call: the number of its Step; then its arguments. False: no memory.
    virtual std::uint16_t choose(std::size_t slot) = 0;
    virtual bool write(std::size_t slot, xdr::Writer& arguments) = 0;

    // The call was answered with SUCCESS. nullptr when the results are right, else what is wrong
    // with them, in words that outlive the run and are few: answers are counted by them. `bulk`
    // came beside the results (RDMA): it is for xdr::Reader::take_bulk_from.
    virtual const char* check(std::size_t slot, ByteView results,
                              std::span<const ByteView> bulk) = 0;
    // The call had no result.
    virtual void failed(std::size_t slot) = 0;

    // The measured time begins, and ends.
    virtual void begin_measuring() {}
    virtual void end_measuring() {}
};

// The Source of one thread with so many slots; it stays the maker's own and outlives the run.
using MakeSource = std::function<Source&(std::uint32_t thread, std::size_t slots)>;

}  // namespace helio::load
