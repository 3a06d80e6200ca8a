/** The script of each shell: it asks the program for the candidates of the last word, and the shell itself for files. */
export const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

const toName = (program: string) => `_${program.replaceAll('-', '_')}`;

/** For bash, from 3.2 on, which macOS has. It splits an option at its `=`. */
function bashScript(program: string): string {
  const name = toName(program);
  return `# Completion of ${program} for bash. To have it in every shell: echo 'source <(${program} completion bash)' >> ~/.bashrc
${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} line path
  if [[ $cur == '=' ]]; then cur=; fi
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    case $line in
      :file | :directory)
        compopt -o filenames 2>/dev/null
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -"\${line:1:1}" -- "$cur")
        ;;
      "$cur"*) COMPREPLY+=("$line") ;;
    esac
  done < <(${program} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null)
}
complete -F ${name} ${program}
`;
}

/** For zsh, sourced or as a file `_PROGRAM` in the function path. */
function zshScript(program: string): string {
  const name = toName(program);
  return `#compdef ${program}
# Completion of ${program} for zsh. To have it in every shell: echo 'source <(${program} completion zsh)' >> ~/.zshrc
${name}() {
  local line
  local -a lines names texts
  lines=("\${(@f)$(${program} __complete -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
  case $lines[1] in
    '') return 1 ;;
    :file) _files; return ;;
    :directory) _files -/; return ;;
  esac
  for line in "\${lines[@]}"; do
    names+=("\${line%%$'\\t'*}")
    if [[ $line == *$'\\t'* ]]; then texts+=("\${line%%$'\\t'*}  -- \${line#*$'\\t'}"); else texts+=("$line"); fi
  done
  compadd -l -d texts -a names
}
if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit; fi
if [[ $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
}

/** For fish, from 3.0 on. */
function fishScript(program: string): string {
  const name = `_${toName(program)}_complete`;
  return `# Completion of ${program} for fish. To have it in every shell:
#   ${program} completion fish > ~/.config/fish/completions/${program}.fish
function ${name}
  set -l cur (commandline -ct)
  set -l start (string match -r -- '^--[^=]*=' "$cur")
  set -l path (string replace -- "$start" '' "$cur")
  for line in (${program} __complete -- (commandline -opc)[2..-1] "$cur" 2>/dev/null)
    switch $line
      case :file
        __fish_complete_path "$path" | string replace -r '^' -- "$start"
      case :directory
        __fish_complete_directories "$path" '' | string replace -r '^' -- "$start"
      case '*'
        echo "$start$line"
    end
  end
end
complete -c ${program} -e
complete -c ${program} -f -a '(${name})'
`;
}
