import { posixTables } from './posix.ts';
import type { Tables } from './tables.ts';
import type { Choice } from './tree.ts';

/** The script of each shell, for a program and the tables of its commands. */
export const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** For bash, from 3.2 on. */
function bashScript(program: string, tables: Tables): string {
  const prefix = `_${program.replaceAll('-', '_')}`;
  return `# Completion of ${program} for bash. To have it in every shell: echo 'source <(${program} completion bash)' >> ~/.bashrc
${posixTables(prefix, tables)}
${prefix}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} expect only reply flags line
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  if [[ $cur == '=' ]]; then cur=; fi
  COMPREPLY=()
  ${prefix}_look "\${before[@]}"
  if [[ -z $only && $cur == -* && \${#flags[@]} -gt 0 ]]; then expect= reply=("\${flags[@]}"); fi
  case $expect in
    '' | any) ;;
    words:*) for line in \${expect#words:}; do reply+=("$line"); done ;;
    file | directory)
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do reply+=("$line"); done < <(compgen -"\${expect:0:1}" -- "$cur")
      ;;
    *) while IFS= read -r line; do reply+=("$line"); done < <(${program} __complete "$expect" -- "\${before[@]}" 2>/dev/null) ;;
  esac
  for line in "\${reply[@]}"; do
    line=\${line%%$'\\t'*}
    if [[ $line == "$cur"* ]]; then COMPREPLY+=("$line"); fi
  done
}
complete -F ${prefix} ${program}
`;
}

/** For zsh, sourced or as a file `_PROGRAM` in the function path. */
function zshScript(program: string, tables: Tables): string {
  const prefix = `_${program.replaceAll('-', '_')}`;
  return `#compdef ${program}
# Completion of ${program} for zsh. To have it in every shell: echo 'source <(${program} completion zsh)' >> ~/.zshrc
${posixTables(prefix, tables)}
${prefix}() {
  local expect only line
  local -a reply flags names texts before
  before=("\${(@)words[2,CURRENT-1]}")
  ${prefix}_look "\${before[@]}"
  if [[ -z $only && $PREFIX == --*=* ]]; then
    ${prefix}_look "\${before[@]}" "\${PREFIX%%=*}"
    compset -P '*='
  elif [[ -z $only && $PREFIX == -* && \${#flags} -gt 0 ]]; then
    expect= reply=("\${flags[@]}")
  fi
  case $expect in
    '') ;;
    any) return 1 ;;
    words:*) reply=(\${=expect#words:}) ;;
    file) _files; return ;;
    directory) _files -/; return ;;
    *) while IFS= read -r line; do reply+=("$line"); done < <(${program} __complete "$expect" -- "\${before[@]}" 2>/dev/null) ;;
  esac
  for line in "\${reply[@]}"; do
    names+=("\${line%%$'\\t'*}")
    if [[ $line == *$'\\t'* ]]; then texts+=("\${line%%$'\\t'*}  -- \${line#*$'\\t'}"); else texts+=("$line"); fi
  done
  compadd -l -d texts -a names
}
if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit; fi
if [[ $funcstack[1] == ${prefix} ]]; then ${prefix} "$@"; else compdef ${prefix} ${program}; fi
`;
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const patterns = (list: readonly string[]) => list.map(quote).join(' ');
const choicesOf = (choices: readonly Choice[]) =>
  choices.map(({ word, description }) => quote(`${word}\t${description}`)).join(' ');

function table(name: string, rows: readonly (readonly [test: string, action: string])[]): string {
  const cases = rows.map(([test, action]) => `    case ${test}\n      ${action}\n`).join('');
  return `function ${name}\n  switch "$argv[1]"\n${cases}  end\nend\n`;
}

/** For fish, from 3.0 on. */
function fishScript(program: string, tables: Tables): string {
  const prefix = `__${program.replaceAll('-', '_')}`;
  const kinds = (groups: Tables['values']) =>
    [...groups].map(([kind, list]): [string, string] => [patterns(list), `echo ${quote(kind)}`]);
  const lists = (rows: Tables['commands']) =>
    rows.map(([path, choices]): [string, string] => [quote(path), `printf '%s\\n' ${choicesOf(choices)}`]);
  return `# Completion of ${program} for fish. To have it in every shell:
#   ${program} completion fish > ~/.config/fish/completions/${program}.fish
${table(
  `${prefix}_child`,
  [...tables.children].map(([path, list]) => [patterns(list), `echo ${quote(path)}`]),
)}${table(`${prefix}_value`, kinds(tables.values))}${table(`${prefix}_argument`, kinds(tables.arguments))}${table(
  `${prefix}_commands`,
  lists(tables.commands),
)}${table(`${prefix}_options`, lists(tables.options))}
function ${prefix}_complete
  set -l before (commandline -opc)[2..-1]
  set -l cur (commandline -ct)
  set -l at ''
  set -l count 0
  set -l only ''
  set -l expect ''
  for word in $before
    if test -n "$expect"
      set expect ''
    else if test -z "$only"; and test "$word" = --
      set only 1
    else if test -z "$only"; and string match -q -- '-*' $word
      if not string match -q -- '*=*' $word
        set expect (${prefix}_value "$at $word")
      end
    else if set -l child (${prefix}_child "$at $word"); and test -n "$child"
      set at $child
    else
      set count (math $count + 1)
    end
  end
  set -l start ''
  if test -z "$only$expect"
    if string match -q -- '--*=*' $cur
      set -l parts (string split -m 1 = -- $cur)
      set expect (${prefix}_value "$at $parts[1]")
      set start "$parts[1]="
      set cur $parts[2]
    else if string match -q -- '-*' $cur
      ${prefix}_options $at
      return
    end
  end
  if test -z "$expect"
    set -l commands (${prefix}_commands "$at")
    if test (count $commands) -gt 0
      printf '%s\\n' $commands
      return
    end
    set expect (${prefix}_argument "$at $count")
  end
  switch "$expect"
    case '' any
    case 'words:*'
      printf "$start%s\\n" (string split ' ' -- (string replace 'words:' '' -- $expect))
    case file
      __fish_complete_path "$cur" | string replace -r '^' -- "$start"
    case directory
      __fish_complete_directories "$cur" '' | string replace -r '^' -- "$start"
    case '*'
      ${program} __complete $expect -- $before 2>/dev/null | string replace -r '^' -- "$start"
  end
end
complete -c ${program} -e
complete -c ${program} -f -a '(${prefix}_complete)'
`;
}
