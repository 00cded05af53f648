#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Secrets and names planted in a machine are in no snapshot, and in no report or JSON made from it.

The world has them where people have them: variables, pip's and conda's configuration, direct_url.json, the kernel's
build line, a card's UUID, paths below a home. --no-redact must show most of them, or the test would prove nothing.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

USER = "zhangwei"
HOST = "lab-pc-17"
UUID = "5fdbd022-a197-f84e-2dae-23454c99388e"
PLANTED = [USER, HOST, "annakarenina", "s3cr3t-pw-1", "s3cr3t-pw-2", "s3cr3t-pw-3", "s3cr3t-pw-4", "s3cr3t-pw-5", "s3cr3t-pw-6",
           "hf_QWERTYuiop1234567890", "ghp_0123456789abcdefABCDEF", "wandb-key-99", "aws-secret-77", "glpat-ABCDEF123456789", "npm-token-55",
           "nccl-net-secret", UUID, "0123abcd-1111-2222-3333-444455556666", "192.168.44.55", "10.11.12.13", "172.20.3.4", "203.0.113.77",
           "fe80::1ff:fe23:4567:890a", "02:42:ac:11:00:02", "anna@example.org", "builder@buildhost", "conda-token-33", "session-password-1",
           "uv-index-pw", "find-links-pw", "direct-url-pw", "no-proxy.internal.zhangwei"]


def write(path: pathlib.Path, text: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def plant(world: pathlib.Path) -> dict:
    home = world / "home" / USER
    site = home / "ml" / "lib" / "python3.12" / "site-packages"
    write(home / "ml" / "pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n")
    write(home / "ml" / "bin" / "python", "")
    write(site / "torch-2.14.1.dist-info" / "METADATA", "Name: torch\nVersion: 2.14.1\n")
    write(site / "torch-2.14.1.dist-info" / "RECORD", "torch/version.py,,\n")
    write(site / "torch-2.14.1.dist-info" / "direct_url.json",
          '{"url": "https://anna:direct-url-pw@203.0.113.77/torch.whl", "archive_info": {}}')
    write(site / "torch" / "version.py", "__version__ = '2.14.1+cu130'\ncuda = '13.0'\n")
    write(home / ".config" / "pip" / "pip.conf",
          "[global]\nindex-url = https://zhangwei:s3cr3t-pw-1@pypi.corp/simple\nproxy = http://u:s3cr3t-pw-2@10.11.12.13:3128\n"
          "find-links = https://x:find-links-pw@192.168.44.55/\n")
    write(home / ".condarc", "channels:\n  - https://conda.corp/t/conda-token-33/main\n  - https://u:s3cr3t-pw-3@h/\n")
    write(home / ".config" / "uv" / "uv.toml", '[[index]]\nurl = "https://u:uv-index-pw@h/simple"\n')
    write(home / ".conda" / "environments.txt", "/home/annakarenina/envs/x\n")
    write(world / "root" / "proc" / "driver" / "nvidia" / "version",
          "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Release Build  (builder@buildhost)\nGCC version:  gcc\n")
    write(world / "root" / "proc" / "driver" / "nvidia" / "gpus" / "0000-01-00.0" / "information", f"GPU UUID: \t GPU-{UUID}\n")
    write(world / "root" / "proc" / "cmdline", "root=UUID=0123abcd-1111-2222-3333-444455556666 ip=172.20.3.4 nvidia-drm.modeset=1\n")
    write(world / "root" / "etc" / "os-release", "ID=debian\n")
    return {
        "HOME": str(home), "USERPROFILE": str(home), "USER": USER, "LOGNAME": USER, "USERNAME": USER, "HOSTNAME": HOST, "COMPUTERNAME": HOST,
        "HTTP_PROXY": "http://anna:s3cr3t-pw-4@10.11.12.13:8080", "https_proxy": "http://u:s3cr3t-pw-5@[fe80::1ff:fe23:4567:890a]:1",
        "NO_PROXY": "no-proxy.internal.zhangwei,192.168.44.55", "PIP_INDEX_URL": "https://u:s3cr3t-pw-6@pypi.corp/simple",
        "HF_TOKEN": "hf_QWERTYuiop1234567890", "HF_HOME": str(home / "hf"), "UV_INDEX_URL": "https://ghp_0123456789abcdefABCDEF@h/",
        "WANDB_API_KEY": "wandb-key-99", "AWS_SECRET_ACCESS_KEY": "aws-secret-77", "PIP_EXTRA_INDEX_URL": "https://oauth2:glpat-ABCDEF123456789@g/",
        "NCCL_SECRET": "nccl-net-secret", "NCCL_SOCKET_IFNAME": "02:42:ac:11:00:02", "NCCL_COMM_ID": "172.20.3.4:1234",
        "NPM_TOKEN": "npm-token-55", "XLA_FLAGS": "--session_password=session-password-1", "NVIDIA_VISIBLE_DEVICES": f"GPU-{UUID}",
        "CUDA_VISIBLE_DEVICES": f"GPU-{UUID}", "PIP_CLIENT_CERT": "anna@example.org", "CONDA_PREFIX": "/home/annakarenina/conda",
        "PYTHONPATH": str(home / "src"), "VIRTUAL_ENV": str(home / "ml"),
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--launcher", default="")
    arguments = parser.parse_args()
    plumb = [str(pathlib.Path(program).resolve()) for program in (arguments.launcher, arguments.plumb) if program]
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        world = pathlib.Path(scratch)
        environment = {**os.environ, **plant(world)}
        if arguments.launcher:  # Wine keeps its prefix where it was
            cache = os.environ.get("XDG_CACHE_HOME", os.environ.get("HOME", "/") + "/.cache")
            environment.setdefault("WINEPREFIX", cache + "/plumb/wine")

        def run(*command: str) -> str:
            done = subprocess.run([*plumb, *command], capture_output=True, env=environment, cwd=world, timeout=120)
            if done.returncode not in (0, 1, 3):
                faults.append(f"plumb {' '.join(command)} ends with {done.returncode}: {done.stderr.decode(errors='replace')}")
            return (done.stdout + done.stderr).decode(errors="replace")

        texts = {}
        seen = ""
        for name, options in (("here", ["--env", str(world / "home" / USER / "ml")]), ("mounted", ["--root", "root"])):
            run("snapshot", "-q", "-o", f"{name}.json", *options)
            texts[f"snapshot of {name}"] = (world / f"{name}.json").read_text(encoding="utf-8")
            texts[f"check of {name}"] = run("check", "--from", f"{name}.json", "--verbose")
            texts[f"check --json of {name}"] = run("check", "--from", f"{name}.json", "--json")
            texts[f"which of {name}"] = run("which", "--all", "--from", f"{name}.json", "--json")
            seen += run("snapshot", "--no-redact", *options)
        for name, text in texts.items():
            faults += [f"{name} holds {secret}" for secret in PLANTED if secret.lower() in text.lower()]
        shown = sum(secret in seen for secret in PLANTED)
        print(f"{len(PLANTED)} planted, {shown} of them seen without redaction, {len(faults)} faults")
        if shown < 10:  # passwords in settings are masked by the probes already
            faults.append("too few are seen without redaction for this test to mean anything")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
