# RPC-over-RDMA found in captures; included by this folder's CMakeLists.txt.
target_sources(helio_inspect PRIVATE
    rdma/iwarp.cc rdma/rdma.cc rdma/rdma_memory.cc rdma/roce.cc rdma/roce_packet.cc rdma/roce_queue.cc)

helio_test(inspect_rdma
    SOURCES rdma/iwarp_test.cc rdma/rdma_capture_test.cc rdma/rdma_memory_test.cc rdma/rdma_test.cc rdma/roce_test.cc
    DEPS helio::inspect helio::builtin)

helio_fuzzer(inspect_rdma SOURCES rdma/rdma_fuzz.cc DEPS helio::inspect helio::builtin)
