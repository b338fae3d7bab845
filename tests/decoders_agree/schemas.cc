#include "tests/decoders_agree/schemas.h"

#include <fmt/format.h>

#include "constructs.h"
#include "helio/base/assert.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "schema/authsys.h"
#include "schema/bootparam.h"
#include "schema/builtin.h"
#include "schema/helio_control.h"
#include "schema/keepalive.h"
#include "schema/mount.h"
#include "schema/nfs2.h"
#include "schema/nfs3.h"
#include "schema/nfs4.h"
#include "schema/nfs4_cb.h"
#include "schema/nfsacl.h"
#include "schema/nlm.h"
#include "schema/nsm.h"
#include "schema/rpc.h"
#include "schema/rpcb.h"
#include "schema/rpcrdma.h"
#include "schema/rquota.h"
#include "schema/virnet.h"
#include "schema/vxi11.h"
#include "schema/yp.h"
#ifdef HELIO_HAS_VIRT
#include "schema/admin.h"
#include "schema/lxc.h"
#include "schema/qemu.h"
#include "schema/remote.h"
#endif

namespace helio::test {

namespace {

std::vector<BothReaders> load() {
    std::vector<BothReaders> all;
    const auto add = [&all](const char* name, std::span<const xdr::TypeCodec> codecs) {
        auto parsed = builtin::parse(name);
        HELIO_ASSERT(parsed.schema != nullptr);
        all.push_back({name, std::move(parsed.schema), codecs});
    };
    add("authsys", authsys::type_codecs());
    add("bootparam", bootparam::type_codecs());
    add("helio_control", helio_control::type_codecs());
    add("keepalive", keepalive::type_codecs());
    add("mount", mount::type_codecs());
    add("nfs2", nfs2::type_codecs());
    add("nfs3", nfs3::type_codecs());
    add("nfs4", nfs4::type_codecs());
    add("nfs4_cb", nfs4_cb::type_codecs());
    add("nfsacl", nfsacl::type_codecs());
    add("nlm", nlm::type_codecs());
    add("nsm", nsm::type_codecs());
    add("rpc", rpc::type_codecs());
    add("rpcb", rpcb::type_codecs());
    add("rpcrdma", rpcrdma::type_codecs());
    add("rquota", rquota::type_codecs());
    add("virnet", virnet::type_codecs());
    add("vxi11", vxi11::type_codecs());
    add("yp", yp::type_codecs());
#ifdef HELIO_HAS_VIRT
    add("admin", admin::type_codecs());
    add("lxc", lxc::type_codecs());
    add("qemu", qemu::type_codecs());
    add("remote", remote::type_codecs());
    HELIO_ASSERT(all.size() == builtin::texts().size());
#endif
    auto constructs = idl::parse_file(HELIO_SOURCE_DIR "/tests/generated_code/constructs.x");
    HELIO_ASSERT(constructs.schema != nullptr);
    all.push_back({"constructs", std::move(constructs.schema), ::test::constructs::type_codecs()});
    return all;
}

}  // namespace

const std::vector<BothReaders>& schemas() {
    static const std::vector<BothReaders> all = load();
    return all;
}

PickedType pick(const BothReaders& one, std::uint64_t seed) {
    if (one.codecs.empty()) return {};
    const auto& codec = one.codecs[seed % one.codecs.size()];
    return {one.schema->type(codec.name), &codec};
}

std::string disagreement(const PickedType& picked, ByteView bytes) {
    static thread_local xdr::Arena arena;
    arena.reset();
    xdr::Reader in{bytes, arena, xdr::Mode::strict};
    xdr::Writer out{arena};
    const bool decoded = picked.codec->recode(in, out);
    if (!decoded && in.ok())
        return fmt::format("decoded, but does not encode: {}", to_string(out.error()));
    const bool typed_accepts = decoded && in.finish();
    const auto tree = reflect::decode(bytes, *picked.type);
    if (typed_accepts != tree.ok())
        return fmt::format("typed: {}; reflective: {}",
                           typed_accepts ? "accepts" : to_string(in.error()),
                           tree.ok() ? "accepts" : to_string(tree.error));
    // Both must report a cut message at the same place; a cut may hide a wrong word.
    if (!typed_accepts) return {};
    if (in.consumed() != tree.consumed)
        return fmt::format("typed read {}, reflective {}", in.consumed(), tree.consumed);
    const auto again = out.joined();
    if (again.size() != bytes.size() || !std::equal(again.begin(), again.end(), bytes.begin()))
        return "what was accepted encodes to other bytes";
    const auto from_json = reflect::encode(*picked.type, reflect::to_json(tree));
    if (!from_json) return "JSON does not come back: " + to_string(from_json.error());
    if (*from_json != again) return "JSON comes back as other bytes";
    return {};
}

}  // namespace helio::test
