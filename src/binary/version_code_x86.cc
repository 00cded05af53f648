// SPDX-License-Identifier: Apache-2.0
// x86-64, as gcc, clang and MSVC write `xxxGetVersion`. Byte values are from Intel's manual, volume
// 2; the functions seen are those of the CUDA 11.8, 12.9 and 13.0 libraries for both systems.

#include <array>

#include "binary/version_code.h"

namespace plumb {
namespace {

std::uint8_t byte_at(Bytes code, std::size_t at) {
  return at < code.size() ? std::to_integer<std::uint8_t>(code[at]) : std::uint8_t{0};
}

bool has(Bytes code, std::size_t at, std::initializer_list<std::uint8_t> pattern) {
  if (!fits(at, pattern.size(), code.size())) {
    return false;
  }
  for (const std::uint8_t expected : pattern) {
    if (byte_at(code, at++) != expected) {
      return false;
    }
  }
  return true;
}

std::uint32_t u32_at(Bytes code, std::size_t at) {
  return fits(at, 4, code.size()) ? load_le<std::uint32_t>(code, at) : 0U;
}

/// Register numbers in ModRM: the first two integer arguments.
struct Arguments {
  std::uint8_t first;
  std::uint8_t second;
};
constexpr Arguments kSystemV{7, 6};  // rdi, rsi
constexpr Arguments kWindows{1, 2};  // rcx, rdx

/// Executes the few instructions that such functions are made of, with both arguments known not to
/// be null.
class Walker {
 public:
  Walker(Bytes code, Arguments arguments) : code_(code), arguments_(arguments) {}

  std::optional<FunctionEffect> run() {
    constexpr int kMaxSteps = 64;
    for (int step = 0; step < kMaxSteps && at_ < code_.size(); ++step) {
      if (has(code_, at_, {0xc3}) || has(code_, at_, {0xf3, 0xc3})) {
        return effect_;
      }
      if (!skip_frame() && !test() && !branch() && !constant()) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  bool skip(std::size_t length) {
    at_ += length;
    return true;
  }

  /// Stack frame and landing pads: of no effect here.
  bool skip_frame() {
    if (has(code_, at_, {0xf3, 0x0f, 0x1e, 0xfa})) {  // endbr64
      return skip(4);
    }
    if (has(code_, at_, {0x48, 0x83, 0xec}) || has(code_, at_, {0x48, 0x83, 0xc4})) {
      zero_.reset();  // sub rsp, add rsp
      return skip(4);
    }
    if (has(code_, at_, {0x48, 0x89, 0xe5})) {  // mov rbp, rsp
      return skip(3);
    }
    const std::uint8_t opcode = byte_at(code_, at_);
    const bool frame = opcode == 0x53 || opcode == 0x5b || opcode == 0x55 || opcode == 0x5d;
    return frame && skip(1);  // push, pop of rbx, rbp
  }

  /// test argument, argument
  bool test() {
    const std::uint8_t operands = byte_at(code_, at_ + 2);
    const std::uint8_t left = operands & 7U;
    const bool same = (operands & 0xc0U) == 0xc0U && left == ((operands >> 3) & 7U);
    if (!has(code_, at_, {0x48, 0x85}) || !same ||
        (left != arguments_.first && left != arguments_.second)) {
      return false;
    }
    zero_ = false;
    return skip(3);
  }

  /// je, jne, jmp
  bool branch() {
    const std::uint8_t opcode = byte_at(code_, at_);
    if (opcode == 0xeb) {
      return jump(at_ + 2, static_cast<std::int8_t>(byte_at(code_, at_ + 1)));
    }
    const bool near_form = opcode == 0x0f;
    const std::uint8_t condition =
        near_form ? static_cast<std::uint8_t>(byte_at(code_, at_ + 1) - 0x10U) : opcode;
    if ((condition != 0x74 && condition != 0x75) || !zero_) {
      return false;
    }
    const std::size_t next = at_ + (near_form ? 6 : 2);
    const std::int64_t distance = near_form ? static_cast<std::int32_t>(u32_at(code_, at_ + 2))
                                            : static_cast<std::int8_t>(byte_at(code_, at_ + 1));
    const bool taken = (condition == 0x74) == *zero_;
    return jump(next, taken ? distance : 0);
  }

  bool jump(std::size_t next, std::int64_t distance) {
    const std::int64_t target = static_cast<std::int64_t>(next) + distance;
    if (target < 0 || target >= static_cast<std::int64_t>(code_.size())) {
      return false;
    }
    at_ = static_cast<std::size_t>(target);
    return true;
  }

  /// xor eax, eax; mov eax, imm32; mov dword ptr [argument], imm32
  bool constant() {
    if (has(code_, at_, {0x31, 0xc0}) || has(code_, at_, {0x33, 0xc0})) {
      effect_.returned = 0;
      zero_.reset();
      return skip(2);
    }
    if (has(code_, at_, {0xb8}) && fits(at_, 5, code_.size())) {
      effect_.returned = u32_at(code_, at_ + 1);
      return skip(5);
    }
    const std::uint8_t target = byte_at(code_, at_ + 1);
    if (!has(code_, at_, {0xc7}) || !fits(at_, 6, code_.size()) ||
        (target != arguments_.first && target != arguments_.second)) {
      return false;
    }
    auto& stored = target == arguments_.first ? effect_.stored_first : effect_.stored_second;
    stored = u32_at(code_, at_ + 2);
    return skip(6);
  }

  Bytes code_;
  Arguments arguments_;
  std::size_t at_ = 0;
  std::optional<bool> zero_;  // the flag ZF, if known
  FunctionEffect effect_;
};

/// Length of an instruction that only takes the stack frame down, 0 for any other.
std::size_t epilogue_length(Bytes code, std::size_t at) {
  struct Pattern {
    std::uint8_t length;  // of the whole instruction
    std::array<std::uint8_t, 4> bytes;
    std::uint8_t count;  // how many of `bytes` must match
  };
  static constexpr std::array kPatterns{
      Pattern{4, {0x48, 0x83, 0xc4}, 3},        // add rsp, imm8
      Pattern{7, {0x48, 0x81, 0xc4}, 3},        // add rsp, imm32
      Pattern{4, {0x48, 0x8d, 0x65}, 3},        // lea rsp, [rbp + imm8]
      Pattern{3, {0x49, 0x8b, 0xe3}, 3},        // mov rsp, r11
      Pattern{4, {0x49, 0x8b, 0x5b}, 3},        // mov rbx, [r11 + imm8]
      Pattern{4, {0x49, 0x8b, 0x6b}, 3},        // mov rbp
      Pattern{4, {0x49, 0x8b, 0x73}, 3},        // mov rsi
      Pattern{4, {0x49, 0x8b, 0x7b}, 3},        // mov rdi
      Pattern{5, {0x48, 0x8b, 0x5c, 0x24}, 4},  // mov rbx, [rsp + imm8]
      Pattern{5, {0x48, 0x8b, 0x6c, 0x24}, 4},  // mov rbp
      Pattern{5, {0x48, 0x8b, 0x74, 0x24}, 4},  // mov rsi
      Pattern{5, {0x48, 0x8b, 0x7c, 0x24}, 4},  // mov rdi
      Pattern{8, {0x48, 0x8b, 0x9c, 0x24}, 4},  // mov rbx, [rsp + imm32]
      Pattern{8, {0x48, 0x8b, 0xac, 0x24}, 4},  // mov rbp
      Pattern{8, {0x48, 0x8b, 0xb4, 0x24}, 4},  // mov rsi
      Pattern{8, {0x48, 0x8b, 0xbc, 0x24}, 4},  // mov rdi
      Pattern{2, {0x41, 0x5c}, 2},              // pop r12
      Pattern{2, {0x41, 0x5d}, 2},              // pop r13
      Pattern{2, {0x41, 0x5e}, 2},              // pop r14
      Pattern{2, {0x41, 0x5f}, 2},              // pop r15
      Pattern{1, {0x5b}, 1},                    // pop rbx
      Pattern{1, {0x5d}, 1},                    // pop rbp
      Pattern{1, {0x5e}, 1},                    // pop rsi
      Pattern{1, {0x5f}, 1},                    // pop rdi
      Pattern{1, {0xc9}, 1},                    // leave
  };
  for (const Pattern& pattern : kPatterns) {
    std::size_t matched = 0;
    while (matched < pattern.count && at + matched < code.size() &&
           byte_at(code, at + matched) == pattern.bytes[matched]) {
      ++matched;
    }
    if (matched == pattern.count && fits(at, pattern.length, code.size())) {
      return pattern.length;
    }
  }
  return 0;
}

bool only_epilogue_until_return(Bytes code, std::size_t at) {
  while (!has(code, at, {0xc3})) {
    const std::size_t length = epilogue_length(code, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace

namespace detail {

std::optional<FunctionEffect> follow_x86(Bytes code, bool windows_abi) {
  return Walker(code, windows_abi ? kWindows : kSystemV).run();
}

std::vector<std::int64_t> find_forwarding_calls_x86(Bytes code, bool windows_abi) {
  constexpr std::size_t kMove = 3;
  constexpr std::size_t kCall = 5;
  std::vector<std::int64_t> targets;
  for (std::size_t at = 0; fits(at, kMove + kCall, code.size()); ++at) {
    const std::uint8_t rex = byte_at(code, at);
    const std::uint8_t operands = byte_at(code, at + 2);
    // mov rdi, reg: 48|4c 89 /r, the register written in r/m; mov rcx, reg: 48|49 8b /r, written in
    // reg.
    const bool loads = windows_abi ? (rex == 0x48 || rex == 0x49) && has(code, at + 1, {0x8b}) &&
                                         (operands & 0xf8U) == 0xc8U
                                   : (rex == 0x48 || rex == 0x4c) && has(code, at + 1, {0x89}) &&
                                         (operands & 0xc7U) == 0xc7U;
    if (loads && has(code, at + kMove, {0xe8})) {
      const auto distance = static_cast<std::int32_t>(u32_at(code, at + kMove + 1));
      targets.push_back(static_cast<std::int64_t>(at + kMove + kCall) + distance);
    }
  }
  return targets;
}

}  // namespace detail

std::vector<std::uint32_t> find_returned_constants(Bytes code) {
  std::vector<std::uint32_t> constants;
  for (std::size_t at = 0; fits(at, 6, code.size()); ++at) {
    if (has(code, at, {0xb8}) && only_epilogue_until_return(code, at + 5)) {
      constants.push_back(u32_at(code, at + 1));
    }
  }
  return constants;
}

std::vector<std::uint32_t> find_stored_constants(Bytes code) {
  std::vector<std::uint32_t> constants;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!has(code, at, {0xc7})) {
      continue;
    }
    const bool high = at > 0 && byte_at(code, at - 1) == 0x41;  // REX.B: r8 to r15
    const std::uint8_t operand = byte_at(code, at + 1);
    const std::uint8_t base = operand & 7U;
    std::size_t immediate = 0;
    if (operand < 8 && base != 4 && base != 5) {  // [reg]
      immediate = at + 2;
    } else if (high && operand == 0x04 && has(code, at + 2, {0x24})) {  // [r12] needs a SIB byte
      immediate = at + 3;
    } else if (high && operand == 0x45 && has(code, at + 2, {0x00})) {  // [r13 + 0]
      immediate = at + 3;
    } else {
      continue;
    }
    if (fits(immediate, 4, code.size())) {
      constants.push_back(u32_at(code, immediate));
    }
  }
  return constants;
}

}  // namespace plumb
