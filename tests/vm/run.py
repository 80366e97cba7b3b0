#!/usr/bin/env python3
"""Boots a virtual machine with Debian's kernel and runs tests/vm/guest/main.py in it: cameras and ports through the true
drivers. docs/vm-test.md says what it proves.

The guest sees this computer's files read-only, so that program and libraries are those that were built here; what it
writes goes to memory, and its logs to OUT/logs. Nothing listens on any network: the guest has none.

Exit status: 0 when every check passed, 1 when one failed, 2 when the machine could not be made or did not finish.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Modules that the checks need; those they depend on come with them, in order.
BOOT_MODULES = ["virtio_pci", "9pnet_virtio", "9p"]
MODULES = ["vhci_hcd", "uvcvideo", "vivid", "ftdi_sio"]
PROGRAMS = ["qemu-system-x86_64", "busybox", "cpio", "modprobe", "dpkg-deb", "ffmpeg", "v4l2-ctl"]
# The machine's memory. The pictures lie in it.
MEMORY = "1536M"
# All checks take about 8 minutes by emulation alone; after so long the machine hangs, or its host is very busy.
LIMIT_S = 3000

INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /root
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
for m in $(/bin/busybox cat /modules/boot); do /bin/busybox insmod /modules/$m || echo "cannot load $m"; done
P=trans=virtio,version=9p2000.L,msize=262144
/bin/busybox mount -t 9p -o ro,cache=loose,$P root /root || echo "cannot mount the files of this computer"
for d in tmp run var/tmp mnt; do /bin/busybox mount -t tmpfs tmp /root/$d; done
/bin/busybox mkdir -p /root/run/lock /root/run/vm/modules
/bin/busybox cp /modules/* /root/run/vm/modules/
/bin/busybox mount -t 9p -o rw,$P out /root/mnt || echo "cannot mount the folder for logs"
/bin/busybox mount -t sysfs sys /root/sys
/bin/busybox mount -t proc proc /root/proc
/bin/busybox mount -t devtmpfs dev /root/dev
/bin/busybox mkdir -p /root/dev/pts && /bin/busybox mount -t devpts pts /root/dev/pts
/bin/busybox ip link set lo up 2>/dev/null
/bin/busybox chroot /root /bin/sh /mnt/start.sh
/bin/busybox sync
/bin/busybox poweroff -f
"""


class Cannot(Exception):
    """The machine cannot be made; the text says what to do."""


def run(*words, **options):
    return subprocess.run([str(w) for w in words], check=True, **options)


def need_programs():
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        raise Cannot(f"not installed: {', '.join(missing)}; `make vm-test` installs them where there is apt")


def kernel_package(cache):
    """Debian's kernel for PCs, downloaded but not installed. The one for clouds has no media drivers."""
    found = sorted(cache.glob("linux-image-*.deb"))
    if found:
        return found[-1]
    try:
        text = run("apt-cache", "depends", "linux-image-amd64", capture_output=True, text=True).stdout
        name = re.search(r"Depends: (linux-image-[0-9]\S+-amd64)", text)
        if not name:
            raise Cannot("apt knows no package linux-image-amd64; run `apt-get update`, or put the package's .deb "
                         f"into {cache}")
        run("apt-get", "download", "-q", name.group(1), cwd=cache)
    except (OSError, subprocess.CalledProcessError) as e:
        raise Cannot(f"the kernel cannot be downloaded ({e}); put linux-image-…-amd64 of Debian as .deb into {cache}")
    return max(cache.glob("linux-image-*.deb"))


def module_order(tree, version, names):
    """Files of the modules and of all that they need, in the order in which they can be loaded."""
    order = []
    for name in names:
        text = run("modprobe", "-d", tree, "-S", version, "--show-depends", name, capture_output=True, text=True).stdout
        for line in text.splitlines():
            word, _, rest = line.partition(" ")
            path = Path(rest.split()[0]) if word == "insmod" else None
            if path and path not in order:
                order.append(path)
    return order


def make_boot_files(cache):
    """The kernel and a first file system with its modules: made once."""
    package = kernel_package(cache)
    kernel, initrd, mark = cache / "vmlinuz", cache / "initrd", cache / "made-of"
    made_of = repr((package.name, BOOT_MODULES, MODULES, INIT))
    if mark.exists() and mark.read_text() == made_of:
        return kernel, initrd
    print(f"unpacking {package.name}", flush=True)
    tree = cache / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    run("dpkg-deb", "-x", package, tree)
    image = next((tree / "boot").glob("vmlinuz-*"))
    version = image.name.removeprefix("vmlinuz-")
    shutil.copy(image, kernel)
    run("depmod", "-b", tree, version)
    root = cache / "root"
    shutil.rmtree(root, ignore_errors=True)
    for folder in ["bin", "modules"]:
        (root / folder).mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), root / "bin/busybox")
    boot = module_order(tree, version, BOOT_MODULES)
    rest = [m for m in module_order(tree, version, MODULES) if m not in boot]
    for name, modules in [("boot", boot), ("rest", rest)]:
        for module in modules:
            shutil.copy(module, root / "modules")
        (root / "modules" / name).write_text("".join(f"{m.name}\n" for m in modules))
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    files = "\n".join(str(p.relative_to(root)) for p in sorted(root.rglob("*")))
    with open(initrd, "wb") as out:
        run("cpio", "-o", "-H", "newc", "--quiet", cwd=root, input=files.encode(), stdout=out)
    shutil.rmtree(tree)
    shutil.rmtree(root)
    mark.write_text(made_of)
    print(f"{len(boot) + len(rest)} modules, {initrd.stat().st_size / 1e6:.1f} MB")
    return kernel, initrd


def qemu(args, kernel, initrd, logs):
    # Emulated, a plain processor is about twice as fast as one with everything.
    processor = "host,arch-capabilities=off" if args.accel == "kvm" else "Nehalem"
    link = logs / "line.sock"
    words = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
             "-accel", "kvm" if args.accel == "kvm" else "tcg,thread=multi,tb-size=512", "-cpu", processor,
             "-smp", str(args.cpus), "-m", MEMORY, "-kernel", str(kernel), "-initrd", str(initrd),
             "-append", "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off tsc=reliable random.trust_cpu=on "
             # On a busy computer timers come late.
             "no_timer_check nowatchdog rcupdate.rcu_cpu_stall_suppress=1",
             "-serial", "stdio",
             # ttyS1, where the program finds its board, and ttyS2, where the emulated board sits: one line.
             "-chardev", f"socket,id=near,path={link},server=on,wait=off", "-serial", "chardev:near",
             "-chardev", f"socket,id=far,path={link}", "-serial", "chardev:far",
             "-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
             "-device", "virtio-9p-pci,fsdev=root,mount_tag=root",
             "-fsdev", f"local,id=out,path={logs},security_model=none",
             "-device", "virtio-9p-pci,fsdev=out,mount_tag=out",
             "-object", "rng-random,id=rng,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=rng"]
    return ["nice", "-n", str(args.nice), *words]


def start_script(args, program, film):
    slow = args.slow or (1 if args.accel == "kvm" else 6)
    words = [sys.executable, str(HERE / "guest/main.py"), "--program", str(program), "--film", str(film), "--slow",
             str(slow), *args.checks]
    return ("export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8\n"
            "export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1\n"
            f"exec {' '.join(words)}\n")


def boot(args, words, began):
    """Runs the machine; its exit status by what the guest said."""
    machine = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace")
    sums = None
    # A machine that hangs says nothing, so its own clock ends it.
    alarm = threading.Timer(args.limit, machine.kill)
    alarm.start()
    try:
        for line in machine.stdout:
            line = line.rstrip().lstrip("\r")
            if line:
                print(f"{time.monotonic() - began:6.1f} s  {line}", flush=True)
                sums = sums or re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", line)
        machine.wait(30)
    finally:
        if not alarm.is_alive():
            print(f"switched off: not done after {args.limit} s")
        alarm.cancel()
        if machine.poll() is None:
            machine.kill()
            machine.wait()
    if not sums:
        raise Cannot("the machine ended without its sums; the lines above and the logs say why")
    return 0 if sums.group(2) == "0" and sums.group(1) != "0" else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the stackhand to test, such as target/release/stackhand")
    parser.add_argument("checks", nargs="*", help="only these checks; their names as in the list that a run prints")
    parser.add_argument("--out", type=Path, default=Path("target/vm-test"), help="kernel, film and logs go there")
    parser.add_argument("--accel", choices=["tcg", "kvm"], default="tcg",
                        help="kvm is faster where it works; inside other virtual machines it may hang")
    parser.add_argument("--slow", type=float, help="how many times slower than real the filmed game runs, and how many times longer all may take; "
                        "6 by emulation, 12 on a busy computer")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--nice", type=int, default=10)
    parser.add_argument("--limit", type=int, default=LIMIT_S, help="seconds after which the machine is switched off")
    args = parser.parse_intermixed_args()
    began = time.monotonic()
    try:
        need_programs()
        if not args.program.is_file():
            raise Cannot(f"there is no program {args.program}; build it first")
        out = args.out.resolve()
        logs = out / "logs"
        shutil.rmtree(logs, ignore_errors=True)
        for folder in [out / "kernel", logs]:
            folder.mkdir(parents=True, exist_ok=True)
        kernel, initrd = make_boot_files(out / "kernel")
        # Debug information is most of the file, and it all has to come through the machine's file system.
        program = out / "stackhand"
        run("strip", "-o", program, args.program)
        sys.path.insert(0, str(HERE))
        import film
        film_folder = film.make(program, out / "film")
        (logs / "start.sh").write_text(start_script(args, program, film_folder))
        print(f"{time.monotonic() - began:6.1f} s  booting", flush=True)
        return boot(args, qemu(args, kernel, initrd, logs), began)
    except (Cannot, subprocess.CalledProcessError) as e:
        print(f"vm-test: {e}", file=sys.stderr)
        return 2
    finally:
        print(f"{time.monotonic() - began:6.1f} s in all; logs in {args.out}/logs", flush=True)


if __name__ == "__main__":
    sys.exit(main())
