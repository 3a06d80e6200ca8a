import { ACTIONS, type Action, keyLabel } from '../actions.ts';
import type { Model } from '../model.ts';
import { cut, filled, flow } from '../text.ts';
import type { Theme } from '../theme.ts';

interface HelpRow {
  readonly section: Action['section'];
  readonly keys: string;
  readonly words: string;
  readonly help: string;
}

/** A row for each action, or for neighbours that share their text. */
export function helpRows(actions: readonly Action[] = ACTIONS): readonly HelpRow[] {
  const rows: HelpRow[] = [];
  let keys = new Set<string>();
  for (const { name, keys: own, section, help } of actions) {
    const last = rows.at(-1);
    const isSame = last !== undefined && last.help === help && last.section === section;
    if (!isSame) keys = new Set();
    for (const key of own) keys.add(keyLabel(key));
    const words = isSame ? `${last.words} ${name}` : name;
    if (isSame) rows.pop();
    rows.push({ section, keys: [...keys].join(' '), words, help });
  }
  return rows;
}

const NARROW = 64;
/** Columns of a terminal that has room for the words of the command line. */
const WIDE = 110;

/** Every key and what it does. */
export function helpLines({ size: { columns, rows } }: Model, theme: Theme): string[] {
  const all = helpRows();
  const sections = [...new Set(all.map(({ section }) => section))].map(
    (title) => [title, all.filter(({ section }) => section === title)] as const,
  );
  const keyWidth = Math.max(...all.map(({ keys }) => keys.length));
  const wordWidth = columns < WIDE ? 0 : Math.max(...all.map(({ words }) => words.length)) + 2;
  if (columns < NARROW) {
    return sections.flatMap(([title, own]) => [
      theme.bold(title),
      ...own.flatMap(({ keys, help }) => flow([theme.key(keys), ...help.split(' ')], columns, ' ')),
    ]);
  }
  // Titles stand beside the first key where there is no row for each.
  const isLow = rows < 34;
  const lines = sections.flatMap(([title, own]) => [
    ...(isLow ? [] : ['', theme.bold(title)]),
    ...own.map(({ keys, words, help }, index) => {
      const head = isLow ? theme.bold((index === 0 ? title : '').padEnd(8)) : ' ';
      const word = wordWidth === 0 ? '' : theme.dim(filled(words, wordWidth));
      return cut(`${head} ${theme.key(keys.padEnd(keyWidth))}  ${word}${help}`, columns);
    }),
  ]);
  return [
    ...lines.slice(isLow ? 0 : 1),
    ...(isLow ? [] : ['']),
    theme.dim(cut('How it starts is set in tui-config.toml, in the root of all instances.', columns)),
  ];
}
