import type { Tables } from './tables.ts';
import type { Choice } from './tree.ts';

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A pattern of `case`: quoted, but for a `*` at either end. */
function pattern(text: string): string {
  const [, before = '', middle = '', after = ''] = /^(\*?)(.*?)(\*?)$/.exec(text) ?? [];
  return `${before}${middle === '' ? "''" : quote(middle)}${after}`;
}

const choicesOf = (choices: readonly Choice[]) =>
  choices.map(({ word, description }) => quote(`${word}\t${description}`)).join(' ');

function table(name: string, subject: string, rows: readonly string[]): string {
  return `${name}() {\n  case ${subject} in\n${rows.map((row) => `    ${row} ;;\n`).join('')}  esac\n}\n`;
}

const patterns = (list: readonly string[]) => list.map(pattern).join('|');

/**
 * The part that bash and zsh have in common, in the words both understand (of bash, since version 3.2, which macOS has).
 * `PREFIX_look WORD...` finds out what comes after these words: `expect` is the kind of value, or else `reply` has the
 * commands; `flags` has the options.
 */
export function posixTables(prefix: string, tables: Tables): string {
  const kinds = (groups: Tables['values']) =>
    [...groups].map(([kind, list]) => `${patterns(list)}) expect=${quote(kind)}`);
  const lists = (rows: Tables['commands'], variable: string) =>
    rows.map(([path, choices]) => `${pattern(path)}) ${variable}=(${choicesOf(choices)})`);
  return [
    table(`${prefix}_child`, '"$1 $2"', [
      ...[...tables.children].map(([path, list]) => `${patterns(list)}) at=${quote(path)}`),
      '*) count=$((count + 1))',
    ]),
    table(`${prefix}_value`, '"$1 $2"', kinds(tables.values)),
    table(`${prefix}_argument`, '"$1 $2"', kinds(tables.arguments)),
    table(`${prefix}_commands`, '"$1"', lists(tables.commands, 'reply')),
    table(`${prefix}_options`, '"$1"', lists(tables.options, 'flags')),
    `${prefix}_look() {
  local word at= count=0
  expect= only= reply=() flags=()
  for word in "$@"; do
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $expect ]]; then
      expect=
    elif [[ -z $only && $word == '--' ]]; then
      only=1
    elif [[ -z $only && $word == -* ]]; then
      if [[ $word != *=* ]]; then ${prefix}_value "$at" "$word"; fi
    else
      ${prefix}_child "$at" "$word"
    fi
  done
  if [[ -n $expect ]]; then return; fi
  ${prefix}_options "$at"
  ${prefix}_commands "$at"
  if [[ \${#reply[@]} -eq 0 ]]; then ${prefix}_argument "$at" "$count"; fi
}
`,
  ].join('');
}
