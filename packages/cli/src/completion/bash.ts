import { posixTables } from './posix.ts';
import type { Tables } from './tables.ts';

/** For bash, from 3.2 on. */
export function bashScript(program: string, tables: Tables): string {
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
