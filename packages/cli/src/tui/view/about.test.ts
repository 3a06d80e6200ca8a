import { describe, expect, test } from 'vitest';
import { type Running, toOverview } from '../../dev/status/overview.ts';
import { NO_FACTS } from '../../dev/status/transactions.ts';
import { aboutItems } from '../about-items.ts';
import type { AboutItem } from '../model.ts';
import { createUi } from '../testing.ts';
import { measureWidth } from '../text.ts';

const key = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';

function opened(items: readonly AboutItem[], columns = 80, rows = 40) {
  const ui = createUi({ size: { columns, rows } }).press('i');
  ui.take({ kind: 'about', items });
  return ui;
}

const overview = {
  ...{ instance: 'a', directory: '/a', network: 'local', pid: 1, startPage: 'http://127.0.0.1:3000' },
  services: [
    {
      ...{ name: 'rollup', version: 'v1', pid: 7, state: 'ready' },
      listens: [{ use: 'HTTP API', url: 'http://127.0.0.1:3030', port: 3_030 }],
    },
  ],
  sequencer: { chainId: 'c', rpc: 'http://127.0.0.1:26657', grpc: '', height: 1 },
  rollup: { name: 'messenger', url: 'http://127.0.0.1:3030', height: 1 },
  evm: { name: 'evm', url: 'http://127.0.0.1:8545', chainId: 1337, height: 1 },
};
const programs = { switchyard: 'npx switchyard', rollupCli: 'npx rollup-cli' };

// Defect: Suggested command of two rows could not be copied
test('a command wraps between its arguments, and a shell takes its rows for one line', () => {
  const value = `npx rollup-cli submit text "hello you" alice --home '/tmp/a home' --private-key ${key}`;
  for (let columns = 80; columns < 130; columns += 1) {
    const rows = opened([{ kind: 'command', value }], columns).rows();
    const from = rows.findIndex((row) => row.includes('npx'));
    const wrapped = rows.slice(from, from + 3).map((row) => row.trimEnd());
    expect(wrapped.every((row) => row.length <= columns)).toBe(true);
    expect(
      wrapped
        .join('\n')
        .replaceAll(/ \\\n +/g, ' ')
        .trim(),
    ).toBe(value);
    for (const argument of [key, '"hello you"', "'/tmp/a home'"])
      expect(wrapped.some((row) => row.includes(argument))).toBe(true);
  }
});

test('a fact that is longer than the screen continues below its beginning, in terminals of any width', () => {
  const ui = opened([{ kind: 'fact', label: 'alice', value: key, note: 'private key' }]);
  expect(ui.text()).toMatch(new RegExp(`^  alice  ${key} *\n         private key *$`, 'm'));
  for (let columns = 1; columns < 100; columns += 1) {
    const rows = ui.resize(columns, 60).rows();
    for (const row of rows) expect(measureWidth(row)).toBeLessThanOrEqual(columns);
    if (columns >= 8) expect(rows.join('').replaceAll(/\s/g, '')).toContain(key);
  }
});

describe('what can be copied', () => {
  const items = aboutItems(overview, programs);

  test('y copies the selected URL, command or key whole, and the footer confirms it', () => {
    const ui = opened(items).press('y');
    expect(ui.effects.at(-1)).toEqual({ kind: 'copy', text: 'http://127.0.0.1:3000' });
    expect(ui.rows().at(-1)).toMatch(/^http:\/\/127\.0\.0\.1:3000 copied/);
    expect(ui.press('up').rows().at(-1)).toMatch(/^↑/);
    const values = items.flatMap((item) => (item.kind === 'title' ? [] : [item.value]));
    ui.press(...values.map(() => 'down'), 'y');
    expect(ui.effects.at(-1)).toEqual({ kind: 'copy', text: values.at(-1) });
    ui.press(...values.map(() => 'up'));
    for (const value of values) {
      ui.press('y', 'down');
      expect(ui.effects.at(-1)).toEqual({ kind: 'copy', text: value });
    }
    expect(values).toContain(`npx rollup-cli submit text "hello" alice --private-key ${key}`);
  });

  test('the selected one is on the screen, whatever its size', () => {
    const values = items.flatMap((item) => (item.kind === 'title' ? [] : [item.value]));
    for (const rows of [12, 24]) {
      const ui = opened(items, 80, rows);
      for (const value of values) {
        expect(ui.text().replaceAll(/ (\\)? *\n +/g, ' ')).toContain(value.slice(0, 50));
        ui.press('down');
      }
    }
  });
});

// Defect: Terminal UI showed the heights of the start as current
test('heights are those of now', () => {
  const running = {
    ...{
      instance: { paths: { name: 'a', directory: '/a' }, network: { sequencerChainId: 'c', rollupName: 'messenger' } },
      services: [],
    },
    supervisor: { status: () => [] },
  } as unknown as Running; // what an overview needs of it
  const rollups = [
    { kind: 'messenger', id: 'm', name: 'messenger', height: 950 },
    { kind: 'evm', id: 'e', name: 'evm', height: 951 },
  ] as const;
  const items = aboutItems(toOverview(running, { ...NO_FACTS, sequencerHeight: 952, rollups }), programs);
  const getNote = (label: string) =>
    items.flatMap((item) => (item.kind === 'fact' && item.label === label ? item.note : []))[0];
  expect(['sequencer', 'EVM rollup'].map(getNote)).toEqual(['block 952', 'block 951']);
});
