"""The declarations of Myriad's public headers, as cffi and other generators read them.

The C preprocessor reads the headers; what stands in files of include/myriad is kept, attributes are dropped, and macros
with a number become constants. Nothing is copied by hand: a new function is in the bindings with the next build.

usage: declarations.py CC INCLUDE_DIR OUTPUT
"""

import os
import re
import subprocess
import sys

HEADERS = ("myriad/myriad.h", "myriad/run.h")

# The layout of DLPack's tensors (version 0.8), by which packages of arrays exchange them.
DLPACK = """
typedef struct { int32_t device_type, device_id; } myriad_dl_device;
typedef struct { uint8_t code, bits; uint16_t lanes; } myriad_dl_type;
typedef struct {
    void *data;
    myriad_dl_device device;
    int32_t ndim;
    myriad_dl_type dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} myriad_dl_tensor;
typedef struct myriad_dl_managed {
    myriad_dl_tensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct myriad_dl_managed *);
} myriad_dl_managed;
"""

# Functions of the package that C calls.
CALLBACKS = """
void myriad_dl_capsule_free(void *capsule);
extern "Python" {
    int myriad_python_progress(void *user, double fraction);
    void myriad_python_warning(void *user, const char *text);
    void myriad_python_notice(void *user, const char *text);
    void myriad_python_run_say(void *user, myr_run_message_kind kind, const char *text);
    void myriad_python_run_work(void *user, const char *what, double fraction, double seconds_left);
    int myriad_python_field(void *user, const myr_field_points *points);
    void myriad_python_dl_delete(myriad_dl_managed *tensor);
    int myriad_python_run_stop(void *user, int signal, const char **by);
}
"""


def preprocess(cc, include, flags):
    text = "".join(f"#include <{header}>\n" for header in HEADERS)
    command = [*cc.split(), "-E", "-x", "c", "-std=c11", "-I", include, *flags, "-"]
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def of_headers(text, include):
    """The lines that come from files of the public headers, by the line markers of the preprocessor."""
    folder = os.path.realpath(os.path.join(include, "myriad"))
    ours, lines = False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = os.path.dirname(os.path.realpath(marker[1])) == folder
        elif ours:
            lines.append(line)
    return "\n".join(lines)


def constants(include):
    """Macros that are numbers: names and values."""
    found = {}
    for name in sorted(os.listdir(os.path.join(include, "myriad"))):
        with open(os.path.join(include, "myriad", name), encoding="utf-8") as file:
            for macro, value in re.findall(r"^#define (MYR_[A-Z0-9_]+) (.+?)(?:\s*/\*.*)?$", file.read(), re.M):
                if re.fullmatch(r"[()0-9.eE+* /-]+", value):
                    found[macro] = eval(value)  # digits and operators only
    return found


def cdef(cc, include):
    """The declarations in the language of cffi's cdef."""
    text = of_headers(preprocess(cc, include, []), include)
    text = re.sub(r'__attribute__\(\(visibility\("default"\)\)\)', "", text)
    text = re.sub(r"(const )?volatile sig_atomic_t", r"\1int", text)
    text = re.sub(r"^\s*\n", "", re.sub(r"^ +(?=[a-z])", "", text, flags=re.M), flags=re.M)
    for name, value in constants(include).items():
        text += f"\n#define {name} {value}" if isinstance(value, int) else f"\nstatic const double {name}; /* {value!r} */"
    return text


STANDARD = ("int32_t", "int64_t", "uint64_t", "size_t", "FILE")  # types of C that the declarations use


def parsed(text):
    """Nodes of the syntax tree of a cdef, without what only cffi reads."""
    from pycparser import c_parser
    plain = re.sub(r"^(#define .*|static const double .*)$", "", text, flags=re.M)
    prelude = "".join(f"typedef int {name};\n" for name in STANDARD)
    return c_parser.CParser().parse(prelude + plain).ext[len(STANDARD):]


def main():
    cc, include, output = sys.argv[1:4]
    text = cdef(cc, include)
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
