# Completion of `gantry` for bash: its commands, their options as --help lists them, and files.

# _gantry_offer WORDS: those of WORDS that begin as the word under the cursor does. A word that ends with =
# wants a value at once.
_gantry_offer() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
  [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

_gantry() {
  local gantry=${COMP_WORDS[0]} command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
  local before=${COMP_WORDS[COMP_CWORD - 1]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    _gantry_offer "$("$gantry" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z+-]*\) .*/\1/p')
      --help --version" "$word"
    return
  fi
  # bash makes three words of --clang=22.
  [ "$word" != = ] || { before='=' word=''; }
  if [ "$before" = = ]; then
    case ${COMP_LINE:0:COMP_POINT} in
    *\ --clang="$word") _gantry_offer "22 19" "$word" ;;
    *\ --offload-arch="$word") _gantry_offer "native sm_70 sm_75 sm_80 sm_86 sm_89 sm_90 gfx900 gfx906 gfx90a gfx1030 gfx1100" "$word" ;;
    *\ -foffload="$word") _gantry_offer "cpu nvptx-none cpu,nvptx-none" "$word" ;;
    esac
    return
  fi
  case $command:$word in
  # What the stock compiler knows, and the option that is not its own.
  clang:-* | clang++:-* | flang:-*)
    _gantry_offer "$("$gantry" "$command" --autocomplete="$word" 2>/dev/null | cut -f1)
      $([ "$command" = flang ] || echo --clang=)" "$word"
    ;;
  gcc:-* | g++:-* | gfortran:-*)
    _gantry_offer "$("$gantry" "$command" --completion="$word" 2>/dev/null) -foffload=" "$word"
    ;;
  *:-*)
    _gantry_offer "$("$gantry" "$command" --help 2>/dev/null | sed -n 's/^  \(-.*\)/\1/p' | sed 's/   .*//' |
      grep -oE -- '(^|[ ,])--?[a-zA-Z][a-zA-Z-]*=?' | tr -d ' ,' | sort -u)" "$word"
    ;;
  esac
}
complete -o default -F _gantry gantry
