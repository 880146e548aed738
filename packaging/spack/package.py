# Not tried: there was no Spack where this file was written; its syntax was checked by Python alone.
from spack.package import CMakePackage, depends_on, variant, version


class Myriad(CMakePackage):
    """Many-body engine: forces between all pairs of particles, with sums whose bits do not depend on threads."""

    # The folder of the sources: spack install myriad@main with a repository, or spack dev-build.
    version("main", branch="main")

    variant("mpi", default=True, description="Runs on many ranks")
    variant("cuda", default=False, description="NVIDIA GPUs")
    variant("hdf5", default=True, description="HDF5 snapshots")
    variant("fftw", default=True, description="Fourier transforms")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("xxhash")
    depends_on("libfyaml")
    depends_on("mpi", when="+mpi")
    depends_on("cuda", when="+cuda")
    depends_on("hdf5~mpi+hl", when="+hdf5")
    depends_on("fftw@3:", when="+fftw")

    def cmake_args(self):
        return [
            self.define("MYR_BUILD_TESTS", False),
            self.define("MYR_MPI", "ON" if "+mpi" in self.spec else "OFF"),
            self.define_from_variant("MYR_USE_CUDA", "cuda"),
            self.define_from_variant("MYR_USE_HDF5", "hdf5"),
            self.define_from_variant("MYR_USE_FFTW", "fftw"),
        ]
