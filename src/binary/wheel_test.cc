// SPDX-License-Identifier: Apache-2.0
#include "binary/wheel.h"

#include <gtest/gtest.h>

#include <string>

#include "support/zip_builder.h"

namespace plumb {
namespace {

using Strings = std::vector<std::string>;

TEST(WheelName, SplitsIntoItsParts) {
  const auto name = parse_wheel_name(
      "ctranslate2-4.8.5-1b-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->name, "ctranslate2");
  EXPECT_EQ(name->version, "4.8.5");
  EXPECT_EQ(name->build, "1b");
  EXPECT_EQ(name->tags(),
            (Strings{"cp312-cp312-manylinux_2_27_x86_64", "cp312-cp312-manylinux_2_28_x86_64"}));
  EXPECT_EQ(parse_wheel_name("x-1-py2.py3-none-any.whl")->tags(),
            (Strings{"py2-none-any", "py3-none-any"}));
}

TEST(WheelName, RefusesOtherNames) {
  std::string many = "x-1-";
  for (int i = 0; i < 100; ++i) {
    many += "a.";
  }
  for (const std::string& name :
       {std::string("torch.zip"), std::string(".whl"), std::string("a-1-py3-none.whl"),
        std::string("a-1-py3-none-any-b-c.whl"), std::string("a--py3-none-any.whl"),
        std::string("a-1-b-py3-none-any.whl"), std::string("a-1-py3.-none-any.whl"),
        many + "a-" + many.substr(4) + "a-any.whl",
        std::string(2000, 'a') + "-1-py3-none-any.whl"}) {
    EXPECT_FALSE(parse_wheel_name(name)) << name;
  }
}

TEST(Metadata, ReadsHeadersAndNothingOfTheDescription) {
  const auto metadata = parse_metadata(
      "Metadata-Version: 2.4\r\n"
      "NAME: onnxruntime-gpu\r\n"
      "Version: 1.31.1\r\n"
      "Summary:   runs models\r\n"
      "Requires-Python: >=3.11\r\n"
      "Requires-Dist: numpy>=1.21.6\r\n"
      "Requires-Dist: nvidia-cuda-nvrtc~=13.0;\r\n"
      "\textra == \"cuda\"\r\n"
      "Provides-Extra: cuda\r\n"
      "\r\n"
      "Version: 9 is not meant\r\n");
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->name, "onnxruntime-gpu");
  EXPECT_EQ(metadata->version, "1.31.1");
  EXPECT_EQ(metadata->summary, "runs models");
  EXPECT_EQ(metadata->requires_python, ">=3.11");
  EXPECT_EQ(metadata->requires_dist,
            (Strings{"numpy>=1.21.6", "nvidia-cuda-nvrtc~=13.0; extra == \"cuda\""}));
  EXPECT_EQ(metadata->provides_extra, Strings{"cuda"});
  EXPECT_TRUE(metadata->warnings.empty());
}

TEST(Metadata, HostileTextEndsInOneErrorOrWarning) {
  EXPECT_EQ(parse_metadata("").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_metadata("Name: a\n").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_metadata(std::string(100, '\0')).error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_metadata("Name: a\nVersion: 1\nSummary: " + std::string(5 << 20, 'x') + "\n")
                .error()
                .code,
            ErrorCode::limit);
  std::string many = "Name: a\nVersion: 1\n";
  for (int i = 0; i < 30'000; ++i) {
    many += "Requires-Dist: b\n";
  }
  EXPECT_EQ(parse_metadata(many).error().code, ErrorCode::limit);
  const auto broken = parse_metadata("Name: a\nVersion: 1\nLicense: MIT\nand more\nName: b\n");
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->warnings.size(), 1u);
  EXPECT_EQ(parse_metadata("\xef\xbb\xbfName: a\nVersion: 1\nName: b")->name, "a");
}

TEST(WheelFile, GivesTags) {
  const auto file = parse_wheel_file(
      "Wheel-Version: 1.0\nGenerator: bdist_wheel (0.40)\nRoot-Is-Purelib: false\n"
      "Tag: cp312-abi3-manylinux_2_27_x86_64\nTag: cp312-abi3-manylinux_2_28_x86_64\n");
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->root_is_purelib);
  EXPECT_EQ(file->tags.size(), 2u);
  EXPECT_FALSE(parse_wheel_file("Generator: x\n"));
}

TEST(Wheel, AFileNameThatDisagreesIsSaid) {
  const auto name = *parse_wheel_name("Nvidia_CUDA.Runtime-13.0.RC1-py3-none-win_amd64.whl");
  auto metadata = *parse_metadata("Name: nvidia-cuda-runtime\nVersion: 13.0rc1\n");
  metadata.tags = {"py3-none-win_amd64"};
  compare_with_file_name(metadata, name);
  EXPECT_EQ(metadata.warnings, Strings{});
  metadata.version = "13.0";
  metadata.name = "nvidia-cuda";
  metadata.tags = {"py3-none-linux_x86_64.win_amd64"};
  compare_with_file_name(metadata, name);
  EXPECT_EQ(metadata.warnings,
            (Strings{"the file name says name Nvidia_CUDA.Runtime, the wheel's metadata says "
                     "nvidia-cuda",
                     "the file name says version 13.0.RC1, the wheel's metadata says 13.0",
                     "the file name says tags py3-none-win_amd64, the wheel's metadata says "
                     "py3-none-linux_x86_64 py3-none-win_amd64"}));
}

TEST(Wheel, FindsItsOneDistInfo) {
  const auto find = [](const std::vector<test::ZipMember>& members) {
    const auto zip = test::build_zip(members);
    const MemorySource source{std::string_view(zip.bytes)};
    return find_dist_info(*read_zip_directory(source));
  };
  EXPECT_EQ(*find({{"a/x.dist-info/METADATA", ""}, {"a-1.dist-info/METADATA", ""}}),
            "a-1.dist-info");
  EXPECT_EQ(find({{"a/b", ""}}).error().code, ErrorCode::not_found);
  EXPECT_EQ(find({{"a-1.dist-info/RECORD", ""}, {"b-1.dist-info/RECORD", ""}}).error().code,
            ErrorCode::malformed);
}

TEST(Record, ReadsQuotesHashesAndSizes) {
  const auto rows = parse_record(
      "a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\r\n"
      "\"with, comma and \"\"quotes\"\"\",sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=,12\n"
      "\n"
      "old,md5=abc,3\n"
      "x-1.dist-info/RECORD,,");
  ASSERT_TRUE(rows) << rows.error().what;
  ASSERT_EQ(rows->size(), 4u);
  ASSERT_TRUE((*rows)[0].sha256);
  EXPECT_EQ((*rows)[0].sha256->front(), std::byte{0xe3});
  EXPECT_EQ((*rows)[0].sha256->back(), std::byte{0x55});
  EXPECT_EQ((*rows)[1].path, "with, comma and \"quotes\"");
  EXPECT_EQ((*rows)[1].size, 12u);
  EXPECT_EQ((*rows)[2].hash_name, "md5");
  EXPECT_FALSE((*rows)[2].sha256);
  EXPECT_FALSE((*rows)[3].size);
}

TEST(Record, NamesTheLineThatIsBroken) {
  const std::string good = "a,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n";
  for (const std::string line :
       {"a", "a,b", "a,,,", ",,", "a,,,,,,,,,,,", "a,=x,1", "a,sha256,1", "a,sha256=short,1",
        "a,sha256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU,0",
        "a,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFV,0", "a,,1x", "a,,-1",
        "a,,99999999999999999999", "\"a,,", "\"a\"b,,", "a\"b\",,"}) {
    const auto rows = parse_record(good + line);
    ASSERT_FALSE(rows) << line;
    EXPECT_EQ(rows.error().code, ErrorCode::malformed) << line;
    EXPECT_NE(rows.error().what.find("line 2 of RECORD"), std::string::npos) << rows.error().what;
  }
  EXPECT_TRUE(parse_record("")->empty());
  std::string many;
  for (int i = 0; i < 250'001; ++i) {
    many += "a,,\n";
  }
  EXPECT_EQ(parse_record(many).error().code, ErrorCode::limit);
}

TEST(Record, IsComparedBothWays) {
  std::array<std::byte, 32> hash{};
  std::array<std::byte, 32> other{std::byte{1}};
  const std::vector<RecordRow> rows = {
      {"good", hash, 5, "sha256"},
      {"hash", hash, 5, "sha256"},
      {"size", hash, 5, "sha256"},
      {"gone", hash, 5, "sha256"},
      {"bare", {}, {}, ""},
      {"sha512", {}, {}, "sha512"},
      {"twice", hash, 5, "sha256"},
      {"twice", hash, 5, "sha256"},
      {"x-1.dist-info/RECORD", {}, {}, ""},
  };
  const std::vector<MemberDigest> members = {
      {"good", hash, 5},
      {"hash", other, 5},
      {"size", hash, 6},
      {"bare", hash, 5},
      {"sha512", hash, 5},
      {"twice", hash, 5},
      {"unlisted", hash, 5},
      {"x-1.dist-info/RECORD", other, 9},
      {"x-1.dist-info/RECORD.jws", other, 9},
      {"y/RECORD", other, 9},
  };
  Strings found;
  for (const Error& fault : verify_record(rows, members)) {
    found.push_back(fault.where + ": " + std::string(error_code_name(fault.code)));
  }
  EXPECT_EQ(found, (Strings{"bare: malformed", "gone: not_found", "hash: mismatch",
                            "sha512: unsupported", "size: mismatch", "twice: malformed",
                            "unlisted: malformed", "y/RECORD: malformed"}));
}

TEST(Requirements, ThoseOnGpuPackagesAreFound) {
  EXPECT_EQ(normalize_project_name("Nvidia_.CUDA--Runtime"), "nvidia-cuda-runtime");
  EXPECT_EQ(requirement_name(" Flash_Attn [x] >= 2; extra == 'y'"), "flash-attn");
  EXPECT_EQ(requirement_name("torch@ https://example.org/torch.whl"), "torch");
  EXPECT_EQ(requirement_name("torch\x1b[31m"), "");
  EXPECT_EQ(requirement_name(""), "");
  EXPECT_EQ(
      gpu_requirements({"numpy", "nvidia-cublas==13.1.0.3; platform_system == 'Linux'",
                        "cuda-toolkit[cublas]==13.0.2", "torch>=2.10", "tensorflow-estimator",
                        "tensorflow-io-gcs-filesystem>=0.23.1", "triton==3.9.0", "torchmetrics",
                        "paddlepaddle_gpu", "onnxruntime-gpu", "jax-cuda13-pjrt==0.12.0"}),
      (Strings{"nvidia-cublas==13.1.0.3; platform_system == 'Linux'",
               "cuda-toolkit[cublas]==13.0.2", "torch>=2.10", "triton==3.9.0", "paddlepaddle_gpu",
               "onnxruntime-gpu", "jax-cuda13-pjrt==0.12.0"}));
  const auto own = parse_metadata(
      "Name: BitsAndBytes\nVersion: 1\nRequires-Dist: torch\n"
      "Requires-Dist: bitsandbytes[test]; extra == \"dev\"\n");
  EXPECT_EQ(gpu_requirements(*own), Strings{"torch"});
}

}  // namespace
}  // namespace plumb
