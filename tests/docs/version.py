"""One version: that of the header is that of the program, its packages and the newest entry of the changes.

usage: version.py SOURCE_DIR COTREE BUILD_DIR"""
import re
import subprocess
import sys
from pathlib import Path

root, cotree, build = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])


def found(pattern, text):
    match = re.search(pattern, text, re.M)
    return match.group(1) if match else "none"


versions = {
    "include/cotree.h": found(r'#define CT_VERSION "(.*)"', (root / "include/cotree.h").read_text()),
    "cotree --version": found(r"^cotree (\S+)$", subprocess.run([cotree, "--version"], capture_output=True, text=True).stdout),
    "cotree.pc": found(r"^Version: (\S+)$", (build / "cotree.pc").read_text()),
    "cotreeConfigVersion.cmake": found(r'set\(PACKAGE_VERSION "(.*?)"\)', (build / "cotreeConfigVersion.cmake").read_text()),
    "CHANGELOG.md": found(r"^## (\d+\.\d+\.\d+)", (root / "CHANGELOG.md").read_text()),
}
for name, version in versions.items():
    print(f"{name}: {version}")
sys.exit(len(set(versions.values())) > 1)
