import { posixTables } from './posix.ts';
import type { Tables } from './tables.ts';

/** For zsh, sourced or as a file `_PROGRAM` in the function path. */
export function zshScript(program: string, tables: Tables): string {
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
