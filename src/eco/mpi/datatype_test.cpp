// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/datatype.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "eco/mpi/singleton_test.h"

namespace eco {

namespace {

// `counts` ints at `places` (bytes); freed with its owner.
class Made {
public:
    explicit Made(MPI_Datatype given) : type(given) { native().Type_commit(&type); }
    ~Made() { native().Type_free(&type); }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;
    MPI_Datatype type;
};

MPI_Datatype indexed(const std::vector<int>& counts, const std::vector<MPI_Aint>& places) {
    MPI_Datatype made{};
    native().Type_create_hindexed(static_cast<int>(counts.size()), counts.data(), places.data(),
                                  native().int32, &made);
    return made;
}

MPI_Datatype resized(MPI_Datatype from, MPI_Aint low, MPI_Aint extent) {
    MPI_Datatype made{};
    ECO_LIBRARY(MPI_Type_create_resized)(from, low, extent, &made);
    native().Type_free(&from);
    return made;
}

// Packs `count` elements at `user`, unpacks them into memory of all nines, and gives that back.
std::vector<int> there_and_back(const std::vector<int>& user, std::size_t origin, Bytes count,
                                const Type& type, Bytes packed_bytes) {
    const auto packed = allocate(packed_bytes);
    pack(user.data() + origin, count, type, packed.get(), native().comm_self);
    std::vector<int> found(user.size(), 9);
    unpack(packed.get(), found.data() + origin, count, type, native().comm_self);
    return found;
}

}  // namespace

TEST(Type, APredefinedOneIsPlain) {
    for (const auto& [handle, size] : {std::pair(native().byte, 1), std::pair(native().int32, 4),
                                       std::pair(native().real64, 8)}) {
        const Type type(handle);
        EXPECT_TRUE(is_type(handle));
        EXPECT_EQ(type.size, size);
        EXPECT_EQ(type.extent, size);
        EXPECT_EQ(type.true_lb, 0);
        EXPECT_EQ(type.true_extent, size);
        EXPECT_TRUE(type.predefined && type.plain && type.can_be_staged());
    }
    EXPECT_FALSE(is_type(native().datatype_null));
}

TEST(Type, OneIsNoneBeforeItIsCommitted) {
    MPI_Datatype made = indexed({2}, {0});
    EXPECT_FALSE(is_type(made));
    native().Type_commit(&made);
    EXPECT_TRUE(is_type(made));
    native().Type_free(&made);
}

TEST(Type, OneWithGapsIsPackedAndItsGapsAreLeftAlone) {
    const Made made(resized(indexed({1, 2}, {0, 8}), 0, 20));
    const Type type(made.type);
    EXPECT_EQ(type.size, 12);
    EXPECT_EQ(type.extent, 20);
    EXPECT_EQ(type.true_extent, 16);
    EXPECT_FALSE(type.predefined || type.plain);
    EXPECT_TRUE(type.can_be_staged());
    std::vector<int> user(10);
    std::iota(user.begin(), user.end(), 100);
    const std::vector<int> want{100, 9, 102, 103, 9, 105, 9, 107, 108, 9};
    EXPECT_EQ(there_and_back(user, 0, 2, type, 24), want);
}

TEST(Type, OneThatBeginsBeforeItsStart) {
    const Made made(resized(indexed({1, 1}, {-8, 4}), -8, 16));
    const Type type(made.type);
    EXPECT_EQ(type.size, 8);
    EXPECT_EQ(type.extent, 16);
    EXPECT_EQ(type.true_lb, -8);
    EXPECT_EQ(type.true_extent, 16);
    std::vector<int> user(8);
    std::iota(user.begin(), user.end(), 100);
    EXPECT_EQ(there_and_back(user, 2, 2, type, 16),
              (std::vector<int>{100, 9, 9, 103, 104, 9, 9, 107}));
}

TEST(Type, OneWhosePartsAreInAnotherOrderIsNotPlain) {
    const Made made(indexed({1, 1}, {4, 0}));
    const Type type(made.type);
    EXPECT_EQ(type.size, type.extent);
    EXPECT_FALSE(type.plain);
    const std::vector<int> user{1, 2, 3, 4};
    const auto packed = allocate(16);
    pack(user.data(), 2, type, packed.get(), native().comm_self);
    std::array<int, 4> order{};
    std::memcpy(order.data(), packed.get(), sizeof order);
    EXPECT_EQ(order, (std::array<int, 4>{2, 1, 4, 3}));
}

TEST(Type, OneWhoseElementsOverlapCannotBeStaged) {
    const Made made(resized(indexed({1, 1}, {0, 40}), 0, 4));
    EXPECT_FALSE(Type(made.type).can_be_staged());
    const Made none(resized(indexed({1}, {0}), 0, 0));
    EXPECT_FALSE(Type(none.type).can_be_staged());
}

TEST(Type, OneThatIsMostlyGapsCannotBeStaged) {
    const Made most(resized(indexed({1}, {0}), 0, 16)), more(resized(indexed({1}, {0}), 0, 17));
    EXPECT_TRUE(Type(most.type).can_be_staged());
    EXPECT_FALSE(Type(more.type).can_be_staged());
}

TEST(Type, OfNothingIsPackedAsNothing) {
    const Type type(native().int32);
    const auto packed = allocate(0);
    EXPECT_NO_THROW(pack(nullptr, 0, type, packed.get(), native().comm_self));
    EXPECT_NO_THROW(unpack(packed.get(), nullptr, 0, type, native().comm_self));
}

TEST(Type, AddressesInTheTypeNeedNoBuffer) {
    const std::array<int, 2> user{7, 8};
    const auto address = reinterpret_cast<MPI_Aint>(user.data());
    const Made made(indexed({2}, {address}));
    const auto packed = allocate(8);
    pack(nullptr, 1, Type(made.type), packed.get(), native().comm_self);
    EXPECT_EQ(std::memcmp(packed.get(), user.data(), 8), 0);
}

// MPI_Pack counts bytes in ints. Memory that takes little: the same pages again and again.
class Repeated {
public:
    static constexpr std::size_t period = std::size_t{3} << 20;

    explicit Repeated(std::size_t bytes) : bytes_(bytes + period) {
        start = static_cast<unsigned char*>(
            mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        const int pages = memfd_create("repeated", 0);
        if (start == MAP_FAILED || pages < 0 || ftruncate(pages, period) != 0) std::abort();
        for (std::size_t done = 0; done < bytes_ - period; done += period)
            if (mmap(start + done, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages,
                     0) == MAP_FAILED)
                std::abort();
        close(pages);
    }
    ~Repeated() { munmap(start, bytes_); }
    Repeated(const Repeated&) = delete;
    Repeated& operator=(const Repeated&) = delete;

    unsigned char* start;

private:
    std::size_t bytes_;
};

TEST(Type, AnElementLongerThanAnIntCounts) {
    // Rows of a third of the period, with a gap after each: the last ones end beyond 2 GiB.
    constexpr int rows = 2176, row = 1 << 20, gap = 1 << 10;
    MPI_Datatype vector{};
    std::vector<int> lengths(rows, row);
    std::vector<MPI_Aint> places;
    for (int r = 0; r < rows; ++r) places.push_back(MPI_Aint{r} * (row + gap));
    native().Type_create_hindexed(rows, lengths.data(), places.data(), native().byte, &vector);
    const Made made(vector);
    const Type type(made.type);
    ASSERT_GT(type.size, std::numeric_limits<int>::max());
    const auto packed_bytes = static_cast<std::size_t>(type.size);
    const Repeated user(packed_bytes + std::size_t{rows} * gap), packed(packed_bytes);
    std::memset(user.start, 1, Repeated::period);
    std::memset(packed.start, 2, Repeated::period);
    auto* bytes = reinterpret_cast<std::byte*>(packed.start);
    EXPECT_NO_THROW(pack(user.start, 1, type, bytes, native().comm_self));
    EXPECT_EQ(std::count(packed.start, packed.start + Repeated::period, 1),
              static_cast<std::ptrdiff_t>(Repeated::period));
    std::memset(packed.start, 3, Repeated::period);
    EXPECT_NO_THROW(unpack(bytes, user.start, 1, type, native().comm_self));
    EXPECT_EQ(user.start[places.back() + row - 1], 3);
}

}  // namespace eco
