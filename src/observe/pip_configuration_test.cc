// SPDX-License-Identifier: Apache-2.0
#include "observe/pip_configuration.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/secrets.h"
#include "observe/fake_host_test.h"
#include "observe/toml_settings.h"

namespace plumb {
namespace {

using test::FakeHost;
using Texts = std::vector<std::string>;

/// "name of the file: key=value" of all settings, in order.
Texts settings(const FakeHost& fake, const PipConfiguration& configuration) {
  Texts texts;
  for (const ConfigurationFile& file : configuration.files) {
    for (const Setting& setting : file.settings) {
      texts.push_back(fake.relative(file.path) + ": " + setting.key + "=" + setting.value);
    }
  }
  return texts;
}

TEST(PipConfiguration, FilesOfLinuxInTheirOrder) {
  FakeHost fake("linux");
  fake.write("etc/pip.conf", "[global]\nindex-url = https://u:secret@mirror/simple\n");
  fake.write("home/.config/pip/pip.conf",
             "# mine\n[install]\nextra_index_url =\n    https://a/simple\n    https://b/simple\n"
             "user: yes\n[unknown]\ncolour = red\n");
  fake.write("env/pip.conf", "[global]\nno-index = true\n");
  PythonEnvironment environment;
  environment.root = fake.path("env");
  environment.system = "linux";
  fake.set("PIP_INDEX_URL", "https://me:pw@host/simple");
  fake.set("UV_PUBLISH_TOKEN", "pypi-abc");
  const auto seen = observe_pip_configuration(fake.host(), &environment);
  EXPECT_TRUE(seen.errors.empty());
  EXPECT_EQ(
      settings(fake, seen),
      (Texts{"etc/pip.conf: global.index-url=https://***@mirror/simple",
             "home/.config/pip/pip.conf: install.extra-index-url=https://a/simple "
             "https://b/simple",
             "home/.config/pip/pip.conf: install.user=yes", "env/pip.conf: global.no-index=true"}));
  ASSERT_EQ(seen.variables.size(), 2U);
  EXPECT_EQ(seen.variables[0].value, "https://***@host/simple");
  EXPECT_EQ(seen.variables[1].value, "***");
}

TEST(PipConfiguration, FilesOfWindows) {
  FakeHost fake("windows");
  fake.set("APPDATA", "C:\\Users\\me\\AppData\\Roaming");
  fake.write("ProgramData/pip/pip.ini", "[global]\ntimeout = 60\n");
  fake.write("Users/me/AppData/Roaming/pip/pip.ini", "[global]\r\nproxy = u:p@proxy:8080\r\n");
  fake.write("ProgramData/conda/.condarc", "channels:\n  - https://conda.anaconda.org/t/x/y\n");
  const auto seen = observe_pip_configuration(fake.host(), nullptr);
  EXPECT_EQ(settings(fake, seen),
            (Texts{"ProgramData/pip/pip.ini: global.timeout=60",
                   "Users/me/AppData/Roaming/pip/pip.ini: global.proxy=***@proxy:8080",
                   "ProgramData/conda/.condarc: channels=https://conda.anaconda.org/t/***/y"}));
}

TEST(PipConfiguration, AFileThatAVariableNamesReplacesTheUsersOwn) {
  FakeHost fake("linux");
  fake.write("home/.config/pip/pip.conf", "[global]\nuser = true\n");
  fake.write("own.conf", "[global]\npre = true\n");
  fake.set("PIP_CONFIG_FILE", "/own.conf");
  auto seen = observe_pip_configuration(fake.host(), nullptr);
  EXPECT_EQ(settings(fake, seen), Texts{"own.conf: global.pre=true"});
  ASSERT_EQ(seen.unused_files.size(), 1U);
  fake.set("PIP_CONFIG_FILE", "/dev/null");
  seen = observe_pip_configuration(fake.host(), nullptr);
  EXPECT_TRUE(seen.files.empty());
  EXPECT_EQ(seen.unused_files.size(), 1U);
}

TEST(PipConfiguration, WhatPipCannotReadNamesFileAndLine) {
  const auto line = [](std::string_view text) {
    const IniFile ini = parse_pip_ini(text, "f");
    return ini.errors.size() == 1 ? ini.errors[0].where : std::string("none");
  };
  EXPECT_EQ(line("[global]\nindex-url = x\n"), "none");
  EXPECT_EQ(line("index-url = x\n"), "f:1");
  EXPECT_EQ(line("[global]\n\nno delimiter\n"), "f:3");
  EXPECT_EQ(line("[global]\na = 1\na = 2\n"), "f:3");
  EXPECT_EQ(line("[global]\na = 1\n[global]\n"), "f:3");
  EXPECT_EQ(line("\xef\xbb\xbf[global]\na = 1\n"), "f:1");
  EXPECT_EQ(line(std::string_view("\xff\xfe[\0g\0", 6)), "f:1");
  EXPECT_EQ(line("[global]\n= x\n"), "f:2");
  EXPECT_EQ(line("[]\n"), "f:1");
  EXPECT_EQ(line(""), "none");
  FakeHost fake("linux");
  fake.write("etc/pip.conf", "[global]\ncert = /caf\xe9\n");
  EXPECT_EQ(observe_pip_configuration(fake.host(), nullptr).errors.size(), 1U);
}

TEST(PipConfiguration, NetworkDrivesAreNotAsked) {
  FakeHost fake("linux");
  fake.make_folder("usr/lib/wsl");
  fake.host().home = fake.path("mnt/c/Users/me");
  fake.write("mnt/c/Users/me/.config/pip/pip.conf", "[global]\npre = true\n");
  const auto seen = observe_pip_configuration(fake.host(), nullptr);
  EXPECT_TRUE(seen.files.empty());
  ASSERT_EQ(seen.errors.size(), 1U);
  EXPECT_EQ(seen.errors[0].code, ErrorCode::unsupported);
}

TEST(PipConfiguration, CondaChannels) {
  FakeHost fake("linux");
  fake.write("home/.condarc", "channels:\n  - nvidia\n  - conda-forge\nssl_verify: false\n");
  fake.write("etc/conda/condarc.d/a.yml", "channels: [https://u:p@host/c]\n");
  const auto seen = observe_pip_configuration(fake.host(), nullptr);
  EXPECT_EQ(settings(fake, seen),
            (Texts{"etc/conda/condarc.d/a.yml: channels=https://***@host/c",
                   "home/.condarc: channels=nvidia", "home/.condarc: channels=conda-forge",
                   "home/.condarc: ssl_verify=false"}));
  EXPECT_EQ(seen.files[0].level, ConfigurationLevel::machine);
}

bool reads_toml() {
  return flatten_toml("", "f", "").has_value();
}

TEST(PipConfiguration, UvTakesTheNearestProjectFile) {
  if (!reads_toml()) {
    GTEST_SKIP() << "built without toml++";
  }
  FakeHost fake("linux");
  fake.host().current_folder = fake.path("work/deep/er");
  fake.make_folder("work/deep/er");
  fake.write("work/deep/er/pyproject.toml", "[project]\nname = 'x'\n");
  fake.write("work/pyproject.toml",
             "[tool.uv]\npip = { torch-backend = 'auto' }\n[[tool.uv.index]]\nname = "
             "'pytorch'\nurl = 'https://u:p@download.pytorch.org/whl/cu130'\nexplicit = true\n");
  fake.write("home/.config/uv/uv.toml", "offline = true\nconcurrent-downloads = 4\n");
  const auto seen = observe_pip_configuration(fake.host(), nullptr);
  EXPECT_TRUE(seen.errors.empty());
  EXPECT_EQ(
      settings(fake, seen),
      (Texts{"home/.config/uv/uv.toml: concurrent-downloads=4",
             "home/.config/uv/uv.toml: offline=true", "work/pyproject.toml: index[0].explicit=true",
             "work/pyproject.toml: index[0].name=pytorch",
             "work/pyproject.toml: index[0].url=https://***@download.pytorch.org/whl/cu130",
             "work/pyproject.toml: pip.torch-backend=auto"}));
}

TEST(PipConfiguration, TomlThatIsBrokenNamesItsLine) {
  if (!reads_toml()) {
    GTEST_SKIP() << "built without toml++";
  }
  const auto broken = flatten_toml("a = 1\nb = = 2\n", "f", "");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().where, "f:2");
  EXPECT_TRUE(flatten_toml("[tool]\nuv = 3\n", "f", "tool.uv")->empty());
  EXPECT_FALSE(flatten_toml(std::string(5000, '['), "f", ""));
  const auto foreign = flatten_toml("a = '/caf\xc3\xa9/~\xd0\x96' # \xc3\xa9\n", "f", "");
  ASSERT_TRUE(foreign);
  EXPECT_EQ(foreign->front().value, "/caf\xc3\xa9/~\xd0\x96");
  EXPECT_FALSE(flatten_toml("a = '\xe9'\n", "f", ""));
  std::string many;
  for (int i = 0; i < 2000; ++i) {
    many += "k" + std::to_string(i) + " = 1\n";
  }
  EXPECT_EQ(flatten_toml(many, "f", "")->size(), 500U);
}

TEST(MaskSecrets, AddressesAndNames) {
  EXPECT_EQ(mask_secrets("https://user:pa@ss@host/x"), "https://***@host/x");
  EXPECT_EQ(mask_secrets("https://user:pa/ss@host/x"), "https://***@host/x");
  EXPECT_EQ(mask_secrets("git+https://github.com/o/r@v1"), "git+https://github.com/o/r@v1");
  EXPECT_EQ(mask_secrets("https://host:8080/a@b"), "https://host:8080/a@b");
  EXPECT_EQ(mask_secrets("https://h/s?sv=1&sig=abc"), "https://h/s?***");
  EXPECT_EQ(mask_secrets("https://h/s?page=2"), "https://h/s?page=2");
  EXPECT_EQ(mask_secrets("a https://t@h/ b"), "a https://***@h/ b");
  EXPECT_EQ(mask_secrets("u:p@proxy:80"), "***@proxy:80");
  EXPECT_EQ(mask_secrets("https://conda.anaconda.org/t/tk-1/me"),
            "https://conda.anaconda.org/t/***/me");
  EXPECT_EQ(mask_secrets(""), "");
  EXPECT_TRUE(is_secret_name("UV_PUBLISH_TOKEN"));
  EXPECT_TRUE(is_secret_name("client_key"));
  EXPECT_FALSE(is_secret_name("PIP_KEYRING_PROVIDER"));
  EXPECT_FALSE(is_secret_name("global.index-url"));
}

}  // namespace
}  // namespace plumb
