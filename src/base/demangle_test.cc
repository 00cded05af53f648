// SPDX-License-Identifier: Apache-2.0
#include "base/demangle.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Demangle, NamesOfBothCompilers) {
  EXPECT_EQ(demangle("_ZN3c104cuda9SetDeviceEa"), "c10::cuda::SetDevice(signed char)");
  EXPECT_EQ(demangle("?get@Device@c10@@QEBAXXZ"), "c10::Device::get");
  EXPECT_EQ(demangle("??0Error@c10@@QEAA@XZ"), "c10::Error::Error");
  EXPECT_EQ(demangle("??1Error@c10@@UEAA@XZ"), "c10::Error::~Error");
}

TEST(Demangle, WhatIsNoneStaysAsItIs) {
  for (const char* name : {"cudnnCreate", "_Z", "_ZN3c10", "?", "??", "?x", "??0", "?a@", "#12", "",
                           "?$Foo@H@@QEAAXXZ", "??_7Error@c10@@6B@"}) {
    EXPECT_EQ(demangle(name), name);
  }
}

TEST(Demangle, ANameThatWouldExplodeStaysAsItIs) {
  std::string name = "_Z1fP1A";
  for (int i = 0; i < 300; ++i) {
    name += "S_";
  }
  EXPECT_EQ(demangle(name), name);
}

}  // namespace
}  // namespace plumb
