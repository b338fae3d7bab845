# RPC-over-RDMA found in captures; included by this folder's CMakeLists.txt.
target_sources(helio_inspect PRIVATE
    iwarp.cc rdma.cc rdma_memory.cc roce.cc roce_packet.cc roce_queue.cc)

helio_test(inspect_rdma
    SOURCES iwarp_test.cc rdma_capture_test.cc rdma_memory_test.cc rdma_test.cc roce_test.cc
    DEPS helio::inspect helio::builtin)
# They have names in common.
set_source_files_properties(rdma_test.cc roce_test.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

helio_fuzzer(inspect_rdma SOURCES rdma_fuzz.cc DEPS helio::inspect helio::builtin)
