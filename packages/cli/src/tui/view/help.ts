import type { Model } from '../model.ts';
import { cut, flow } from '../text.ts';
import type { Theme } from '../theme.ts';

type Keys = readonly (readonly [keys: string, meaning: string])[];

/** Every key, by what it is for. */
const SECTIONS: Readonly<Record<string, Keys>> = {
  Services: [
    ['↑ ↓ j k', 'select a service; in a log, scroll'],
    ['Enter Tab', 'the whole log of the selected service'],
    ['r', 'restart it; its old process is gone first'],
    ['s', 'stop it, or start it again'],
    ['v', 'the main view: a list, or a log for each service'],
    ['m', 'there: fold or unfold the selected log'],
  ],
  Logs: [
    ['PgUp PgDn', 'scroll by a page; the other logs are still followed'],
    ['Home End', 'the first line; the newest line, and follow'],
    ['0 1', 'in a whole log: its head, its tail, and pause'],
    ['a Space', 'follow the newest line of this log, or pause'],
    ['/ n N', 'search; the next match above; the next below'],
    ['f', 'filter: a level (error, warn, info, debug) or an expression'],
    ['w T b', 'wrap long lines; times; whole logs without borders'],
    ['c', 'copy the log, or the hash of a transaction'],
  ],
  Views: [
    ['l', 'the logs of all services as one'],
    ['t', 'the latest transactions; Enter: details'],
    ['i', 'what runs where, development accounts, commands to try'],
    ['q Esc', 'back; in the main view q stops everything and ends'],
    ['Ctrl+C', 'stop everything and end, from anywhere'],
  ],
};

const NARROW = 64;

/** Every key and what it does. */
export function helpLines({ size: { columns, rows } }: Model, theme: Theme): string[] {
  const sections = Object.entries(SECTIONS);
  if (columns < NARROW) {
    return sections.flatMap(([title, keys]) => [
      theme.bold(title),
      ...keys.flatMap(([key, meaning]) => flow([theme.key(key), ...meaning.split(' ')], columns, ' ')),
    ]);
  }
  // Titles stand beside the first key where there is no row for each.
  const isLow = rows < 30;
  const lines = sections.flatMap(([title, keys]) => [
    ...(isLow ? [] : ['', theme.bold(title)]),
    ...keys.map(([key, meaning], index) => {
      const head = isLow ? theme.bold((index === 0 ? title : '').padEnd(9)) : ' ';
      return cut(`${head} ${theme.key(key.padEnd(9))}  ${meaning}`, columns);
    }),
  ]);
  return [
    ...lines.slice(isLow ? 0 : 1),
    ...(isLow ? [] : ['']),
    theme.dim('How it starts is set in tui-config.toml, in the root of all instances.'),
  ];
}
