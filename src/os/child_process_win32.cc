// SPDX-License-Identifier: Apache-2.0
#include "os/child_process.h"

#include <windows.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include "os/interrupt.h"
#include "os/system_error.h"
#include "os/wide.h"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr DWORD kPipeBytes = 1U << 20U;  // a full pipe costs the child one tick of waiting
constexpr DWORD kTickMs = 10;
// A process that waits inside a driver dies only when the driver lets go of it.
constexpr DWORD kDeathLimitMs = 1000;

class Handle {
 public:
  Handle() = default;
  explicit Handle(HANDLE value) : value_(value == INVALID_HANDLE_VALUE ? nullptr : value) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }
  void close() {
    if (value_ != nullptr) {
      ::CloseHandle(std::exchange(value_, nullptr));
    }
  }
  [[nodiscard]] HANDLE get() const { return value_; }
  [[nodiscard]] bool is_open() const { return value_ != nullptr; }

 private:
  HANDLE value_ = nullptr;
};

std::unexpected<Error> last_error() {
  return std::unexpected(system_error(::GetLastError()));
}

struct Pipe {
  Handle read;
  Handle write;  // inheritable
};

Result<Pipe> make_pipe() {
  HANDLE read = nullptr;
  HANDLE write = nullptr;
  if (!::CreatePipe(&read, &write, nullptr, kPipeBytes)) {
    return last_error();
  }
  Pipe pipe{Handle(read), Handle(write)};
  if (!::SetHandleInformation(write, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT)) {
    return last_error();
  }
  return pipe;
}

// One word as CommandLineToArgvW takes it apart: backslashes count only before a quote.
void add_quoted(std::wstring& line, std::wstring_view word) {
  line += L'"';
  std::size_t backslashes = 0;
  for (const wchar_t c : word) {
    if (c == L'"') {
      line.append(backslashes + 1, L'\\');
    }
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    line += c;
  }
  line.append(backslashes, L'\\');
  line += L'"';
}

std::wstring command_line_of(const ChildCommand& command) {
  std::wstring line;
  add_quoted(line, to_wide(command.program));
  for (const std::string& argument : command.arguments) {
    line += L' ';
    add_quoted(line, to_wide(argument));
  }
  return line;
}

bool same_name(std::wstring_view a, std::wstring_view b) {
  return ::CompareStringOrdinal(a.data(), static_cast<int>(a.size()), b.data(),
                                static_cast<int>(b.size()), TRUE) == CSTR_EQUAL;
}

// Sorted as CreateProcess wants it: by name, case aside.
std::wstring environment_of(const ChildCommand& command) {
  std::vector<std::pair<std::wstring, std::wstring>> variables;
  wchar_t* const block = ::GetEnvironmentStringsW();
  for (const wchar_t* entry = block; entry != nullptr && *entry != L'\0';) {
    const std::wstring_view text(entry);
    entry += text.size() + 1;
    const std::size_t equals = text.find(L'=', 1);  // "=C:=C:\x" holds a drive's current folder
    if (equals != std::wstring_view::npos) {
      variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  ::FreeEnvironmentStringsW(block);
  for (const auto& [name, value] : command.environment) {
    const std::wstring wide_name = to_wide(name);
    std::erase_if(variables, [&](const auto& entry) { return same_name(entry.first, wide_name); });
    if (value) {
      variables.emplace_back(wide_name, to_wide(*value));
    }
  }
  std::ranges::sort(variables, [](const auto& a, const auto& b) {
    return ::CompareStringOrdinal(a.first.c_str(), -1, b.first.c_str(), -1, TRUE) == CSTR_LESS_THAN;
  });
  std::wstring out;
  for (const auto& [name, value] : variables) {
    out += name + L'=' + value;
    out += L'\0';
  }
  out += L'\0';
  return out;
}

// A job whose processes die with its last handle, so at the latest with this process.
Result<Handle> make_job() {
  Handle job(::CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  if (!job.is_open() || !::SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation,
                                                   &limits, sizeof limits)) {
    return last_error();
  }
  return job;
}

class HandleList {
 public:
  /// `handles` must outlive this; the child inherits them and no others.
  explicit HandleList(std::array<HANDLE, 3>& handles) {
    SIZE_T size = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    memory_.resize(size);
    ready_ = ::InitializeProcThreadAttributeList(get(), 1, 0, &size) != FALSE;
    filled_ = ready_ && ::UpdateProcThreadAttribute(get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                                    handles.data(), sizeof handles, nullptr,
                                                    nullptr) != FALSE;
  }
  HandleList(const HandleList&) = delete;
  HandleList& operator=(const HandleList&) = delete;
  ~HandleList() {
    if (ready_) {
      ::DeleteProcThreadAttributeList(get());
    }
  }
  [[nodiscard]] bool filled() const { return filled_; }
  [[nodiscard]] LPPROC_THREAD_ATTRIBUTE_LIST get() {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
  }

 private:
  std::vector<std::byte> memory_;
  bool ready_ = false;
  bool filled_ = false;
};

Result<Handle> start(const ChildCommand& command, std::array<HANDLE, 3> standard, HANDLE job) {
  HandleList inherited(standard);
  if (!inherited.filled()) {
    return last_error();
  }
  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = standard[0];
  startup.StartupInfo.hStdOutput = standard[1];
  startup.StartupInfo.hStdError = standard[2];
  startup.lpAttributeList = inherited.get();
  const std::wstring program = to_wide(command.program);
  std::wstring line = command_line_of(command);
  std::wstring environment = environment_of(command);
  PROCESS_INFORMATION started{};
  // Suspended until it is in the job: what it starts is then in it, too.
  if (!::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE,
                        CREATE_NO_WINDOW | CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT |
                            EXTENDED_STARTUPINFO_PRESENT,
                        environment.data(), nullptr, &startup.StartupInfo, &started)) {
    return std::unexpected(system_error(::GetLastError()).in(command.program));
  }
  Handle process(started.hProcess);
  const Handle thread(started.hThread);
  if (!::AssignProcessToJobObject(job, process.get())) {
    const DWORD number = ::GetLastError();
    ::TerminateProcess(process.get(), 1);
    return std::unexpected(system_error(number).in(command.program));
  }
  ::ResumeThread(thread.get());
  return process;
}

struct Reader {
  Handle pipe;
  std::string* text;
  std::size_t cap;
};

// Takes what is there, without waiting; true if there was something.
bool drain(Reader& reader, bool& truncated) {
  DWORD there = 0;
  if (!reader.pipe.is_open() ||
      !::PeekNamedPipe(reader.pipe.get(), nullptr, 0, nullptr, &there, nullptr)) {
    reader.pipe.close();
    return false;
  }
  static constexpr DWORD kAtOnce = 1U << 16U;
  std::array<char, kAtOnce> buffer;
  DWORD count = 0;
  if (there == 0 ||
      !::ReadFile(reader.pipe.get(), buffer.data(), std::min(there, kAtOnce), &count, nullptr)) {
    return false;
  }
  const std::size_t kept = std::min<std::size_t>(count, reader.cap - reader.text->size());
  reader.text->append(buffer.data(), kept);
  truncated = truncated || kept < count;
  return count > 0;
}

bool drain_both(std::array<Reader, 2>& readers, bool& truncated) {
  const bool first = drain(readers[0], truncated);
  const bool second = drain(readers[1], truncated);
  return first || second;
}

void tell_end(HANDLE process, ChildResult& result) {
  DWORD code = 0;
  if (result.timed_out || result.interrupted || !::GetExitCodeProcess(process, &code)) {
    return;
  }
  constexpr DWORD kWarning = 0x80000000;  // NTSTATUS: 0x8... warnings, 0xC... errors
  if (code >= kWarning) {
    std::array<char, 16> text{};
    static_cast<void>(
        std::snprintf(text.data(), text.size(), "0x%08lX", static_cast<unsigned long>(code)));
    result.crash = text.data();
  } else {
    result.exit_code = static_cast<int>(code);
  }
}

void watch(HANDLE process, HANDLE job, const ChildCommand& command, std::array<Reader, 2>& readers,
           ChildResult& result) {
  const Clock::time_point end = Clock::now() + command.limit;
  bool ended = false;
  while (!ended) {
    result.interrupted = interrupted();
    result.timed_out = !result.interrupted && Clock::now() >= end;
    if (result.timed_out || result.interrupted) {
      break;
    }
    const DWORD wait = drain_both(readers, result.truncated) ? 0 : kTickMs;
    ended = ::WaitForSingleObject(process, wait) == WAIT_OBJECT_0;
  }
  ::TerminateJobObject(job, 1);  // what it started besides, too
  result.left_behind = ::WaitForSingleObject(process, kDeathLimitMs) != WAIT_OBJECT_0;
  constexpr int kMostBuffers = 64;  // both pipes full; no more, should somebody still write
  for (int i = 0; i < kMostBuffers && drain_both(readers, result.truncated); ++i) {
  }
  tell_end(process, result);
}

// Neither Windows Error Reporting nor a debugger (Wine's writes to stdout) gets to see it.
LONG WINAPI end_with_its_code(EXCEPTION_POINTERS* exception) {
  ::TerminateProcess(::GetCurrentProcess(), exception->ExceptionRecord->ExceptionCode);
  return EXCEPTION_EXECUTE_HANDLER;
}

}  // namespace

Result<ChildResult> run_child(const ChildCommand& command) {
  PLUMB_ASSIGN(Pipe output, make_pipe());
  PLUMB_ASSIGN(Pipe errors, make_pipe());
  PLUMB_ASSIGN(Handle job, make_job());
  SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  const Handle nothing(::CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                     &inheritable, OPEN_EXISTING, 0, nullptr));
  if (!nothing.is_open()) {
    return last_error();
  }
  PLUMB_ASSIGN(const Handle process,
               start(command, {nothing.get(), output.write.get(), errors.write.get()}, job.get()));
  output.write.close();
  errors.write.close();
  ChildResult result;
  std::array<Reader, 2> readers{Reader{std::move(output.read), &result.output, command.output_cap},
                                Reader{std::move(errors.read), &result.errors, command.error_cap}};
  watch(process.get(), job.get(), command, readers, result);
  return result;
}

std::string own_program_path() {
  constexpr std::size_t kLongestPath = 32'768;
  std::wstring path(kLongestPath, L'\0');
  const DWORD length = ::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  return from_wide(std::wstring_view(path).substr(0, length));
}

void die_quietly() {
  ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  ::SetUnhandledExceptionFilter(end_with_its_code);
}

}  // namespace plumb
