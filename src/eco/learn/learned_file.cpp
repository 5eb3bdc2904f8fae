// SPDX-License-Identifier: BSD-3-Clause
// The learned file on disk: where it is, and how it is replaced under a lock.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "eco/base/error.h"
#include "eco/base/replace_file.h"
#include "eco/base/settings.h"
#include "eco/base/text.h"
#include "eco/learn/learned.h"

namespace eco {

namespace {

constexpr std::size_t longest_date = 40;  // of a file's name

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

// And those above it. That one is missing shows when a file is made in it.
void make_folders(const std::string& folder) {
    for (std::size_t end = 0; end != std::string::npos;) {
        end = folder.find('/', end + 1);
        mkdir(folder.substr(0, end).c_str(), 0777);
    }
}

Error unwritable(const std::string& path, int why = errno) {
    return {Code::environment, path + " cannot be written: " + std::strerror(why) +
                                   "; what was learned is not stored"};
}

// Holds the file's lock. It is the lock of the file that stands there: one that another job has
// just replaced is let go.
class Locked {
public:
    explicit Locked(const std::string& path) {
        while (true) {
            file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
            if (file_ < 0) throw unwritable(path);
            if (!lock()) {
                const Error error = unwritable(path);
                close(file_);
                throw error;
            }
            struct stat mine{}, there{};
            if (fstat(file_, &mine) == 0 && stat(path.c_str(), &there) == 0 &&
                mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
                return;
            close(file_);
        }
    }
    ~Locked() { close(file_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

    // All of it. That it cannot be read must not look as if nothing had been learned.
    std::string text(const std::string& path) const {
        std::string all;
        std::array<char, 16384> part;
        while (true) {
            const ssize_t bytes = read(file_, part.data(), part.size());
            if (bytes == 0) return all;
            if (bytes > 0)
                all.append(part.data(), static_cast<std::size_t>(bytes));
            else if (errno != EINTR)
                throw Error(Code::environment, path + " cannot be read: " + std::strerror(errno) +
                                                   "; what was learned is not stored");
        }
    }

private:
    // A job that was stopped with the lock must not keep all others from ending.
    bool lock() const {
        constexpr int most_tries = 100;
        for (int tries = 0; flock(file_, LOCK_EX | LOCK_NB) != 0; ++tries) {
            if ((errno != EWOULDBLOCK && errno != EINTR) || tries == most_tries) return false;
            usleep(100000);
        }
        return true;
    }

    int file_ = -1;
};

// A pipe of that name would be waited for; a folder is an error that says so.
bool is_waited_for(const std::string& path) {
    struct stat there{};
    return stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
}

// One that another user made may be there, and closed to this one.
bool can_be_kept_in(const std::string& folder, const std::string& path) {
    return access(folder.c_str(), W_OK) == 0 &&
           (access(path.c_str(), F_OK) != 0 ||
            (!is_waited_for(path) && access(path.c_str(), R_OK | W_OK) == 0));
}

// An empty text is another job's that has not written yet.
Learned learned_in(const std::string& text, const std::string& path, const std::string& network) {
    Learned learned;
    if (!text.empty()) learned = parse_learned(text, path);
    if (learned.network != network) learned = {network, {}};
    return learned;
}

}  // namespace

std::string learned_path(const std::string& profile_path, const std::string& network) {
    const std::string folder = folder_of(profile_path);
    const std::string name = profile_path.substr(profile_path.rfind('/') + 1);
    const std::string beside = folder + "/" + name + ".learned";
    if (can_be_kept_in(folder, beside)) return beside;
    // Clusters that share the user's folder may have profiles of one name.
    std::string date;
    std::copy_if(network.begin(), network.end(), std::back_inserter(date),
                 [](unsigned char letter) { return letter < 128 && std::isalnum(letter); });
    return profile_store() + "/" + name + "." + date.substr(0, longest_date) + ".learned";
}

Learned read_learned(const std::string& path, const std::string& network) {
    return learned_in(read_text(path).value_or(""), path, network);
}

void keep_learned(const std::string& path, const Learned& fresh) {
    make_folders(folder_of(path));
    const Locked lock(path);
    Learned all = learned_in(lock.text(path), path, fresh.network);
    merge(all, fresh);
    if (const int why = replace_file(path, to_json(all)); why != 0) throw unwritable(path, why);
}

}  // namespace eco
