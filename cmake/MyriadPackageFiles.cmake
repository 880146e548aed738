# Run by cpack on the files of all packages before they are packed: Debian's man pages are compressed.
file(GLOB_RECURSE pages "${CPACK_TEMPORARY_DIRECTORY}/*.1")
foreach(page IN LISTS pages)
    if(page MATCHES "/man1/")
        execute_process(COMMAND gzip -9nf "${page}")
    endif()
endforeach()
