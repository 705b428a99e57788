"""The compilers of CUDA. Each is a function that compiles a source text and returns (success, output)."""
import ctypes
import pathlib
import re
import shutil
import subprocess
import tempfile

ARCH = "sm_90"
PTX = "compute_90"


def toolkit_of(nvcc):
    """Returns the include folder of nvcc's toolkit; nvcc is a command, or a list of its words. Only nvcc knows it: the command
    may be a script, a link, or a name in PATH."""
    words = [nvcc] if isinstance(nvcc, str) else nvcc
    says = subprocess.run([*words, "--dryrun", "-c", "none.cu"], capture_output=True, text=True).stderr
    return pathlib.Path(re.search(r'^#\$ INCLUDES="-I([^"]+)"', says, re.M).group(1))


def includes_of(toolkit):
    """Returns the folders of CUDA's headers. From CUDA 13 on, CCCL has its own folder."""
    return [str(folder) for folder in (toolkit / "cccl", toolkit) if folder.is_dir()]


def run(command, source):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "callables.cu")
        file.write_text(source)
        ran = subprocess.run([*command, file, "-o", f"{folder}/out"], capture_output=True, text=True)
    said = ran.stdout + ran.stderr
    return ran.returncode == 0 and not said.strip(), said


def fast_flags(command):
    """Returns the flag of nvcc and NVRTC from CUDA 12.9 on that leaves optimizations out."""
    help = subprocess.run([command, "--help"], capture_output=True, text=True).stdout
    return ["--Ofast-compile=max"] if "--Ofast-compile" in help else []


def nvcc(command, flags, source):
    """Compiles to an object with PTX, without flags that change which functions a function may call."""
    return run([command, "-std=c++17", f"-gencode=arch={PTX},code={PTX}", "-c", "-Werror=all-warnings",
                "-Xcompiler=-Wall,-Wextra,-O0", *flags], source)


# ---- clang

def clang(command, toolkit, flags, source):
    """Compiles the GPU's part and the host's part separately, because clang can combine them only with the fatbinary of
    a CUDA version that it knows. For a newer CUDA it needs a replacement of a header, and the path of CCCL."""
    root = toolkit.resolve().parent
    while not (root / "nvvm").is_dir() and root != root.parent:
        root = root.parent
    with tempfile.TemporaryDirectory() as empty:
        pathlib.Path(empty, "texture_fetch_functions.h").touch()
        common = [command, "-x", "cuda", "-std=c++17", f"--cuda-gpu-arch={ARCH}", f"--cuda-path={root}", "-c",
                  "-Wno-unknown-cuda-version", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                  *[f"-isystem{folder}" for folder in (empty, *includes_of(toolkit))], *flags]
        for side in ("-O1 --cuda-device-only", "-O0 --cuda-host-only"):
            ok, said = run([*common, *side.split()], source)
            if not ok:
                break
    return ok, said


def find_clang(commands, toolkit):
    """Returns the first command that compiles cooperative groups of this toolkit, or the reason why there is none."""
    why_not = "no clang is installed"
    for command in commands:
        if not shutil.which(command):
            continue
        ok, said = clang(command, toolkit, [], "#include <cooperative_groups.h>\n#include <cuda/std/type_traits>\n"
                         "__global__ void kernel(unsigned* x) { *x = cooperative_groups::this_thread_block().size(); }\n")
        if ok:
            return command, None
        error = re.search(r"error: (.*)", said)
        why_not = f"{command} cannot compile for this CUDA: {error.group(1) if error else said[:80]}"
    return None, why_not


# ---- NVRTC

def find_nvrtc(toolkit):
    for folder in (toolkit.parent / "lib64", toolkit.parent / "lib", *toolkit.parents[1].glob("lib*")):
        for library in sorted(folder.glob("libnvrtc.so*")):
            return library
    return None


def nvrtc(library, includes, source, flags=()):
    """Compiles to PTX."""
    rtc = ctypes.CDLL(str(library))
    program = ctypes.c_void_p()
    rtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"callables.cu", 0, None, None)
    options = [b"-std=c++17", f"-arch={PTX}".encode(), *[f"-I{folder}".encode() for folder in includes],
               *[flag.encode() for flag in flags]]
    ok = rtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)) == 0
    size = ctypes.c_size_t()
    rtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    rtc.nvrtcGetProgramLog(program, log)
    rtc.nvrtcDestroyProgram(ctypes.byref(program))
    said = log.value.decode(errors="replace")
    return ok, said
