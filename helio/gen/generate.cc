#include "helio/gen/generate.h"

#include "helio/gen/model_internal.h"
#include "helio/gen/parts_internal.h"

namespace helio::gen {

std::vector<OutputFile> generate(const idl::Schema& schema, const Options& options) {
    const Model model{schema, options};
    const auto& stem = model.stem();
    return {
        {stem + ".h", write_header(model)},
        {stem + "_codec.h", write_codec_header(model)},
        {stem + "_decode.cc", write_decode(model)},
        {stem + "_encode.cc", write_encode(model)},
        {stem + "_values.cc", write_values(model)},
        {stem + "_service.h", write_service_header(model)},
        {stem + "_service.cc", write_service(model)},
        {stem + "_table.cc", write_table(model)},
    };
}

}  // namespace helio::gen
