// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_questions.h"

#include <utility>

#include "base/text.h"
#include "observe/driver_answer_lines.h"
#include "observe/driver_asker.h"
#include "os/child_process.h"
#include "os/file.h"
#include "os/shared_library.h"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

std::string last_line(const std::string& text) {
  constexpr std::size_t kLongest = 400;
  std::string line;
  for (const std::string_view each : split(text, '\n')) {
    if (!trim(each).empty()) {
      line = std::string(trim(each).substr(0, kLongest));
    }
  }
  return line;
}

// What ended the child counts where it did not tell to its end.
void add_end(AskedLibrary& library, const ChildResult& child) {
  library.left_behind = child.left_behind;
  if (library.state != AskState::no_answer) {
    return;
  }
  if (child.timed_out) {
    library.state = AskState::timed_out;
  } else if (!child.crash.empty()) {
    library.state = AskState::crashed;
    library.detail = child.crash;
  } else if (child.interrupted) {
    library.state = AskState::not_tried;
    library.detail = "interrupted";
  } else {
    library.detail = "the child ended with " + std::to_string(child.exit_code);
    if (const std::string words = last_line(child.errors); !words.empty()) {
      library.detail += ": " + words;
    }
  }
}

class Questioner {
 public:
  explicit Questioner(const AskOptions& options)
      : program_(options.program.empty() ? own_program_path() : options.program),
        environment_(options.environment),
        end_(Clock::now() + options.timeout) {}

  /// Asks one library; `parse` reads the child's lines.
  template <class Answers>
  Answers ask(const char* name, Answers (*parse)(std::string_view)) const {
    Answers answers;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    if (left <= std::chrono::milliseconds::zero()) {
      answers.library.detail = "no time was left";
      return answers;
    }
    constexpr std::size_t kMostOutput = 4U << 20U;
    ChildCommand command;
    command.program = program_;
    command.arguments = {"ask-driver", name};
    command.environment = environment_;
    command.limit = left;
    command.output_cap = kMostOutput;
    const Result<ChildResult> child = run_child(command);
    if (!child) {
      answers.library.state = AskState::no_answer;
      answers.library.detail = child.error().what;
      return answers;
    }
    answers = parse(child->output);
    add_end(answers.library, *child);
    return answers;
  }

 private:
  std::string program_;
  std::map<std::string, std::optional<std::string>> environment_;
  Clock::time_point end_;
};

bool suffices(const NvmlAnswers& answers) {
  return answers.library.state == AskState::ok && answers.cuda_driver_version &&
         answers.device_count;
}

}  // namespace

DriverAnswers ask_driver(const Host& host, const AskOptions& options) {
  DriverAnswers answers;
  if (!host.root.empty()) {
    return answers;
  }
  const Questioner questioner(options);
  if (options.which != AskWhich::cuda) {
    answers.nvml = questioner.ask("nvml", parse_nvml_lines);
  }
  if (options.which == AskWhich::cuda || options.which == AskWhich::both ||
      (options.which == AskWhich::as_needed && !suffices(answers.nvml))) {
    answers.cuda = questioner.ask("cuda", parse_cuda_driver_lines);
  }
  return answers;
}

std::vector<std::string> driver_library_candidates(const Host& host, DriverLibraryKind kind) {
  const bool nvml = kind == DriverLibraryKind::nvml;
  if (auto other = host.set_variable(nvml ? "PLUMB_NVML" : "PLUMB_CUDA_DRIVER")) {
    return {*std::move(other)};
  }
  if (!host.is_windows()) {
    return {nvml ? "libnvidia-ml.so.1" : "libcuda.so.1"};
  }
  std::vector<std::string> candidates{
      join_path(host.system_folder, nvml ? "nvml.dll" : "nvcuda.dll")};
  if (const auto programs = host.set_variable("ProgramFiles"); nvml && programs) {
    candidates.push_back(*programs + "\\NVIDIA Corporation\\NVSMI\\nvml.dll");
  }
  return candidates;
}

void answer_as_child(const Host& host, DriverLibraryKind kind, const std::string& library,
                     const WriteLine& write) {
  const bool nvml = kind == DriverLibraryKind::nvml;
  const std::vector<std::string> candidates =
      library.empty() ? driver_library_candidates(host, kind) : std::vector{library};
  std::string told;
  for (const std::string& candidate : candidates) {
    const Result<SharedLibrary> loaded = SharedLibrary::open(candidate);
    if (loaded) {
      write(driver_line({{"loaded", loaded->path()}}));
      DriverAsker ask(*loaded, write, nvml);
      nvml ? ask_nvml(ask) : ask_cuda_driver(ask);
      return;
    }
    // The first that is there at all says why it cannot be used.
    if (told.empty() || loaded.error().code != ErrorCode::not_found) {
      told = driver_line({{"load_failed", loaded.error().what}, {"library", candidate}});
    }
  }
  write(told);
}

}  // namespace plumb
