# Not tried: there was no Spack where this file was written; its syntax was checked by Python alone.
from spack.package import CMakePackage, depends_on, join_path, run_after, variant, version


class Myriad(CMakePackage):
    """Many-body engine: forces between all pairs of particles, with sums whose bits do not depend on threads."""

    # The folder of the sources: spack install myriad@main with a repository, or spack dev-build.
    version("main", branch="main")

    variant("mpi", default=True, description="Runs on many ranks")
    variant("cuda", default=False, description="NVIDIA GPUs")
    variant("hdf5", default=True, description="HDF5 snapshots")
    variant("fftw", default=True, description="Fourier transforms")
    variant("watch", default=True, description="The live page of a run")
    variant("python", default=False, description="The Python package")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("xxhash")
    depends_on("libfyaml")
    depends_on("mpi", when="+mpi")
    depends_on("cuda", when="+cuda")
    depends_on("hdf5~mpi+hl", when="+hdf5")
    depends_on("fftw@3:", when="+fftw")
    depends_on("libmicrohttpd@0.9.71:", when="+watch")
    depends_on("python@3.8:", type=("build", "run"), when="+python")
    depends_on("py-cffi", type=("build", "run"), when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")

    def cmake_args(self):
        return [
            self.define("MYR_BUILD_TESTS", False),
            self.define("MYR_MPI", "ON" if "+mpi" in self.spec else "OFF"),
            self.define_from_variant("MYR_USE_CUDA", "cuda"),
            self.define_from_variant("MYR_USE_HDF5", "hdf5"),
            self.define_from_variant("MYR_USE_FFTW", "fftw"),
        ]

    @run_after("install", when="+python")
    def install_python(self):
        cmake = self.spec["cmake"].command
        cmake("--build", self.build_directory, "--target", "python")
        cmake("--install", self.build_directory, "--component", "python3")

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", join_path(self.prefix, "lib", "python3", "dist-packages"))
