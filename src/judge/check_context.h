// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rules of `check` share: the cards that are judged, the driver that counts, and what each
// rule gives back. Internal to judge/.

#include <optional>
#include <string>
#include <vector>

#include "base/version.h"
#include "judge/check.h"

namespace plumb {

struct CheckContext {
  const MachineFacts& machine;
  const Catalog& catalog;
  std::vector<Card> cards;  // by --gpu, else those of the machine that the catalog knows; each once
  bool cards_named = false;         // by --gpu: they need not be here
  std::string driver_system;        // whose driver it is: "windows" under WSL
  std::optional<Version> driver;    // known, and of the system that the environment runs on
  bool environment_is_here = true;  // false: a Windows environment seen from Linux, or the reverse

  /// By the files, else by the driver's own answer.
  [[nodiscard]] const std::optional<std::string>& driver_version() const;
  /// The named system's half of a pair.
  [[nodiscard]] const std::string& pick(const std::string& linux_value,
                                        const std::string& windows_value) const {
    return driver_system == "windows" ? windows_value : linux_value;
  }
};

[[nodiscard]] CheckContext make_context(const MachineFacts& machine, const CheckQuestion& question,
                                        const Catalog& catalog);

struct Judged {
  std::vector<Layer> layers;
  std::vector<Finding> findings;
};

struct Shortfall {
  std::string driver;  // at least
  std::string why;     // one sentence
};

struct JudgedFramework {
  const FrameworkFacts* facts = nullptr;
  Layer layer;
  std::vector<Finding> findings;
  bool gpu_build = false;  // made for NVIDIA cards
  std::optional<Shortfall> shortfall;
  std::string main_library;
};

[[nodiscard]] Judged judge_hardware(const CheckContext& context);
/// `frameworks` say which driver they need.
[[nodiscard]] Judged judge_driver(const CheckContext& context,
                                  const std::vector<JudgedFramework>& frameworks);
[[nodiscard]] Judged judge_toolkits(const CheckContext& context);
[[nodiscard]] Judged judge_python(const CheckContext& context);
[[nodiscard]] JudgedFramework judge_framework(const CheckContext& context,
                                              const FrameworkFacts& framework);
/// What is said of the faults that the loader would find; none where there are none.
[[nodiscard]] std::optional<Finding> judge_loading(const CheckContext& context,
                                                   const FrameworkFacts& framework);
/// The line on cuDNN; none where nothing asks for it.
[[nodiscard]] Judged judge_cudnn(const CheckContext& context,
                                 const std::vector<JudgedFramework>& frameworks);

/// True if `driver` is known to be older than `least` ("" = no claim).
[[nodiscard]] bool is_older(const std::optional<Version>& driver, const std::string& least);

/// Commands that put a fitting build in the place of `framework`; empty where none is known.
/// `driver` empty: of any driver.
[[nodiscard]] std::vector<Step> fitting_build_steps(const CheckContext& context,
                                                    const FrameworkFacts& framework,
                                                    const std::optional<Version>& driver);

/// "pip", or the environment's own where it is not the active one.
[[nodiscard]] std::string pip_command(const CheckContext& context);

}  // namespace plumb
