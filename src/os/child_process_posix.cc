// SPDX-License-Identifier: Apache-2.0
#include "os/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "os/interrupt.h"
#include "os/system_error.h"

extern char** environ;

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{20};
// A process that sleeps inside a driver dies only when the driver lets go of it.
constexpr std::chrono::milliseconds kDeathLimit{1000};

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (value_ >= 0) {
      ::close(std::exchange(value_, -1));
    }
  }
  [[nodiscard]] int get() const { return value_; }
  [[nodiscard]] bool is_open() const { return value_ >= 0; }

 private:
  int value_ = -1;
};

std::unexpected<Error> last_error() {
  return std::unexpected(system_error(static_cast<std::uint32_t>(errno)));
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return last_error();
  }
  // Above the standard three, so that the child's dup2 cannot overwrite an end it still needs.
  Pipe pipe;
  Descriptor low_read(ends[0]);
  Descriptor low_write(ends[1]);
  pipe.read = Descriptor(::fcntl(low_read.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  pipe.write = Descriptor(::fcntl(low_write.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!pipe.read.is_open() || !pipe.write.is_open()) {
    return last_error();
  }
  return pipe;
}

std::vector<std::string> environment_of(const ChildCommand& command) {
  std::vector<std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!command.environment.contains(std::string(text.substr(0, text.find('='))))) {
      variables.emplace_back(text);
    }
  }
  for (const auto& [name, value] : command.environment) {
    if (value) {
      variables.push_back(name + "=" + *value);
    }
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

struct Plan {  // all that the child needs, made before fork()
  const char* program;
  char* const* arguments;
  char* const* environment;
  int input;
  int output;
  int errors;
  int failure;  // takes the errno of a program that cannot be started
  pid_t parent;
};

// Between fork() and exec: async-signal-safe calls alone, since another thread may have held any
// lock.
[[noreturn]] void become(const Plan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) {  // it died before the line above
    ::_exit(1);
  }
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    ::sigaction(signal, &usual, nullptr);
  }
  sigset_t nothing;
  ::sigemptyset(&nothing);
  ::sigprocmask(SIG_SETMASK, &nothing, nullptr);
  if (::dup2(plan.input, STDIN_FILENO) >= 0 && ::dup2(plan.output, STDOUT_FILENO) >= 0 &&
      ::dup2(plan.errors, STDERR_FILENO) >= 0) {
#ifdef SYS_close_range
    constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11; else they stay open
    ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, kCloseOnExec);
#endif
    ::execve(plan.program, plan.arguments, plan.environment);
  }
  const int number = errno;
  static_cast<void>(!::write(plan.failure, &number, sizeof number));
  ::_exit(127);
}

// Takes what is there; false once there will be no more.
bool drain(const Descriptor& pipe, std::string& text, std::size_t cap, bool& truncated) {
  std::array<char, 1U << 16U> buffer;
  while (true) {
    const ssize_t count = ::read(pipe.get(), buffer.data(), buffer.size());
    if (count > 0) {
      const auto size = static_cast<std::size_t>(count);
      const std::size_t kept = std::min(size, cap - text.size());
      text.append(buffer.data(), kept);
      truncated = truncated || kept < size;
      return true;
    }
    if (count < 0 && errno == EINTR) {
      continue;
    }
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

struct Reader {
  Descriptor pipe;
  std::string* text;
  std::size_t cap;
};

void drain_if_ready(Reader& reader, short events, bool& truncated) {
  if (events != 0 && !drain(reader.pipe, *reader.text, reader.cap, truncated)) {
    reader.pipe.close();
  }
}

// Reads for at most `wait`; with both pipes closed it only waits.
void read_both(std::array<Reader, 2>& readers, std::chrono::milliseconds wait, bool& truncated) {
  std::array<pollfd, 2> polled{};
  for (std::size_t i = 0; i < readers.size(); ++i) {
    polled[i] = {readers[i].pipe.get(), POLLIN, 0};  // a negative descriptor is skipped
  }
  if (::poll(polled.data(), polled.size(), static_cast<int>(wait.count())) > 0) {
    for (std::size_t i = 0; i < readers.size(); ++i) {
      drain_if_ready(readers[i], polled[i].revents, truncated);
    }
  }
}

// Whether it has ended; it stays a zombie, so that its number cannot be given to another process.
bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

std::string signal_name(int signal) {
  switch (signal) {  // sigabbrev_np() would ask for glibc 2.32
    case SIGSEGV:
      return "SIGSEGV";
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGFPE:
      return "SIGFPE";
    case SIGKILL:
      return "SIGKILL";
    case SIGSYS:
      return "SIGSYS";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGTERM:
      return "SIGTERM";
    default:
      return "signal " + std::to_string(signal);
  }
}

void tell_end(pid_t child, ChildResult& result) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) {
    return;
  }
  if (WIFEXITED(status)) {
    result.exit_code = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status) && !result.timed_out && !result.interrupted) {
    result.crash = signal_name(WTERMSIG(status));
  }
}

void watch(pid_t child, const ChildCommand& command, std::array<Reader, 2>& readers,
           ChildResult& result) {
  const Clock::time_point end = Clock::now() + command.limit;
  std::chrono::milliseconds tick{1};
  while (!has_ended(child)) {
    result.interrupted = interrupted();
    result.timed_out = !result.interrupted && Clock::now() >= end;
    if (result.timed_out || result.interrupted) {
      break;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    read_both(readers, std::clamp(left, std::chrono::milliseconds{0}, tick), result.truncated);
    const bool silent = !readers[0].pipe.is_open() && !readers[1].pipe.is_open();
    tick = silent ? std::chrono::milliseconds{1} : std::min(tick * 2, kTick);  // it is ending
  }
  ::kill(-child, SIGKILL);  // what it started besides, too
  const Clock::time_point death = Clock::now() + kDeathLimit;
  while (!has_ended(child)) {
    if (Clock::now() >= death) {
      result.left_behind = true;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  // What is still in the pipes, and no more: somebody who left the group may hold them open.
  for (Reader& reader : readers) {
    constexpr int kMostBuffers = 64;
    for (int i = 0; i < kMostBuffers && reader.pipe.is_open(); ++i) {
      pollfd polled{reader.pipe.get(), POLLIN, 0};
      if (::poll(&polled, 1, 0) <= 0) {
        break;
      }
      drain_if_ready(reader, polled.revents, result.truncated);
    }
  }
  tell_end(child, result);
}

}  // namespace

Result<ChildResult> run_child(const ChildCommand& command) {
  std::vector<std::string> words{command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> variables = environment_of(command);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(variables);
  PLUMB_ASSIGN(Pipe output, make_pipe());
  PLUMB_ASSIGN(Pipe errors, make_pipe());
  PLUMB_ASSIGN(Pipe failure, make_pipe());
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.is_open()) {
    return last_error();
  }
  const Plan plan{command.program.c_str(), arguments.data(),   environment.data(),  nothing.get(),
                  output.write.get(),      errors.write.get(), failure.write.get(), ::getpid()};
  const pid_t child = ::fork();
  if (child < 0) {
    return last_error();
  }
  if (child == 0) {
    become(plan);
  }
  ::setpgid(child, child);  // here as well: whichever comes first
  output.write.close();
  errors.write.close();
  failure.write.close();
  int number = 0;
  ssize_t told = 0;
  do {
    told = ::read(failure.read.get(), &number, sizeof number);
  } while (told < 0 && errno == EINTR);
  if (told == static_cast<ssize_t>(sizeof number)) {
    ::waitpid(child, nullptr, 0);
    return std::unexpected(system_error(static_cast<std::uint32_t>(number)).in(command.program));
  }
  ChildResult result;
  std::array<Reader, 2> readers{Reader{std::move(output.read), &result.output, command.output_cap},
                                Reader{std::move(errors.read), &result.errors, command.error_cap}};
  watch(child, command, readers, result);
  return result;
}

std::string own_program_path() {
  static constexpr char kOwn[] = "/proc/self/exe";  // also good for exec after the file is replaced
  std::array<char, 4096> buffer{};
  const ssize_t length = ::readlink(kOwn, buffer.data(), buffer.size());
  if (length <= 0 || length == static_cast<ssize_t>(buffer.size())) {
    return kOwn;
  }
  std::string path(buffer.data(), static_cast<std::size_t>(length));
  return ::access(path.c_str(), X_OK) == 0 ? path : kOwn;
}

void die_quietly() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace plumb
