#!/bin/sh
# A program written for the GRAPE libraries or Sapporo, on the GPU.
# usage: grape.sh PROGRAM
"$MYRIAD" info | grep -q "compute capability" || { echo "skipped: there is no GPU"; exit 77; }
MYRIAD_GRAPE_BACKEND=cuda exec "$1"
