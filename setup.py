"""Builds the package myriad for pip.

With an installed Myriad (pkg-config myriad_run, of this version) the package uses that one. Otherwise CMake builds the
libraries, with all hot loops, and the wheel holds them. Environment:
    MYRIAD_BUILD   a folder that CMake has configured, to be used instead of build-python
    MYRIAD_CMAKE   more options for CMake, such as -DMYR_USE_CUDA=OFF
    MYRIAD_BUNDLE  1 = build the libraries although there is an installed Myriad
"""

import os
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
BINDINGS = os.path.join(HERE, "bindings", "python")


def version():
    with open(os.path.join(HERE, "include", "myriad", "version.h"), encoding="utf-8") as file:
        return ".".join(re.findall(r"^#define MYR_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", file.read(), re.M))


def pkg_config(*words):
    try:
        return subprocess.run(["pkg-config", *words], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


class Build(build_ext):
    """The extension module: beside an installed Myriad, or with libraries of its own."""

    def build_extension(self, ext):
        target = os.path.abspath(self.get_ext_fullpath(ext.name))
        package = os.path.dirname(target)
        os.makedirs(package, exist_ok=True)
        shutil.rmtree(os.path.join(package, "lib"), ignore_errors=True)  # of an earlier build
        if not os.environ.get("MYRIAD_BUNDLE") and pkg_config("--exists", f"myriad_run = {version()}") is not None:
            self.build_beside(target)
        else:
            self.build_all(package)

    def build_beside(self, target):
        """Against the installed libraries."""
        os.makedirs(self.build_temp, exist_ok=True)
        include = pkg_config("--variable=includedir", "myriad_run")
        libdir = pkg_config("--variable=libdir", "myriad_run")
        declarations, source = (os.path.join(self.build_temp, name) for name in ("declarations.h", "native.c"))
        cc = os.environ.get("CC", "cc")
        for words in (["declarations.py", cc, include, declarations], ["native.py", declarations, source],
                      ["stubs.py", declarations, os.path.dirname(target)]):
            subprocess.run([sys.executable, os.path.join(BINDINGS, words[0]), *words[1:]], check=True)
        objects = self.compiler.compile([source], output_dir="/", include_dirs=[include])
        self.compiler.link_shared_object(objects, target, libraries=["myriad_run", "myriad"], library_dirs=[libdir],
                                         runtime_library_dirs=[os.path.realpath(libdir)])

    def build_all(self, package):
        """By CMake; then the files of the component `python`."""
        build = os.environ.get("MYRIAD_BUILD", os.path.join(HERE, "build-python"))
        if not os.path.exists(os.path.join(build, "CMakeCache.txt")):
            subprocess.run(["cmake", "-S", HERE, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DMYR_UNITS=all",
                            "-DMYR_BUILD_TESTS=OFF", f"-DMYR_PYTHON={sys.executable}", "--log-level=WARNING",
                            *shlex.split(os.environ.get("MYRIAD_CMAKE", ""))], check=True)
        jobs = os.environ.get("JOBS", str(os.cpu_count() or 2))
        subprocess.run(["cmake", "--build", build, "--target", "python", "--parallel", jobs], check=True)
        stage = os.path.abspath(os.path.join(self.build_temp, "stage"))
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", stage], check=True)
        self.copy_files(os.path.join(stage, "python", "myriad"), package)

    def copy_files(self, source, package):
        """The module, and each library once, under the name by which it is loaded: wheels have no links."""
        libraries = os.path.join(source, "lib")
        entries = [os.path.join(libraries, name) for name in os.listdir(libraries)]
        linked = {os.path.realpath(entry) for entry in entries if os.path.islink(entry)}
        os.makedirs(os.path.join(package, "lib"))
        for entry in entries:
            if os.path.islink(entry) or os.path.realpath(entry) not in linked:
                shutil.copy(os.path.realpath(entry), os.path.join(package, "lib", os.path.basename(entry)))
        for name in os.listdir(source):
            if name.endswith((".so", ".pyi")):
                shutil.copy(os.path.join(source, name), package)


base = os.path.join(HERE, "build-python", "pip")
os.makedirs(base, exist_ok=True)
setup(
    version=version(),
    package_dir={"": "bindings/python"},
    packages=["myriad"],
    package_data={"myriad": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("myriad._native", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": Build},
    options={
        "bdist_wheel": {"py_limited_api": "cp38"},  # one wheel for every Python from 3.8 on
        "build": {"build_base": base},
        "egg_info": {"egg_base": base},
    },
)
