import type { Model } from '../model.ts';
import { cut, flow } from '../text.ts';
import type { Theme } from '../theme.ts';

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['↑ ↓', 'select a pane; in a full screen scroll, which ends auto-scroll'],
  ['PgUp PgDn', 'scroll by a page'],
  ['Enter', 'open the selected pane in full screen'],
  ['m', 'fold or unfold the selected pane'],
  ['a', 'auto-scroll: follow the newest line, in all panes'],
  ['w', 'wrap long lines, in all panes'],
  ['b', 'in a full screen: without borders, for copying text'],
  ['0 1', 'in a full screen: jump to the head or the tail of the log'],
  ['r', 'restart the selected service; its old process is gone first'],
  ['s', 'stop the selected service, or start it again'],
  ['/', 'search; then n goes to the next match above, N to the next below'],
  ['f', 'filter: a level (error, warn, info, debug) or a regular expression'],
  ['l', 'merged log of all services'],
  ['t', 'the path of the latest transactions, with times'],
  ['i', 'what runs where, the development accounts, and commands to try'],
  ['q Esc', 'back; in the main view q stops everything and ends'],
  ['Ctrl+C', 'stop everything and end, from anywhere'],
];

/** Every key and what it does, in columns where there is room for them. */
export function helpLines({ size: { columns } }: Model, theme: Theme): string[] {
  const title = theme.bold('Keys');
  if (columns < 78) {
    return [title, ...KEYS.flatMap(([keys, meaning]) => flow([theme.bold(keys), ...meaning.split(' ')], columns, ' '))];
  }
  const rows = KEYS.map(([keys, meaning]) => cut(`  ${theme.bold(keys.padEnd(10))} ${meaning}`, columns));
  return [title, ...rows, 'How it starts is set in tui-config.toml, in the root of all instances.'];
}
