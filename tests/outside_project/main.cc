// Serves one call of clock.x from bytes to bytes, and decodes the reply, in place of a transport.
// Exits 0 if everything matches the schema.
#include <cstdio>
#include <string>
#include <vector>

#include "clock.h"
#include "clock_service.h"

using namespace acme::clock;
namespace xdr = helio::xdr;

namespace {

// Knows one zone; for any other it would have to wait.
class Clock final : public CLOCK_V1::Service {
 public:
    clock_res NOW(xdr::CallContext& call, const clock_args& args) override {
        if (args.zone != "Europe/Vienna") return call.wait<clock_res>();
        return clock_res::of_now(
            {.seconds = 1000000000, .offset_seconds = 7200, .daylight_saving = true});
    }
    helio::Task<clock_res> NOW_async(xdr::CallContext&, const clock_args& args) override {
        co_return clock_res::of_known(co_await closest(args.zone));
    }

 private:
    static helio::Task<std::string_view> closest(std::string_view zone) {
        co_return zone.starts_with("Asia/") ? "Asia/Tokyo" : "Europe/Vienna";
    }
};

// Argument bytes in, result bytes out.
std::vector<std::byte> serve_now(helio::ByteView arguments, xdr::Outcome& outcome) {
    xdr::Arena arena;
    xdr::Reader in{arguments, arena};
    xdr::Writer out{arena};
    xdr::CallContext call{arena};
    Clock clock;
    outcome = clock.serve(CLOCK_V1::NOW, call, in, out);
    if (outcome == xdr::Outcome::suspended) {
        bool ended = false;
        call.later().start([](void* flag) { *static_cast<bool*>(flag) = true; }, &ended);
        outcome = ended ? call.later().finish(call, out) : xdr::Outcome::system_error;
    }
    return out.joined();
}

bool ask(std::string_view zone) {
    xdr::Arena arena;
    xdr::Writer question{arena};
    if (!encode_clock_args(question, {.zone = zone})) return false;
    xdr::Outcome outcome{};
    const auto answer = serve_now(question.joined(), outcome);

    xdr::Reader in{answer, arena, xdr::Mode::strict};
    clock_res result;
    if (outcome != xdr::Outcome::success || !decode_clock_res(in, result) || !in.finish())
        return false;
    xdr::Printer text;
    print_clock_res(text, result);
    std::printf("%s\n", text.text().c_str());
    return result.has_now() == (zone == "Europe/Vienna");
}

}  // namespace

int main() {
    const std::string too_long(ZONE_MAX + 1, 'x');
    xdr::Arena arena;
    xdr::Writer out{arena};
    const bool refused =
        !encode_clock_args(out, {.zone = too_long});  // bounds hold in both directions
    std::printf("%s\n", to_string(out.error()).c_str());
    return ask("Europe/Vienna") && ask("Vienna") && refused ? 0 : 1;
}
