# show_progress WHAT LOG: copies the output of a command to LOG and says how far it is, which the command's
# lines begin with, as in [12/345]: in one line that changes on a terminal, in a line for each tenth
# elsewhere. To be sourced.
show_progress() {
  local what=$1 log=$2 line count total tenth shown=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[\ *([0-9]+)/([0-9]+)\] ]] || continue
    count=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    tenth=$((10 * count / total))
    if [ -t 1 ]; then
      printf '\r\033[K%s: %s of %s' "$what" "$count" "$total"
    elif [ $tenth -gt $shown ] && [ "$total" -ge 100 ]; then
      echo "$what: $count of $total"
      shown=$tenth
    fi
  done
  [ ! -t 1 ] || printf '\r\033[K'
}
