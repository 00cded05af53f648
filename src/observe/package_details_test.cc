// SPDX-License-Identifier: Apache-2.0
#include "observe/package_details.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "observe/distributions.h"
#include "observe/fake_host_test.h"
#include "observe/import_path.h"
#include "observe/package_metadata.h"
#include "observe/python_environment.h"
#include "observe/record_check.h"

namespace plumb {
namespace {

using test::FakeHost;
using Texts = std::vector<std::string>;

const std::string kSite = "ml/lib/python3.12/site-packages/";

/// A venv "ml" that does not see its base's packages.
void make_venv(const FakeHost& fake, const std::string& more = "") {
  fake.write("ml/pyvenv.cfg",
             "home = /usr/bin\nversion = 3.12.3\ninclude-system-site-packages = false\n" + more);
  fake.write("ml/bin/python");
  fake.make_folder(kSite);
}

void install(const FakeHost& fake, const std::string& site, const std::string& name,
             const std::string& version, const std::string& more = "") {
  fake.write(site + name + "-" + version + ".dist-info/METADATA",
             "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n" + more + "\n");
}

PackageDetails observe(const FakeHost& fake, const std::string& root = "ml") {
  const auto environment = environment_at(fake.host(), fake.path(root), FoundBy::virtual_env);
  if (!environment) {
    ADD_FAILURE() << "no environment";
    return {};
  }
  std::vector<Error> errors;
  return observe_package_details(fake.host(), *environment,
                                 list_distributions(environment->site_packages, errors));
}

const PackageDetail* package(const PackageDetails& details, std::string_view name) {
  const auto hit = std::ranges::find(details.packages, name, &PackageDetail::name);
  return hit == details.packages.end() ? nullptr : &*hit;
}

Texts faults(const PackageDetails& details) {
  Texts texts;
  for (const MetadataFault& fault : details.metadata_faults) {
    texts.push_back(fault.package + " " +
                    std::string(enum_names(fault.kind)[static_cast<std::size_t>(fault.kind)]));
  }
  return texts;
}

TEST(PackageDetails, OnlyWhatMattersIsLookedAtClosely) {
  FakeHost fake("linux");
  make_venv(fake);
  install(fake, kSite, "torch", "2.11.0");
  install(fake, kSite, "numpy", "2.1.0");
  install(fake, kSite, "pip", "25.0");
  install(fake, kSite, "requests", "2.32.0", "Requires-Dist: idna\n");
  install(fake, kSite, "myapp", "1.0", "Requires-Dist: torch>=2\n");
  install(fake, kSite, "extras", "1.0", "Requires-Dist: torch; extra == 'gpu'\n");
  const PackageDetails details = observe(fake);
  Texts names;
  for (const PackageDetail& detail : details.packages) {
    names.push_back(detail.name);
  }
  EXPECT_EQ(names, (Texts{"myapp", "numpy", "pip", "torch"}));
  EXPECT_TRUE(details.metadata_faults.empty());
  EXPECT_TRUE(details.errors.empty());
}

TEST(PackageDetails, TheSmallFilesOfADistInfo) {
  FakeHost fake("linux");
  make_venv(fake);
  install(fake, kSite, "torch", "2.11.0");
  const std::string info = kSite + "torch-2.11.0.dist-info/";
  fake.write(info + "INSTALLER", "uv");
  fake.write(info + "WHEEL", "Wheel-Version: 1.0\nTag: cp312-cp312-manylinux_2_28_x86_64\n");
  fake.write(info + "direct_url.json",
             R"({"url":"https://me:pw@host/t.whl","archive_info":{"hash":"x"}})");
  fake.write(kSite + "torch/version.py", "__version__ = '2.11.0+cu130'\ncuda = '13.0'\n");
  install(fake, kSite, "onnxruntime-gpu", "1.2", "");
  fake.write(kSite + "onnxruntime-gpu-1.2.dist-info/direct_url.json", "[1]");
  const PackageDetails details = observe(fake);
  const PackageDetail* torch = package(details, "torch");
  ASSERT_NE(torch, nullptr);
  EXPECT_EQ(torch->version.value, "2.11.0");
  EXPECT_EQ(torch->folder_version, "2.11.0");
  EXPECT_EQ(torch->built_version.value, "2.11.0+cu130");
  EXPECT_EQ(torch->built_cuda.value, "13.0");
  EXPECT_EQ(torch->installer.value, "uv");
  ASSERT_TRUE(torch->direct_url);
  EXPECT_EQ(torch->direct_url.value->url, "https://***@host/t.whl");
  EXPECT_EQ(torch->direct_url.value->kind, "archive");
  ASSERT_TRUE(torch->tags);
  EXPECT_EQ(torch->tags.value->front(), "cp312-cp312-manylinux_2_28_x86_64");
  EXPECT_FALSE(torch->editable);
  EXPECT_FALSE(torch->record);
  EXPECT_FALSE(torch->record.fault);
  EXPECT_TRUE(package(details, "onnxruntime-gpu")->direct_url.fault);
}

TEST(PackageDetails, EditableInAllItsForms) {
  FakeHost fake("linux");
  make_venv(fake);
  install(fake, kSite, "triton", "3.0");
  fake.write(kSite + "triton-3.0.dist-info/direct_url.json",
             R"({"url":"file:///src/triton","dir_info":{"editable":true}})");
  install(fake, kSite, "flash_attn", "2.7");
  fake.write(kSite + "__editable___flash_attn_2_7_finder.py");
  install(fake, kSite, "xformers", "0.0.30");
  fake.write(kSite + "__editable__.xformers-0.0.30.pth");
  install(fake, kSite, "vllm", "0.8");
  fake.make_folder(kSite + "__editable__");
  const PackageDetails details = observe(fake);
  EXPECT_TRUE(package(details, "triton")->editable);
  EXPECT_TRUE(package(details, "flash-attn")->editable);
  EXPECT_TRUE(package(details, "xformers")->editable);
  EXPECT_FALSE(package(details, "vllm")->editable);
}

TEST(PackageDetails, DamagedMetadataIsNamedByItsFault) {
  FakeHost fake("linux");
  make_venv(fake);
  const auto metadata = [&](const std::string& folder, const std::string& text) {
    fake.write(kSite + folder + ".dist-info/METADATA", text);
  };
  metadata("a-1.0", "\xef\xbb\xbfName: a\nVersion: 1.0\n");
  metadata("b-1.0", "Name: b\nVersion: 1.0\n\nbody \xe9\n");
  metadata("c-1.0", "Name: c\nVersion: 1.0\nno colon here\n");
  metadata("d-1.0", "Summary: d\n");
  metadata("e-1.0", "Name: other\nVersion: 1.0\n");
  metadata("f-1.0", "Name: f\nVersion: 1.1\n");
  metadata("g-1.0rc1", "Name: G\nVersion: 1.0.0-RC1\n");
  fake.make_folder(kSite + "h-1.0.dist-info");
  EXPECT_EQ(faults(observe(fake)),
            (Texts{"a byte-order-mark", "b not-utf8", "c broken-header", "d no-name-or-version",
                   "e other-name", "f other-version", "g other-version", "h unreadable"}));
}

TEST(PackageDetails, Versions) {
  EXPECT_TRUE(is_same_version("1.0", "1.0"));
  EXPECT_TRUE(is_same_version("1.0.post1", "1.0-post1"));
  EXPECT_TRUE(is_same_version("1.0", "1.0.0"));
  EXPECT_TRUE(is_same_version("2.1.0+cu118", "2.1.0+cu118"));
  EXPECT_TRUE(is_same_version("1.0_rc1", "1.0rc1"));
  EXPECT_FALSE(is_same_version("1.0", "1.0+cu1"));
  EXPECT_FALSE(is_same_version("1.10", "1.1"));
}

TEST(PackageDetails, VariantsDuplicatesAndLeftovers) {
  FakeHost fake("linux");
  make_venv(fake);
  for (const char* name : {"onnxruntime", "onnxruntime-gpu", "cupy-cuda11x", "cupy-cuda12x",
                           "nvidia-cublas", "nvidia-cublas-cu12", "nvidia-cudnn-cu12",
                           "jax-cuda12-plugin", "jax-cuda13-plugin", "paddlepaddle-gpu"}) {
    install(fake, kSite, name, "1.0");
  }
  install(fake, kSite, "torch", "2.1.0");
  install(fake, kSite, "torch", "2.5.0");
  fake.make_folder(kSite + "~orch");
  fake.make_folder(kSite + "~umpy-1.26.4.dist-info");
  const PackageDetails details = observe(fake);
  Texts families;
  for (const VariantGroup& group : details.variants) {
    families.push_back(group.family);
    EXPECT_EQ(group.packages.size(), 2U);
  }
  EXPECT_EQ(families, (Texts{"cupy", "jax-plugin", "nvidia-cublas", "onnxruntime"}));
  ASSERT_EQ(details.duplicates.size(), 1U);
  EXPECT_EQ(details.duplicates[0].infos, (Texts{"torch-2.1.0.dist-info", "torch-2.5.0.dist-info"}));
  EXPECT_EQ(details.leftovers.size(), 2U);
}

TEST(PackageDetails, CondasBooksAndPips) {
  FakeHost fake("linux");
  const std::string site = "conda/lib/python3.11/site-packages/";
  fake.write("conda/conda-meta/python-3.11.9-h1_0.json");
  fake.write("conda/conda-meta/pytorch-2.5.1-py3.11_cuda12.4_0.json");
  fake.write("conda/conda-meta/numpy-1.26.4-py311_0.json");
  fake.write("conda/conda-meta/scipy-1.14.0-py311_0.json");
  install(fake, site, "torch", "2.6.0");
  fake.write(site + "torch-2.6.0.dist-info/INSTALLER", "pip\n");
  install(fake, site, "numpy", "1.26.4");
  fake.write(site + "numpy-1.26.4.dist-info/INSTALLER", "conda\n");
  install(fake, site, "scipy", "1.14.0");
  const PackageDetails details = observe(fake, "conda");
  ASSERT_EQ(details.conda_twins.size(), 1U);
  EXPECT_EQ(details.conda_twins[0].conda_build, "py3.11_cuda12.4_0");
  EXPECT_EQ(details.conda_twins[0].version, "2.6.0");
  EXPECT_EQ(details.conda_twins[0].installer, "pip");
}

TEST(PackageDetails, UserSiteAndWhatShadowsWhat) {
  FakeHost fake("linux");
  make_venv(fake);
  const std::string user = "home/.local/lib/python3.12/site-packages/";
  install(fake, user, "torch", "2.1.0");
  PackageDetails details = observe(fake);
  EXPECT_FALSE(details.user_site.in_use);
  EXPECT_EQ(details.user_site.off_by, "pyvenv.cfg");
  EXPECT_EQ(details.user_site.gpu_projects.size(), 1U);
  fake.write("usr/bin/python3.12");
  fake.make_folder("usr/lib/python3.12");
  install(fake, "usr/lib/python3/dist-packages/", "torch", "1.13.0");
  details = observe(fake, "usr");
  EXPECT_TRUE(details.user_site.in_use);
  ASSERT_EQ(details.shadowed.size(), 1U);
  EXPECT_EQ(details.shadowed[0].version, "2.1.0");
  EXPECT_EQ(details.shadowed[0].hidden_version, "1.13.0");
  fake.set("PYTHONNOUSERSITE", "1");
  details = observe(fake, "usr");
  EXPECT_EQ(details.user_site.off_by, "PYTHONNOUSERSITE");
  EXPECT_TRUE(details.shadowed.empty());
}

TEST(PackageDetails, PythonPathAndPythonHome) {
  FakeHost fake("linux");
  make_venv(fake);
  install(fake, "old/", "torch", "1.0");
  fake.write("mine/random.py");
  fake.set("PYTHONPATH", "/old:/gone:/mine:");
  fake.set("PYTHONHOME", "/usr");
  const PackageDetails details = observe(fake);
  ASSERT_EQ(details.python_path.size(), 3U);
  EXPECT_EQ(details.python_path[0].gpu_projects.size(), 1U);
  EXPECT_FALSE(details.python_path[1].exists);
  EXPECT_TRUE(details.python_path[2].exists);
  EXPECT_EQ(details.python_home.value, "/usr");
  ASSERT_EQ(details.shadowing_modules.size(), 1U);
  EXPECT_EQ(details.shadowing_modules[0].origin, "PYTHONPATH");
}

TEST(PackageDetails, PthFiles) {
  FakeHost fake("linux");
  make_venv(fake);
  fake.make_folder("src");
  fake.write(kSite + "distutils-precedence.pth", "import os; x = 1\n");
  fake.write(kSite + "mine.pth", "# note\n/src\n/gone\r\nnot here\n");
  fake.write(kSite + "odd.pth", "\xef\xbb\xbf/src\n");
  fake.write(kSite + "latin.pth", "/caf\xe9\n");
  const PackageDetails details = observe(fake);
  ASSERT_EQ(details.pth_files.size(), 4U);
  EXPECT_EQ(details.pth_files[0].code_lines, 1U);
  EXPECT_EQ(details.pth_files[0].first_code, "import os; x = 1");
  EXPECT_TRUE(details.pth_files[1].fault);
  EXPECT_EQ(details.pth_files[2].missing, (Texts{"/gone", "not here"}));
  EXPECT_TRUE(details.pth_files[3].fault);
  EXPECT_TRUE(details.pth_files[3].missing.empty());
}

TEST(PackageDetails, ModulesInTheCurrentFolder) {
  FakeHost fake("linux");
  make_venv(fake);
  fake.write("work/torch/__init__.py");
  fake.write("work/setup.py");
  fake.write("work/numpy.py");
  fake.write("work/types.py");
  fake.make_folder("work/jax");  // no __init__.py: the installed one is found all the same
  fake.write("work/train.py");
  const PackageDetails details = observe(fake);
  Texts modules;
  for (const ShadowingModule& module : details.shadowing_modules) {
    modules.push_back(module.module);
  }
  EXPECT_EQ(modules, (Texts{"numpy", "torch", "types"}));
  EXPECT_TRUE(details.shadowing_modules[1].source_checkout);
  EXPECT_FALSE(details.shadowing_modules[1].standard_library);
  EXPECT_TRUE(details.shadowing_modules[2].standard_library);
}

TEST(PackageDetails, OddAndLongPathsOfWindows) {
  FakeHost fake("windows");
  const std::string root = "my env/\xe7\x8e\xaf";
  fake.write(root + "/pyvenv.cfg", "home = C:\\Python312\nversion = 3.12.3\n");
  fake.write(root + "/Scripts/python.exe");
  install(fake, root + "/Lib/site-packages/", "torch", "2.11.0");
  fake.write(root + "/Lib/site-packages/torch-2.11.0.dist-info/RECORD",
             "torch/" + std::string(100, 'a') + "/" + std::string(150, 'b') +
                 ".h,,\ntorch-2.11.0.dist-info/metadata,,\n");
  const PackageDetails details = observe(fake, root);
  EXPECT_EQ(details.long_paths, 1U);
  EXPECT_TRUE(details.longest_path.ends_with("b.h"));
  const PackageDetail* torch = package(details, "torch");
  ASSERT_TRUE(torch != nullptr && torch->record);
  EXPECT_EQ(torch->record.value->missing, 1U);  // Windows does not mind the case of METADATA
  ASSERT_FALSE(details.odd_paths.empty());
  EXPECT_TRUE(details.odd_paths[0].blanks);
  EXPECT_TRUE(details.odd_paths[0].non_ascii);
}

TEST(RecordCheck, HostileAndOddRows) {
  FakeHost fake("linux");
  fake.write("env/site/torch/lib/libtorch.so");
  fake.write("env/site/torch/a, b.py");
  fake.write("env/bin/torchrun");
  fake.write("secret");
  fake.write("env/site/torch-1.dist-info/RECORD",
             "torch/lib/libtorch.so,sha256=x,1\r\n"
             "\"torch/a, b.py\",,\n"
             "torch\\lib\\gone.so,,\n"
             "../bin/torchrun,,\n"
             "../../secret,,\n"
             "../../../../../../../../../etc/passwd,,\n"
             "/etc/passwd,,\n"
             "torch/__pycache__/x.cpython-312.pyc,,\n"
             "\"not closed,,\n"
             ",,\n\n"
             "nowhere/at/all.py,,\n"
             "torch-1.dist-info/RECORD,,\n");
  Distribution torch;
  torch.site = fake.path("env/site");
  torch.info = "torch-1.dist-info";
  const RecordChecks checks = check_records({&torch}, fake.path("env"), "linux");
  ASSERT_TRUE(checks.checks[0]);
  const RecordCheck& check = *checks.checks[0].value;
  EXPECT_EQ(check.files, 6U);
  EXPECT_EQ(check.missing, 2U);
  EXPECT_EQ(check.outside, 3U);
  EXPECT_EQ(check.missing_examples, (Texts{"torch/lib/gone.so", "nowhere/at/all.py"}));
}

TEST(RecordCheck, ListsEachFolderOnceAndStopsAtTheLimit) {
  FakeHost fake("linux");
  fake.write("site/p/a.py");
  std::string rows;
  for (int i = 0; i < 100'000; ++i) {
    rows += (i % 2 == 0 ? "p/a" : "q/b") + std::to_string(i) + ".py,sha256=x,10\n";
  }
  fake.write("site/p-1.dist-info/RECORD", rows);
  fake.write("site/q-1.dist-info/RECORD", "p/a.py,,\nq/b.py,,\n");
  Distribution p;
  p.site = fake.path("site");
  p.info = "p-1.dist-info";
  Distribution q = p;
  q.info = "q-1.dist-info";
  RecordChecks checks = check_records({&p, &q}, p.site, "linux");
  EXPECT_EQ(checks.folders_listed, 2U);
  EXPECT_FALSE(checks.cut);
  EXPECT_EQ(checks.checks[0].value->missing, 100'000U);
  EXPECT_EQ(checks.checks[0].value->missing_examples.size(), 5U);
  EXPECT_EQ(checks.checks[1].value->missing, 1U);
  checks = check_records({&p, &q}, p.site, "linux", 0, 1000);
  EXPECT_TRUE(checks.cut);
  EXPECT_EQ(checks.checks[0].value->files, 1000U);
  EXPECT_FALSE(checks.checks[1]);
}

TEST(PackageDetails, EmptyAndForeignEnvironments) {
  FakeHost fake("linux");
  const PackageDetails details = observe_package_details(fake.host(), {}, {});
  EXPECT_TRUE(details.packages.empty());
  EXPECT_FALSE(parse_direct_url("{\"url\":3}"));
  EXPECT_FALSE(parse_direct_url(std::string(100'000, '[')));
  EXPECT_EQ(
      parse_direct_url(R"({"url":"git+https://t@h/x","vcs_info":{"commit_id":"abc"}})")->revision,
      "abc");
}

}  // namespace
}  // namespace plumb
