// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace eco {

namespace {

// A disk that is full takes less than all, and says why only when it is asked again.
bool write_all(int file, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t bytes = write(file, text.data() + done, text.size() - done);
        if (bytes > 0)
            done += static_cast<std::size_t>(bytes);
        else if (bytes == 0 || errno != EINTR)
            return false;
    }
    return true;
}

int write_to(const std::string& path, const std::string& text) {
    // A pipe that nobody reads is an error, and no reason to wait.
    const int file = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) return errno;
    const int flags = fcntl(file, F_GETFL);
    const bool whole = fcntl(file, F_SETFL, flags & ~O_NONBLOCK) == 0 && write_all(file, text);
    const int why = errno;
    return close(file) == 0 && whole ? 0 : why;
}

std::string behind_links(const std::string& path) {
    char* real = realpath(path.c_str(), nullptr);
    std::string found = real ? real : path;
    std::free(real);
    return found;
}

}  // namespace

int replace_file(const std::string& path, const std::string& text) {
    struct stat there{};
    if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return write_to(path, text);
    const std::string target = behind_links(path);
    // Two hosts of one shared folder may have the same process number.
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    const std::string fresh = target + "." + host + "." + std::to_string(getpid());
    const int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return errno;
    const bool whole = write_all(file, text) && fsync(file) == 0;
    int why = errno;
    close(file);
    if (whole) {
        if (rename(fresh.c_str(), target.c_str()) == 0) return 0;
        why = errno;
    }
    unlink(fresh.c_str());
    return why;
}

}  // namespace eco
