// SPDX-License-Identifier: Apache-2.0
#include "report/redaction.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

std::string redacted(const std::string& text, const std::string& key = "text") {
  Json json{{key, text}};
  redact(json, {"meier", "laptop17", "/home/meier"});
  return json[key];
}

/// Each is planted somewhere in the JSON below; none may be found in what comes out.
TEST(Redaction, ThirtySecretsAndNames) {
  const std::vector<std::string> planted = {"meier",
                                            "laptop17",
                                            "ZhangWei",
                                            "svenska",  // names
                                            "s3cr3tpass",
                                            "hunter2",
                                            "tok123456",
                                            "pa:ss",
                                            "swordfish",  // passwords in URLs
                                            "hf_abcdefghijklmnop1234",
                                            "ghp_0123456789abcdefghij",  // tokens by their shape
                                            "AKIAIOSFODNN7EXAMPLE9",
                                            "glpat-abcdefgh12345678",
                                            "eyJhbGciOiJIUzI1NiJ9.e30.abc",
                                            "npm_abcdefgh1234567890",  //
                                            "plainvalue1",
                                            "plainvalue2",
                                            "plainvalue3",
                                            "plainvalue4",  // by the variable's name
                                            "d3adb33f-0000-4000-8000-123456789abc",
                                            "0fedcba9-1234-5678-9abc-def012345678",  // UUIDs
                                            "0320215123456",
                                            "PF3ABCDE",  // serial numbers
                                            "00:1a:2b:3c:4d:5e",
                                            "00-1A-2B-3C-4D-5F",  // MAC addresses
                                            "192.168.17.23",
                                            "10.20.30.40",
                                            "203.0.113.9",
                                            "fe80::1a2b:3c4d",
                                            "2001:db8:1:2:3:4:5:6",
                                            "anna.meier",
                                            "example.org"};
  Json json = {
      {"paths",
       {"/home/meier/ml/.venv", "C:\\Users\\ZhangWei\\ml", "/mnt/c/Users/svenska/x",
        "/root/work/meier_project", "NVRM version: 580 (meier@laptop17.example.org)"}},
      {"kernel", "Linux laptop17 6.1.0"},
      {"index", "https://meier:s3cr3tpass@pypi.corp/simple"},
      {"more",
       {"http://u:hunter2@10.20.30.40:3128", "https://x/simple?token=tok123456&a=1",
        "ftp://a:pa:ss@b/", "pip install --password swordfish x",
        "curl -H 'Authorization: Bearer hf_abcdefghijklmnop1234'"}},
      {"texts",
       {"ghp_0123456789abcdefghij", "key AKIAIOSFODNN7EXAMPLE9", "glpat-abcdefgh12345678",
        "jwt eyJhbGciOiJIUzI1NiJ9.e30.abc", "//registry/:_authToken=npm_abcdefgh1234567890"}},
      {"variables",
       {{{"name", "HF_TOKEN"}, {"value", "plainvalue1"}},
        {{"name", "MY_SECRET"}, {"value", {{"value", "plainvalue2"}, {"origin", "x"}}}},
        {{"name", "SERVER"}, {"value", "203.0.113.9"}}}},
      {"password", "plainvalue3"},
      {"line", "WANDB_API_KEY=plainvalue4"},
      {"gpu", "GPU-d3adb33f-0000-4000-8000-123456789abc"},
      {"uuid", "{0fedcba9-1234-5678-9abc-def012345678}"},
      {"serial", "0320215123456"},
      {"card", {{"serial", {{"value", "PF3ABCDE"}, {"origin", "nvml"}}}}},
      {"net",
       {"00:1a:2b:3c:4d:5e", "ether 00-1A-2B-3C-4D-5F", "inet 192.168.17.23/24",
        "inet6 fe80::1a2b:3c4d", "2001:db8:1:2:3:4:5:6"}},
      {"mail", "anna.meier@example.org"}};
  redact(json, {"meier", "laptop17", "/home/meier"});
  const std::string out = json.dump();
  for (const std::string& secret : planted) {
    EXPECT_EQ(out.find(secret), std::string::npos) << secret << "\n" << out;
  }
  EXPECT_GE(planted.size(), 30U);
}

TEST(Redaction, WhatTheReportNeedsStays) {
  for (const char* text : {"/usr/lib/x86_64-linux-gnu/libcudnn.so.9.10.2",
                           "0000:01:00.0",
                           "12.4.5.8",
                           "9.10.2.21",
                           "32.0.15.6094",
                           "10.3.9.90",
                           "c10::cuda::x",
                           "memcpy@GLIBC_2.14",
                           "torch==2.14.1+cu130",
                           "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-"
                           "bfc1-08002be10318}\\0001",
                           "sha256:0123456789abcdef",
                           "C:\\Users\\Public\\x",
                           "https://pypi.org/simple",
                           "sm_90a",
                           "127.0.0.1:8080",
                           "2026-12-01T16:20:05Z",
                           "a:b",
                           "/opt/nvidia/token_cache",
                           "PCI\\VEN_10DE&DEV_2782&SUBSYS_513417AA&REV_A1\\4&3674a6b9&0&0008",
                           "sk-learn",
                           "::",
                           "f::"}) {
    EXPECT_EQ(redacted(text), text);
  }
}

TEST(Redaction, PathsStillFitEachOther) {
  EXPECT_EQ(redacted("/home/meier/a"), "/home/USER/a");
  EXPECT_EQ(redacted("C:\\Users\\Meier\\a"), "C:\\Users\\USER\\a");
  EXPECT_EQ(redacted("/home/other/a:/home/meier/b"), "/home/USER2/a:/home/USER/b");
  EXPECT_EQ(redacted("https://u:p@h/x"), "https://***@h/x");
}

TEST(Redaction, AUserWhoseNameIsACommonWordIsLeftOutOfHomesAlone) {
  Json json{{"a", "/home/torch/x/torch/lib"}, {"b", "torch 2.14"}};
  EXPECT_EQ(redact(json, {"torch", "gpu", "/home/torch"}), 1U);
  EXPECT_EQ(json["a"], "/home/USER/x/torch/lib");
  EXPECT_EQ(json["b"], "torch 2.14");
}

TEST(Redaction, TheSameIdGetsTheSameStandIn) {
  Json json{{"a", "GPU-d3adb33f-0000-4000-8000-123456789abc"},
            {"b", "x GPU-d3adb33f-0000-4000-8000-123456789abc"},
            {"c", "GPU-d3adb33f-0000-4000-8000-123456789abd"}};
  redact(json, {});
  EXPECT_EQ(json["a"], "GPU-UUID1");
  EXPECT_EQ(json["b"], "x GPU-UUID1");
  EXPECT_EQ(json["c"], "GPU-UUID2");
}

}  // namespace
}  // namespace plumb
