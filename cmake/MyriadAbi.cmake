# Writes a header with MYR_CUDA_ABI, a number that stands for the texts of some files:
#   cmake -DOUT=file -DLIST=file -P MyriadAbi.cmake
# LIST has the path of a file per line. Run by the build, see MyriadUnits.cmake.
file(STRINGS "${LIST}" paths)
set(all "")
foreach(path IN LISTS paths)
    file(SHA256 "${path}" hash)
    string(APPEND all "${hash}")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING "${hash}" 0 7 digits)
file(WRITE "${OUT}" "/* Written by cmake/MyriadAbi.cmake. */\n#define MYR_CUDA_ABI 0x${digits}\n")
