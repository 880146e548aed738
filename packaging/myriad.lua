-- Not tried: there was no Lmod where this file was written. Set root to the prefix of the installation.
help([[Myriad: how many bodies move when each acts on every other. See: man myriad]])
whatis("Name: myriad")
whatis("Description: many-body engine")
local root = "/opt/myriad"
prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("LD_LIBRARY_PATH", pathJoin(root, "lib"))
prepend_path("MANPATH", pathJoin(root, "share/man"))
prepend_path("CPATH", pathJoin(root, "include"))
prepend_path("PKG_CONFIG_PATH", pathJoin(root, "lib/pkgconfig"))
prepend_path("CMAKE_PREFIX_PATH", root)
