# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe: copy it to packages/eco_collectives/package.py of a Spack repository, and set
`git` to where you have the sources."""

from spack.package import *


class EcoCollectives(CMakePackage):
    """Topology-aware collectives for unmodified MPI programs, by a measured network."""

    homepage = "file:///opt/src/eco"
    git = "file:///opt/src/eco"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("rails", default=True, description="Several NICs at once, by libfabric")
    variant("hwloc", default=True, description="Levels inside hosts, by hwloc")
    variant("python", default=True, description="The engine of the Python commands")
    variant("pictures", default=False, description="eco show --plot and the like")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    # Only their headers: programs bring their own MPI library, of any version with the same ABI.
    depends_on("openmpi@4:5", type="build")
    depends_on("mpich@4:5", type="build")
    # Loaded while a program runs, if they are there.
    depends_on("libfabric", when="+rails")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-nanobind@2:", type="build", when="+python")
    depends_on("py-typer@0.16:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("py-pyyaml@6:", type=("build", "run"))
    depends_on("py-matplotlib@3.8:", type="run", when="+pictures")

    def cmake_args(self):
        spec = self.spec
        return [
            self.define("ECO_BUILD_TESTS", False),
            self.define("ECO_OPENMPI_INCLUDE", spec["openmpi"].prefix.include),
            self.define("ECO_MPICH_INCLUDE", spec["mpich"].prefix.include),
            self.define("ECO_PYTHON", spec["python"].command.path),
            self.define_from_variant("ECO_PYTHON_BINDINGS", "python"),
            self.define_from_variant("ECO_RAILS", "rails"),
            self.define_from_variant("ECO_HWLOC", "hwloc"),
        ]

    def setup_run_environment(self, env):
        # Never LD_PRELOAD: eco exec sets it for the one program that it starts.
        env.set("ECO_ROOT", self.prefix)
        env.prepend_path("PYTHONPATH", self.prefix.share.eco)
        if "+rails" in self.spec:
            env.append_path("LD_LIBRARY_PATH", self.spec["libfabric"].libs.directories[0])
        if "+hwloc" in self.spec:
            env.append_path("LD_LIBRARY_PATH", self.spec["hwloc"].libs.directories[0])

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        eco = Executable(self.prefix.bin.eco)
        assert "eco" in eco("--version", output=str)
        shown = eco("exec", "--mpi", "openmpi", "sh", "-c", "echo $LD_PRELOAD", output=str)
        assert "libeco-openmpi.so" in shown
