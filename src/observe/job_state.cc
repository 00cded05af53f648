// SPDX-License-Identifier: Apache-2.0
#include "observe/job_state.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "observe/process_variables.h"
#include "observe/text_fact.h"

namespace plumb {
namespace {

constexpr auto kSchedulers = std::to_array<std::pair<const char*, const char*>>({
    {"SLURM_JOB_ID", "slurm"},
    {"PBS_JOBID", "pbs"},
    {"LSB_JOBID", "lsf"},
    {"JOB_ID", "grid_engine"},
    {"COBALT_JOBID", "cobalt"},
    {"FLUX_JOB_ID", "flux"},
});

std::string_view number_at(std::string_view text, std::string_view extra) {
  std::size_t end = 0;
  while (
      end < text.size() && end < 20 &&
      ((text[end] >= '0' && text[end] <= '9') || extra.find(text[end]) != std::string_view::npos)) {
    ++end;
  }
  return text.substr(0, end);
}

}  // namespace

std::optional<std::string> parse_tegra_release(std::string_view text) {
  constexpr std::string_view kStart = "# R";
  constexpr std::string_view kRevision = "REVISION: ";
  const std::size_t revision = text.find(kRevision);
  if (!text.starts_with(kStart) || revision == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view major = number_at(text.substr(kStart.size()), "");
  const std::string_view minor = number_at(text.substr(revision + kRevision.size()), ".");
  if (major.empty() || minor.empty()) {
    return std::nullopt;
  }
  return std::string(major) + "." + std::string(minor);
}

JobState observe_jobs(const Host& host) {
  JobState jobs;
  for (const auto& [name, scheduler] : kSchedulers) {
    // JOB_ID alone may be anyone's; Grid Engine sets SGE_ROOT with it.
    if (host.set_variable(name) &&
        (std::string_view(name) != "JOB_ID" || host.set_variable("SGE_ROOT"))) {
      jobs.schedulers.emplace_back(scheduler);
    }
  }
  jobs.slurm =
      variables_of(host,
                   {"SLURM_CPUS_ON_NODE", "SLURM_CPUS_PER_TASK", "SLURM_GPUS", "SLURM_GPUS_ON_NODE",
                    "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK", "SLURM_JOB_GPUS", "SLURM_JOB_ID",
                    "SLURM_JOB_PARTITION", "SLURM_LOCALID", "SLURM_MEM_PER_CPU",
                    "SLURM_MEM_PER_GPU", "SLURM_MEM_PER_NODE", "SLURM_NNODES", "SLURM_NTASKS",
                    "SLURM_PROCID", "SLURM_SHARDS_ON_NODE", "SLURM_STEP_GPUS"},
                   {});
  return jobs;
}

BoardState observe_board(const Host& host) {
  BoardState board;
  if (host.is_windows()) {
    return board;
  }
  board.l4t = fact_of_file<std::string>(host, "/etc/nv_tegra_release", parse_tegra_release);
  board.model = fact_of_line(host, "/proc/device-tree/model");
  const std::string licence = "/etc/nvidia/gridd.conf";
  board.vgpu_licence = Fact<bool>::present(is_file(host.at(licence)), licence);
  return board;
}

}  // namespace plumb
