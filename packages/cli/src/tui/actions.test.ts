import { describe, expect, test } from 'vitest';
import { ACTIONS, actionFor, keyLabel } from './actions.ts';
import { helpRows } from './frame.ts';
import { createUi } from './testing.ts';
import { hints } from './view/footer.ts';

const SCREENS = { main: '', panes: 'v', full: 'enter', merged: 'l', path: 't', about: 'i', summary: 'o', help: '?' };
const KEYS = [...new Set(ACTIONS.flatMap(({ keys }) => keys))];

test('the help has every action and every key, each with its meaning', () => {
  const rows = helpRows();
  for (const { name, keys, help } of ACTIONS) {
    const row = rows.find((each) => each.words.split(' ').includes(name));
    expect(row?.help).toBe(help);
    for (const key of keys) expect(row?.keys.split(' ')).toContain(keyLabel(key));
  }
  expect(rows.every(({ help }) => help !== '')).toBe(true);
});

test('every key with an effect is in the help, and others have none', () => {
  const inHelp = new Set(helpRows().flatMap(({ keys }) => keys.split(' ')));
  const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  for (const open of Object.values(SCREENS)) {
    for (const key of characters) {
      const ui = createUi().ready().lines('sequencer', 50);
      if (open !== '') ui.press(open);
      const before = ui.model;
      ui.press(key);
      const isSame = JSON.stringify({ ...ui.model, now: 0 }) === JSON.stringify({ ...before, now: 0 });
      if (!isSame || ui.effects.length > 0) expect(inHelp).toContain(keyLabel(key));
    }
  }
});

test('every action has a key that means it on some screen, or is a word only', () => {
  const meant = new Set<string>(['go']);
  for (const open of Object.values(SCREENS)) {
    const ui = createUi().ready();
    if (open !== '') ui.press(open);
    for (const key of KEYS) meant.add(actionFor(ui.model, key) ?? '');
  }
  const down = createUi();
  down.take({ kind: 'status', services: [{ name: 'sequencer', state: 'stopped', restarts: 0 }] });
  meant.add(actionFor(down.model, 's') ?? '');
  for (const { name } of ACTIONS) expect(meant).toContain(name);
});

describe.each(Object.entries(SCREENS))('the hints of the %s screen', (_, open) => {
  test('name keys that mean something there', () => {
    const ui = createUi()
      .ready()
      .lines('sequencer', 3, () => 'GET /healthz 200');
    if (open !== '') ui.press(open);
    const labels = new Map(KEYS.map((key) => [keyLabel(key), key]));
    for (const { key: shown } of hints(ui.model)) {
      for (const label of shown === '/' ? ['/'] : shown.split('/')) {
        const key = labels.get(label);
        expect([label, key === undefined ? undefined : actionFor(ui.model, key)]).toEqual([label, expect.any(String)]);
      }
    }
  });
});
