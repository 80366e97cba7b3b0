"""Runs in the virtual machine: loads the drivers, plugs things in, and says what passes."""

import argparse
import subprocess
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cameras
import failing
import ports
from lab import Failed, Lab, Skipped

MODULES = Path("/run/vm/modules")


def load_modules():
    """In the order in which they need each other; what does not load is told."""
    for name in (MODULES / "rest").read_text().split():
        # One test picture generator, capturing only; not 64 of them with radios.
        options = ["node_types=0x1", "n_devs=1"] if name == "vivid.ko" else []
        done = subprocess.run(["/bin/busybox", "insmod", str(MODULES / name), *options], capture_output=True, text=True)
        if done.returncode:
            print(f"cannot load {name}: {done.stderr.strip()}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--film", required=True)
    parser.add_argument("--slow", type=float, required=True)
    parser.add_argument("checks", nargs="*")
    args = parser.parse_args()
    load_modules()
    # Everything that is run must be readable by the user whom permissions are tried with.
    program = "/run/stackhand"
    subprocess.run(["cp", args.program, program], check=True)
    lab = Lab(program, args.film, args.slow)
    checks = [check for module in (cameras, failing, ports) for check in module.CHECKS]
    names = [check.__name__ for check in checks]
    unknown = [name for name in args.checks if not any(n.startswith(name) for n in names)]
    if unknown:
        print(f"no check begins with {', '.join(unknown)}; there are {', '.join(names)}")
    chosen = [c for c in checks if not args.checks or any(c.__name__.startswith(name) for name in args.checks)]
    counts = {"PASS": 0, "FAIL": 0, "SKIP": 0}
    for check in chosen:
        verdict, text = judge(lab, check)
        counts[verdict] += 1
        print(text, flush=True)
    print(f"{counts['PASS']} passed, {counts['FAIL'] + len(unknown)} failed, {counts['SKIP']} skipped", flush=True)


def judge(lab, check):
    """Runs one check; what came of it, and the line that says so."""
    lab.check = check.__name__
    began = time.monotonic()
    try:
        try:
            found = check(lab)
        finally:
            lab.clean()
        verdict, said = "PASS", found or ""
    except Failed as problem:
        verdict, said = "FAIL", str(problem)
    except Skipped as reason:
        verdict, said = "SKIP", str(reason)
    except Exception as problem:
        Path(f"/mnt/{lab.check}.traceback").write_text(traceback.format_exc())
        verdict, said = "FAIL", f"the check itself broke: {type(problem).__name__}: {problem}"
    says = " ".join(said.split())
    return verdict, f"{verdict} {check.__name__} ({time.monotonic() - began:.0f} s){': ' if says else ''}{says}"


if __name__ == "__main__":
    main()
