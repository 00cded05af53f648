// SPDX-License-Identifier: Apache-2.0
#include "observe/registry.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

constexpr const char* kExport = R"(Windows Registry Editor Version 5.00

[HKEY_LOCAL_MACHINE\SOFTWARE\NVIDIA Corporation\GPU Computing Toolkit\CUDA\v12.8]
"InstallDir"="C:\\Program Files\\NVIDIA \"x\""
@="the default"

[HKEY_LOCAL_MACHINE\SYSTEM\A]
"Number"=dword:0000001e
"Eight"=hex(b):00,00,00,00,02,00,00,00
"Binary"=hex:10,00,00,00
"Odd"=hex:01,02,03
"Path"=hex(2):25,00,53,00,25,00,5c,00,\
  78,00,00,00
"List"=hex(7):61,00,00,00,62,00,00,00,00,00
[-HKEY_LOCAL_MACHINE\SYSTEM\Gone]
"Number"=dword:1
)";

TEST(RegistryExport, TextNumbersAndLists) {
  const auto registry = registry_of_export(kExport);
  const std::string cuda = "HKLM\\software\\nvidia corporation\\GPU Computing Toolkit\\CUDA";
  EXPECT_EQ(registry_subkeys(*registry, cuda), std::vector<std::string>{"v12.8"});
  EXPECT_EQ(registry_text(*registry, cuda + "\\v12.8", "installdir").value,
            "C:\\Program Files\\NVIDIA \"x\"");
  EXPECT_EQ(registry_text(*registry, cuda + "\\v12.8", "").value, "the default");
  const std::string a = "HKLM\\SYSTEM\\A";
  EXPECT_EQ(registry_number(*registry, a, "Number").value, 30U);
  EXPECT_EQ(registry_number(*registry, a, "Eight").value, 0x200000000U);
  EXPECT_EQ(registry_number(*registry, a, "Binary").value, 16U);
  EXPECT_EQ(registry_text(*registry, a, "Path").value, "%S%\\x");
  EXPECT_EQ(registry_list(*registry, a, "List").value, (std::vector<std::string>{"a", "b"}));
}

TEST(RegistryExport, AnotherTypeThanExpectedIsUnreadableAndAMissingOneAbsent) {
  const auto registry = registry_of_export(kExport);
  const std::string a = "HKLM\\SYSTEM\\A";
  const auto odd = registry_number(*registry, a, "Odd");
  ASSERT_TRUE(odd.fault);
  EXPECT_EQ(odd.origin, "HKLM\\SYSTEM\\A\\Odd");
  EXPECT_TRUE(registry_text(*registry, a, "Number").fault);
  const auto missing = registry_text(*registry, a, "Missing");
  EXPECT_FALSE(missing.value);
  EXPECT_FALSE(missing.fault);
  EXPECT_FALSE(registry_number(*registry, "HKLM\\SYSTEM\\Gone", "Number").value);
}

TEST(RegistryExport, Utf16WithItsMark) {
  std::string text = "\xff\xfe";
  for (const char c : std::string("[HKEY_CURRENT_USER\\X]\r\n\"a\"=\"b\"\r\n")) {
    text += c;
    text += '\0';
  }
  EXPECT_EQ(registry_text(*registry_of_export(text), "HKCU\\X", "a").value, "b");
}

TEST(Registry, VariablesInText) {
  const auto variable = [](const std::string& name) {
    return name == "SystemRoot" ? std::optional<std::string>("C:\\Windows") : std::nullopt;
  };
  EXPECT_EQ(expand_variables("%SystemRoot%\\x;%None%;100%", variable),
            "C:\\Windows\\x;%None%;100%");
}

}  // namespace
}  // namespace plumb
