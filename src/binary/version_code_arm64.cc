// SPDX-License-Identifier: Apache-2.0
// AArch64, as gcc writes `xxxGetVersion`. Encodings are from the Arm Architecture Reference Manual;
// the functions seen are those of the CUDA 12.9 libraries and of NCCL 2.32 for Arm servers.

#include <array>

#include "binary/version_code.h"

namespace plumb {
namespace {

constexpr std::uint32_t kReturn = 0xd65f03c0;
constexpr std::uint32_t kNop = 0xd503201f;
constexpr std::uint32_t kBranchTarget = 0xd503245f;  // bti c
constexpr std::size_t kRegisters = 32;
constexpr std::size_t kZero = 31;  // reads as zero, as gcc stores it

struct Register {
  enum class Kind : std::uint8_t { unknown, first, second, constant } kind = Kind::unknown;
  std::uint32_t value = 0;

  [[nodiscard]] bool is_argument() const { return kind == Kind::first || kind == Kind::second; }
};

/// Executes the few instructions that such functions are made of, with both arguments known not to
/// be null.
class Walker {
 public:
  explicit Walker(Bytes code) : code_(code) {
    registers_[0].kind = Register::Kind::first;
    registers_[1].kind = Register::Kind::second;
    registers_[kZero].kind = Register::Kind::constant;
  }

  std::optional<FunctionEffect> run() {
    for (std::size_t at = 0; fits(at, 4, code_.size()); at += 4) {
      const auto word = load_le<std::uint32_t>(code_, at);
      if (word == kReturn) {
        if (registers_[0].kind == Register::Kind::constant) {
          effect_.returned = registers_[0].value;
        }
        return effect_;
      }
      const bool known = word == kNop || word == kBranchTarget || compare(word) || branch(word) ||
                         move(word) || store(word);
      if (!known) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  /// cmp xN, #0; ccmp xN, #0, #4, ne: with arguments that are not null the outcome is "ne".
  bool compare(std::uint32_t word) {
    const bool first = (word & 0xfffffc1fU) == 0xf100001fU;
    const bool chained = (word & 0xfffffc1fU) == 0xfa401804U && not_equal_;
    if ((!first && !chained) || !registers_[(word >> 5) & 31U].is_argument()) {
      return false;
    }
    not_equal_ = true;
    return true;
  }

  /// cbz xN, b.eq: not taken. Others would be taken; gcc writes none here.
  bool branch(std::uint32_t word) const {
    const bool if_zero =
        (word & 0xff000000U) == 0xb4000000U && registers_[word & 31U].is_argument();
    const bool if_equal = (word & 0xff00001fU) == 0x54000000U && not_equal_;
    return if_zero || if_equal;
  }

  /// movz wN, #imm16; mov xN, xM
  bool move(std::uint32_t word) {
    Register& target = registers_[word & 31U];
    if ((word & 31U) == kZero) {
      return false;
    }
    if ((word & 0xffe00000U) == 0x52800000U) {
      target = {Register::Kind::constant, (word >> 5) & 0xffffU};
      return true;
    }
    if ((word & 0xffe0ffe0U) == 0xaa0003e0U) {
      target = registers_[(word >> 16) & 31U];
      return true;
    }
    return false;
  }

  /// str wN, [xM]
  bool store(std::uint32_t word) {
    const Register& value = registers_[word & 31U];
    const Register& address = registers_[(word >> 5) & 31U];
    if ((word & 0xfffffc00U) != 0xb9000000U || !address.is_argument() ||
        value.kind != Register::Kind::constant) {
      return false;
    }
    const bool first = address.kind == Register::Kind::first;
    (first ? effect_.stored_first : effect_.stored_second) = value.value;
    return true;
  }

  Bytes code_;
  std::array<Register, kRegisters> registers_{};
  bool not_equal_ = false;
  FunctionEffect effect_;
};

}  // namespace

namespace detail {

std::optional<FunctionEffect> follow_arm64(Bytes code) {
  return Walker(code).run();
}

std::vector<std::int64_t> find_forwarding_calls_arm64(Bytes code) {
  std::vector<std::int64_t> targets;
  for (std::size_t at = 0; fits(at, 8, code.size()); at += 4) {
    const auto move = load_le<std::uint32_t>(code, at);
    const auto call = load_le<std::uint32_t>(code, at + 4);
    if ((move & 0xffe0ffffU) == 0xaa0003e0U && (call & 0xfc000000U) == 0x94000000U) {
      // 26 bits, signed, in words: shifted up to the sign and down again to bytes.
      const auto distance = static_cast<std::int32_t>(call << 6) >> 4;
      targets.push_back(static_cast<std::int64_t>(at + 4) + distance);
    }
  }
  return targets;
}

}  // namespace detail
}  // namespace plumb
