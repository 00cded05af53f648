// SPDX-License-Identifier: Apache-2.0
#include "observe/python_world.h"

#include "observe/python_commands.h"
#include "observe/python_environments.h"
#include "observe/python_installs.h"

namespace plumb {

PythonWorld observe_python_world(const Host& host, const SearchLimits& limits) {
  PythonWorld world;
  world.environments = observe_environments(host, limits, world.errors);
  world.interpreters = observe_interpreters(host, world.environments, limits, world.errors);
  world.commands = observe_python_commands(host);
  world.pip_fits_python = compare_pip_with_python(host, world.commands);
  world.launcher_default = observe_launcher_default(host);
  return world;
}

}  // namespace plumb
