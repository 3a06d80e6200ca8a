import { getHealth, type HealthItem } from '../health.ts';
import type { Model } from '../model.ts';
import { cut, filled, flow, wrap } from '../text.ts';
import { PLAIN, type Theme } from '../theme.ts';
import { gist } from './log-lines.ts';

const ORDER = { bad: 0, pending: 1, good: 2 } as const;
/** Words that do not need a colour. */
const STATES = { bad: 'FIX', pending: 'look', good: 'ok' } as const;

/** One row: problems first, with their remedies. */
export function summaryLine(model: Model, theme: Theme): string {
  // The title has that all services are ready.
  const worth = getHealth(model).filter(({ name, state }) => name !== 'services' || state === 'bad');
  const items = worth.toSorted((a, b) => ORDER[a.state] - ORDER[b.state]);
  const [row = ''] = flow(
    items.map((item) => itemText(item, theme)),
    model.size.columns,
  );
  return row;
}

function itemText({ state, text, toDo }: HealthItem, theme: Theme): string {
  if (state === 'good') return theme.good(text);
  return theme[state](text) + (toDo === undefined ? '' : `: ${toDo}`);
}

const [NAME, STATE] = [13, 5];

/** An item in each row, with advice below. */
export function summaryLines(model: Model, theme: Theme): string[] {
  const { columns } = model.size;
  const room = Math.max(1, columns - NAME - STATE - 1);
  const getRows = ({ name, state, text, toDo }: HealthItem) => {
    const lines = [...wrap(text, room), ...(toDo === undefined ? [] : wrap(toDo, room))];
    return lines.map((line, index) => {
      const [label, word] = index === 0 ? [name, STATES[state]] : ['', ''];
      const paint = index === 0 ? theme[state] : (same: string) => same;
      return cut(` ${theme.dim(filled(label, NAME))}${paint(filled(word, STATE))}${paint(line)}`, columns);
    });
  };
  const { lastError } = model;
  return [
    ...getHealth(model).flatMap(getRows),
    ...(lastError === undefined
      ? []
      : ['', ...wrap(gist({ ...lastError, kind: 'output' }, PLAIN), Math.max(1, columns - 1)).map((row) => ` ${row}`)]),
  ];
}
