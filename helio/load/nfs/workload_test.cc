// A Caller's calls and its verdicts on hand-written answers, without a server.
#include "helio/load/nfs/workload.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "helio/load/nfs/v3/v3.h"
#include "schema/nfs3.h"

namespace helio::load::nfs::workload_test {
namespace {

using nfs3::NFS3_OK;

std::string text_of(const char* fault) { return fault == nullptr ? "right" : fault; }

Handle handle_of(std::uint8_t number) {
    const std::byte byte{number};
    return Handle{{&byte, 1}};
}

File file_of(std::uint8_t number, std::uint64_t size) {
    return {handle_of(number), entry_name(number), std::uint64_t{1000} + number, size, {}};
}

class WorkloadTest : public testing::Test {
 protected:
    WorkloadTest() {
        test_files_.root = handle_of(1);
        test_files_.files_directory = handle_of(2);
        test_files_.made_directory = handle_of(3);
        test_files_.list_directory = handle_of(4);
        test_files_.entries = 3;
        test_files_.files = {file_of(10, 7)};
        test_files_.read_files = {file_of(20, 0)};
        test_files_.write_files = {file_of(30, 0)};
        test_files_.data_bytes = 10'000;
    }

    Caller caller(Operation operation, TransferOptions transfer = {}) {
        return Caller{test_files_, content_,         program_of(operation, Version::v3),
                      transfer,    v3::make_calls(), {0, 0, 2, 2},
                      std::nullopt};
    }

    // The next call's arguments, as a server decodes them.
    template <class Arguments>
    Arguments next(Caller& caller, bool (*decode)(xdr::Reader&, Arguments&), std::size_t slot = 0) {
        static_cast<void>(caller.choose(slot));
        xdr::Arena arena;
        xdr::Writer out{arena};
        EXPECT_TRUE(caller.write(slot, out));
        bytes_ = out.joined();
        xdr::Reader in{bytes_, arena_, xdr::Mode::strict};
        Arguments arguments;
        EXPECT_TRUE(decode(in, arguments) && in.finish());
        return arguments;
    }

    template <class Result>
    std::string verdict(Caller& caller, bool (*encode)(xdr::Writer&, const Result&),
                        const Result& result, std::size_t slot = 0) {
        xdr::Arena arena;
        xdr::Writer out{arena};
        EXPECT_TRUE(encode(out, result));
        return text_of(caller.check(slot, out.joined(), {}));
    }

    nfs3::fattr3 attributes(std::uint64_t fileid, std::uint64_t size) {
        nfs3::fattr3 out;
        out.type = nfs3::NF3REG;
        out.fileid = fileid;
        out.size = size;
        return out;
    }

    std::string read_verdict(Caller& caller, std::uint32_t count, bool eof, ByteView data) {
        nfs3::READ3res result;
        nfs3::READ3resok& ok = result.emplace_resok(NFS3_OK);
        ok.count = count;
        ok.eof = eof;
        ok.data = data;
        return verdict(caller, nfs3::encode_READ3res, result);
    }

    std::string list_verdict(Caller& caller, const std::vector<std::string>& names, bool eof) {
        std::vector<nfs3::entryplus3> entries(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            entries[i].name = names[i];
            entries[i].cookie = i + 100;
            entries[i].nextentry = i + 1 < names.size() ? &entries[i + 1] : nullptr;
        }
        nfs3::READDIRPLUS3res result;
        nfs3::READDIRPLUS3resok& ok = result.emplace_resok(NFS3_OK);
        ok.reply.entries = entries.empty() ? nullptr : entries.data();
        ok.reply.eof = eof;
        return verdict(caller, nfs3::encode_READDIRPLUS3res, result);
    }

    Content content_;
    TestFiles test_files_;
    xdr::Arena arena_;
    std::vector<std::byte> bytes_;
};

TEST_F(WorkloadTest, GetattrWantsTheAttributesOfThisFile) {
    Caller one = caller(Operation::getattr);
    const auto arguments = next(one, nfs3::decode_GETATTR3args);
    EXPECT_EQ(arguments.object.data[0], std::byte{10});
    const auto answer = [&](std::uint64_t fileid, std::uint64_t size) {
        return verdict(one, nfs3::encode_GETATTR3res,
                       nfs3::GETATTR3res::of_resok({attributes(fileid, size)}));
    };
    EXPECT_EQ(answer(1010, 7), "right");
    EXPECT_EQ(answer(1011, 7), "GETATTR: attributes of another file");
    EXPECT_EQ(answer(1010, 8), "GETATTR: attributes of another file");
    EXPECT_EQ(verdict(one, nfs3::encode_GETATTR3res, nfs3::GETATTR3res::of(nfs3::NFS3ERR_STALE)),
              "GETATTR: NFS3ERR_STALE");
    EXPECT_EQ(verdict(one, nfs3::encode_GETATTR3res,
                      nfs3::GETATTR3res::of(static_cast<nfs3::nfsstat3>(4711))),
              "GETATTR: a status that is not in RFC 1813");
    EXPECT_EQ(one.seen().wrong, 4u);
    EXPECT_EQ(one.seen().first_wrong,
              "GETATTR: attributes of another file: fileid 1011 size 7, not 1010 and 7");
}

TEST_F(WorkloadTest, AnAnswerThatIsCutOrTooLongDoesNotDecode) {
    Caller one = caller(Operation::getattr);
    static_cast<void>(next(one, nfs3::decode_GETATTR3args));
    xdr::Arena arena;
    xdr::Writer out{arena};
    ASSERT_TRUE(nfs3::encode_GETATTR3res(out, nfs3::GETATTR3res::of_resok({attributes(1010, 7)})));
    auto bytes = out.joined();
    bytes.resize(bytes.size() + 4);
    EXPECT_EQ(text_of(one.check(0, bytes, {})), "GETATTR: the result cannot be decoded");
    bytes.resize(bytes.size() - 8);
    EXPECT_EQ(text_of(one.check(0, bytes, {})), "GETATTR: the result cannot be decoded");
    EXPECT_EQ(text_of(one.check(0, {}, {})), "GETATTR: the result cannot be decoded");
}

TEST_F(WorkloadTest, LookupByNumberAndWhereThereIsNoneByHandle) {
    Caller one = caller(Operation::lookup);
    const auto arguments = next(one, nfs3::decode_LOOKUP3args);
    EXPECT_EQ(arguments.what.name, "e0000010");
    const auto answer = [&](const Handle& handle, nfs3::post_op_attr what) {
        nfs3::LOOKUP3res result;
        result.emplace_resok(NFS3_OK) = {{handle.bytes()}, what, {}};
        return verdict(one, nfs3::encode_LOOKUP3res, result);
    };
    EXPECT_EQ(answer(handle_of(99), attributes(1010, 7)), "right");
    EXPECT_EQ(answer(handle_of(10), attributes(1011, 7)), "LOOKUP: another file");
    EXPECT_EQ(answer(handle_of(10), {}), "right");
    EXPECT_EQ(answer(handle_of(99), {}), "LOOKUP: another file");
}

TEST_F(WorkloadTest, AccessGrantsWhatWasAsked) {
    Caller one = caller(Operation::access);
    const auto arguments = next(one, nfs3::decode_ACCESS3args);
    const auto answer = [&](std::uint32_t rights) {
        nfs3::ACCESS3res result;
        result.emplace_resok(NFS3_OK).access = rights;
        return verdict(one, nfs3::encode_ACCESS3res, result);
    };
    EXPECT_EQ(answer(arguments.access), "right");
    EXPECT_EQ(answer(nfs3::ACCESS3_READ), "right");
    EXPECT_EQ(answer(arguments.access | nfs3::ACCESS3_DELETE),
              "ACCESS: rights that were not requested");
    EXPECT_EQ(answer(0), "ACCESS: the owner may not read");
}

TEST_F(WorkloadTest, ReadGoesThroughTheFileAndWantsItsBytes) {
    TransferOptions transfer;
    transfer.pattern = Pattern::sequential;
    Caller one = caller(Operation::read, transfer);
    auto arguments = next(one, nfs3::decode_READ3args);
    EXPECT_EQ(arguments.offset, 0u);
    EXPECT_EQ(arguments.count, 4096u);
    const ByteView right = content_.range(0, 0, 4096);
    EXPECT_EQ(read_verdict(one, 4096, false, right), "right");
    EXPECT_EQ(read_verdict(one, 4096, true, right), "READ: end of file reported too early");
    EXPECT_EQ(read_verdict(one, 4095, false, right), "READ: count is not the size of the data");
    EXPECT_EQ(read_verdict(one, 100, false, right.subspan(0, 100)),
              "READ: not the number of bytes requested");
    EXPECT_EQ(read_verdict(one, 4096, false, content_.range(0, 4096, 4096)),
              "READ: data that differs from what was written");
    // The same with the data beside the results.
    nfs3::READ3resok apart;
    apart.count = 4096;
    apart.data = right;
    xdr::Arena arena;
    xdr::Writer out{arena};
    out.keep_bulk_apart();
    ASSERT_TRUE(nfs3::encode_READ3res(out, nfs3::READ3res::of_resok(apart)));
    ASSERT_EQ(out.segments().size(), 2u);
    const ByteView head = out.segments()[0].bytes();
    EXPECT_EQ(text_of(one.check(0, head, {&right, 1})), "right");
    const ByteView other = content_.range(0, 4096, 4096);
    EXPECT_EQ(text_of(one.check(0, head, {&other, 1})),
              "READ: data that differs from what was written");
    // 10,000 bytes are two whole blocks; then it starts over.
    arguments = next(one, nfs3::decode_READ3args);
    EXPECT_EQ(arguments.offset, 4096u);
    arguments = next(one, nfs3::decode_READ3args);
    EXPECT_EQ(arguments.offset, 0u);
}

TEST_F(WorkloadTest, AReadOfMoreThanTheFileEndsWithIt) {
    TransferOptions transfer;
    transfer.read_bytes = 64u << 10;
    Caller one = caller(Operation::read, transfer);
    const auto arguments = next(one, nfs3::decode_READ3args);
    EXPECT_EQ(arguments.offset, 0u);
    EXPECT_EQ(arguments.count, 10'000u);
    EXPECT_EQ(read_verdict(one, 10'000, true, content_.range(0, 0, 10'000)), "right");
}

TEST_F(WorkloadTest, WriteIsAsStableAsAskedAndTheVerifierStays) {
    TransferOptions transfer;
    transfer.stable = Stability::data_sync;
    Caller one = caller(Operation::write, transfer);
    const auto arguments = next(one, nfs3::decode_WRITE3args);
    EXPECT_EQ(arguments.stable, nfs3::DATA_SYNC);
    EXPECT_FALSE(
        content_.first_difference(0, arguments.offset, arguments.data, Content::Look::all));
    const auto answer = [&](std::uint32_t count, nfs3::stable_how stable, std::uint8_t verifier) {
        nfs3::WRITE3res result;
        nfs3::WRITE3resok& ok = result.emplace_resok(NFS3_OK);
        ok.count = count;
        ok.committed = stable;
        ok.verf[0] = static_cast<decltype(ok.verf)::value_type>(verifier);
        return verdict(one, nfs3::encode_WRITE3res, result);
    };
    EXPECT_EQ(answer(4096, nfs3::FILE_SYNC, 1), "right");
    EXPECT_EQ(answer(4096, nfs3::DATA_SYNC, 1), "right");
    EXPECT_EQ(answer(4095, nfs3::FILE_SYNC, 1), "WRITE: not the number of bytes sent");
    EXPECT_EQ(answer(4096, nfs3::UNSTABLE, 1), "WRITE: less stable than requested");
    EXPECT_EQ(answer(4096, nfs3::FILE_SYNC, 2),
              "WRITE: the write verifier changed: the server lost unstable data");
    EXPECT_EQ(one.written().size(), 2u);
}

TEST_F(WorkloadTest, WhatASlotMakesItRemoves) {
    Caller one = caller(Operation::create);
    const auto made = [&](std::size_t slot) {
        const std::string name(next(one, nfs3::decode_CREATE3args, slot).where.name);
        nfs3::CREATE3res result;
        result.emplace_resok(NFS3_OK);
        EXPECT_EQ(verdict(one, nfs3::encode_CREATE3res, result, slot), "right");
        return name;
    };
    const std::string first = made(0), other = made(1);
    EXPECT_NE(first, other);
    EXPECT_EQ(next(one, nfs3::decode_REMOVE3args, 0).object.name, first);
    EXPECT_EQ(next(one, nfs3::decode_REMOVE3args, 1).object.name, other);
    one.failed(1);  // unknown whether it was removed
    EXPECT_NE(made(1), other);
}

TEST_F(WorkloadTest, AListingGoesOnWhereItWasAndHasEveryNameOnce) {
    Caller one = caller(Operation::readdirplus);
    auto arguments = next(one, nfs3::decode_READDIRPLUS3args);
    EXPECT_EQ(arguments.cookie, 0u);
    EXPECT_EQ(list_verdict(one, {".", "..", "e0000000", "e0000001"}, false), "right");
    arguments = next(one, nfs3::decode_READDIRPLUS3args);
    EXPECT_EQ(arguments.cookie, 103u);
    EXPECT_EQ(list_verdict(one, {"e0000002"}, true), "right");
    EXPECT_EQ(one.seen().listings, 1u);
    arguments = next(one, nfs3::decode_READDIRPLUS3args);
    EXPECT_EQ(arguments.cookie, 0u);
    EXPECT_EQ(list_verdict(one, {"e0000000", "e0000000"}, false),
              "READDIRPLUS: a duplicate name in one listing");
    // A listing that failed starts over.
    arguments = next(one, nfs3::decode_READDIRPLUS3args);
    EXPECT_EQ(arguments.cookie, 0u);
    EXPECT_EQ(list_verdict(one, {"e0000000"}, true), "READDIRPLUS: the listing is incomplete");
    EXPECT_EQ(list_verdict(one, {"else"}, false), "READDIRPLUS: a name that was never created");
    EXPECT_EQ(list_verdict(one, {}, false), "READDIRPLUS: neither an entry nor end of directory");
    EXPECT_EQ(one.seen().listings, 1u);
}

TEST_F(WorkloadTest, TheMixHasItsShares) {
    const Program program = program_of(Operation::mixed, Version::v3);
    Caller one = caller(Operation::mixed);
    std::vector<int> count(kKinds);
    for (int i = 0; i < 1000; ++i) ++count[static_cast<std::size_t>(program.kinds[one.choose(0)])];
    const auto of = [&](Kind kind) { return count[static_cast<std::size_t>(kind)]; };
    EXPECT_EQ(of(Kind::getattr), 400);
    EXPECT_EQ(of(Kind::lookup), 200);
    EXPECT_EQ(of(Kind::read), 200);
    EXPECT_EQ(of(Kind::write), 100);
    EXPECT_EQ(of(Kind::create) + of(Kind::remove), 40);
    EXPECT_EQ(of(Kind::access) + of(Kind::readdirplus) + of(Kind::fsinfo), 60);
}

TEST(Operations, EveryOneHasAName) {
    for (std::size_t i = 0; i < kOperations; ++i) {
        const auto one = static_cast<Operation>(i);
        EXPECT_EQ(operation_named(to_text(one)), one);
        EXPECT_FALSE(program_of(one, Version::v4_1).steps.empty());
        if (needs_state(one)) continue;
        EXPECT_FALSE(program_of(one, Version::v3).steps.empty());
    }
    EXPECT_FALSE(operation_named("chmod"));
}

}  // namespace
}  // namespace helio::load::nfs::workload_test
