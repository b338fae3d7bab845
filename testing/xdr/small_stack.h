// Runs a test's work on a stack of 256 KiB, which cannot hold a frame for each of a million list
// entries.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

namespace helio::xdr {

inline void on_small_stack(const std::function<void()>& work) {
    pthread_attr_t attributes;
    pthread_t thread;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
    const auto run = [](void* argument) -> void* {
        (*static_cast<const std::function<void()>*>(argument))();
        return nullptr;
    };
    auto* const argument = const_cast<std::function<void()>*>(&work);
    ASSERT_EQ(pthread_create(&thread, &attributes, run, argument), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

}  // namespace helio::xdr
