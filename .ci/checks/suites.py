"""Prints the seconds of each suite, and of its cases on each back end; removes the records that it has read."""

import collections
import pathlib
import sys


def main(directory):
    suites, cases = (pathlib.Path(directory) / name for name in ("suites", "cases"))
    times, counts = collections.Counter(), collections.Counter()
    for line in cases.read_text().splitlines() if cases.exists() else []:
        suite, _, backend, seconds = line.split("\t")
        times[suite, backend] += float(seconds)
        counts[suite, backend] += 1
    backends = sorted({backend for _, backend in counts})
    print("\nseconds of each suite; on each back end: cases, and the sum of their seconds (three run at a time)")
    print(f"{'suite':<28}{'wall':>8}{'CPU':>8}" + "".join(f"{backend:>16}" for backend in backends))
    wall = cpu = 0.0
    for line in suites.read_text().splitlines() if suites.exists() else []:
        package, binary, real, user, system = line.split()
        suite = binary.rsplit("-", 1)[0]
        suite = suite if package == "crud-tests" else f"{package}/{suite}"
        wall, cpu = wall + float(real), cpu + float(user) + float(system)
        cells = (f"{counts[suite, b]:>7}{times[suite, b]:>7.0f} s" if counts[suite, b] else "" for b in backends)
        if float(real) >= 1 or any(counts[suite, b] for b in backends):
            row = f"{suite:<28}{float(real):>6.0f} s{float(user) + float(system):>6.0f} s"
            print((row + "".join(f"{cell:>16}" for cell in cells)).rstrip())
    total = (sum(counts[suite, b] for suite, b in counts if b == backend) for backend in backends)
    print(f"{'all':<28}{wall:>6.0f} s{cpu:>6.0f} s" + "".join(f"{count:>16}" for count in total))
    print(f"cases × back ends: {sum(counts.values())}")
    for path in (suites, cases):
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main(sys.argv[1])
