#!/bin/sh -e
# check_ir.sh OPT PLUGIN FILECHECK FILE: runs the passes that FILE names in its first line over it.
passes=$(sed -n '1s/^; passes: //p' "$4")
"$1" -load-pass-plugin="$2" -passes="$passes" -verify-each -S "$4" -o - | "$3" "$4"
