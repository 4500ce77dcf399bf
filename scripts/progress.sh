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

# show_tests WHAT LOG: copies the output of ctest to LOG and shows it: on a terminal one line that changes says
# which test has just ended, and what has not passed is printed; elsewhere everything is.
show_tests() {
  local what=$1 log=$2 line
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    if [ ! -t 1 ]; then
      printf '%s\n' "$line"
    elif [[ $line =~ ^\ *([0-9]+)/([0-9]+)\ Test\ .*:\ ([^ ]+)\ .*\ Passed ]]; then
      printf '\r\033[K%.*s' "${COLUMNS:-80}" "$what: ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}: ${BASH_REMATCH[3]}"
    elif ! [[ $line =~ ^\ *Start\ +[0-9]+: ]]; then
      printf '\r\033[K%s\n' "$line"
    fi
  done
}

# show_percentage WHAT LOG: the same for apt-get with APT::Status-Fd=1, whose lines say how far it is, as in
# pmstatus:clang-22:41.3793:Unpacking clang-22 (amd64).
show_percentage() {
  local what=$1 log=$2 line tenth shown=0
  while IFS= read -r line; do
    if ! [[ $line =~ ^(dl|pm)status:[^:]*:([0-9]+)[^:]*:(.*)$ ]]; then
      printf '%s\n' "$line" >>"$log"
      continue
    fi
    tenth=$((BASH_REMATCH[2] / 10))
    if [ -t 1 ]; then
      printf '\r\033[K%.*s' "${COLUMNS:-80}" "$what: ${BASH_REMATCH[2]} %: ${BASH_REMATCH[3]}"
    elif [ $tenth -gt $shown ]; then
      echo "$what: ${BASH_REMATCH[2]} %: ${BASH_REMATCH[3]}"
      shown=$tenth
    fi
  done
  [ ! -t 1 ] || printf '\r\033[K'
}
