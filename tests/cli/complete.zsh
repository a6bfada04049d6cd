#!/usr/bin/env zsh
# SPDX-License-Identifier: Apache-2.0
# complete.zsh FOLDER LINE...: what a shell with FOLDER's completions makes of each LINE after TAB.
zmodload zsh/zpty
folder=${1:A}
shift
zpty shell zsh -f -i
zpty -w shell "PS1='' PROMPT=''; unsetopt zle_bracketed_paste; fpath=($folder \$fpath)"
zpty -w shell "autoload -Uz compinit; compinit -u -D; echo rea''dy"
while zpty -r shell line; do [[ $line == *ready* ]] && break; done
for typed in "$@"; do
  # ^A puts the cursor at the start: "echo <<" then shows the completed line between brackets.
  zpty -n -w shell "$typed"$'\t'
  zpty -n -w shell $'\C-a'"echo 'made<'"$'\C-e'"'>'"$'\n'
  while zpty -r shell line; do [[ $line == *made\<* && $line != *echo* ]] && break; done
  print -r -- "$line"
done
zpty -d shell
