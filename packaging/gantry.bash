# Completion of `gantry` for bash.
_gantry() {
  local command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(gantry --help | sed -n '/^Commands:/,/^$/s/^  \([a-z+]*\) .*/\1/p')
      --help --version" -- "$word")
    return
  fi
  case $command:$word in
  clang:--clang* | clang++:--clang*) mapfile -t COMPREPLY < <(compgen -W "--clang=22 --clang=19" -- "$word") ;;
  clang:* | clang++:* | gcc:* | g++:* | gfortran:*) ;;
  *:-*)
    mapfile -t COMPREPLY < <(compgen -W "$(gantry "$command" --help 2>/dev/null |
      grep -oE -- '(^|[ ,])--?[a-zA-Z][a-zA-Z-]*' | tr -d ' ,' | sort -u)" -- "$word")
    ;;
  esac
}
complete -o default -F _gantry gantry
