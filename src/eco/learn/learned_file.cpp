// SPDX-License-Identifier: BSD-3-Clause
// The learned file on disk: where it is, and how it is replaced under a lock.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "eco/base/error.h"
#include "eco/base/settings.h"
#include "eco/base/text.h"
#include "eco/learn/learned.h"

namespace eco {

namespace {

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

Error unwritable(const std::string& path) {
    return {Code::environment, path + " cannot be written: " + std::strerror(errno) +
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

void replace(const std::string& path, const std::string& text) {
    // Two hosts of one shared folder may have the same process number.
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    const std::string fresh = path + "." + host + "." + std::to_string(getpid());
    const int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) throw unwritable(path);
    const bool whole = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(file) == 0;
    const int why = errno;
    close(file);
    if (whole && rename(fresh.c_str(), path.c_str()) == 0) return;
    if (!whole) errno = why;
    const Error error = unwritable(path);
    unlink(fresh.c_str());
    throw error;
}

}  // namespace

std::string learned_path(const std::string& profile_path) {
    const std::string folder = folder_of(profile_path);
    const std::string name = profile_path.substr(profile_path.rfind('/') + 1) + ".learned";
    if (access(folder.c_str(), W_OK) == 0) return folder + "/" + name;
    return profile_store() + "/" + name;
}

Learned read_learned(const std::string& path, const std::string& network) {
    const auto text = read_text(path);
    Learned learned;
    // An empty one is another job's that has not written yet.
    if (text && !text->empty()) learned = parse_learned(*text, path);
    if (learned.network != network) learned = {network, {}};
    return learned;
}

void keep_learned(const std::string& path, const Learned& fresh) {
    make_folders(folder_of(path));
    const Locked lock(path);
    Learned all = read_learned(path, fresh.network);
    merge(all, fresh);
    replace(path, to_json(all));
}

}  // namespace eco
