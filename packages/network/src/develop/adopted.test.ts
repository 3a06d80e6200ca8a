import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@switchyard/protocol';
import { action, defineRollup, query, record, table, u32, u64 } from '@switchyard/rollup';
import { clientOf } from '@switchyard/rollup/client';
import type { AnyRollup } from '@switchyard/rollup/internal';
import { rollupFields, rollupProcess } from '@switchyard/rollup/node';
import { exportDatabase } from '@switchyard/rollup/replay';
import { afterEach, expect, test } from 'vitest';
import { definedRollup } from '../defined-rollup.ts';
import { localNetwork } from '../local-network.ts';

const GENESIS = JSON.stringify({ rollup_name: 'shop' });
const signer = createSigner(new Uint8Array(32).fill(1));

const firstThings = table({ name: 'things', key: u32, value: record({ size: u32 }) });
const first = defineRollup({
  name: 'shop',
  tables: [firstThings],
  actions: {
    put: action({ fields: { id: u32 }, execute: ({ id }, { state }) => firstThings.put(state, id, { size: id }) }),
  },
});

/** The definition after it has grown, without a block. */
const things = table({ name: 'things', key: u32, value: record({ size: u32, price: u64 }) });
const second = defineRollup({
  name: 'shop',
  tables: [things],
  actions: {
    put: action({
      fields: { id: u32, price: u64 },
      execute: ({ id, price }, { state }) => things.put(state, id, { price, size: id }),
    }),
  },
  queries: {
    thing: query({
      parameters: { id: u32 },
      answer: { size: u32, price: u64 },
      handle: ({ id }, { state }) => things.get(state, id),
    }),
  },
});

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

// Defect: `npm start` lost the state at every change of a schema
test('a definition that has grown continues the chain of a network on disk, and one that has shrunk is refused in words', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-adopted-'));
  directories.push(directory);
  let current: AnyRollup = first;
  const lines: string[] = [];
  const process: ReturnType<typeof rollupProcess> = {
    ...{ name: 'shop', fields: rollupFields },
    main: (config, context) =>
      rollupProcess(current, { onAdopted: (line) => void lines.push(line) }).main(config, context),
  };
  const rollup = definedRollup(first, GENESIS, { process });
  const open = () => localNetwork({ rollups: [rollup], directory });
  const secondAt = (network: Awaited<ReturnType<typeof open>>) => {
    const fetch = (url: string, init: RequestInit) => network.fetch('shop', url.replace('http://node', ''), init);
    return clientOf(second, { url: 'http://node', fetch });
  };
  {
    await using network = await open();
    await network.client(rollup.name).submit.put({ id: 1 }, signer);
    const before = await network.client(rollup.name).rollup.status();

    current = second;
    await network.stop('shop');
    await network.start('shop');
    expect(lines).toEqual([
      expect.stringMatching(
        /^from block \d+ on: action put: field price is new and has a default; table things: field price is new/,
      ),
    ]);
    const client = secondAt(network);
    await client.submit.put({ id: 2, price: 7n }, signer);
    await network.client(rollup.name).submit.put({ id: 3 }, signer);
    expect(await client.query.thing({ id: 1 })).toEqual({ size: 1, price: 0n });
    expect(await client.query.thing({ id: 2 })).toEqual({ size: 2, price: 7n });
    expect((await client.rollup.status()).chainId).toBe(before.chainId);
  }
  lines.length = 0;
  {
    await using network = await open();
    expect(await secondAt(network).query.thing({ id: 2 })).toEqual({ size: 2, price: 7n });
    expect(lines).toEqual([]);
  }
  current = first;
  await expect(open()).rejects.toThrow('table things: field price is no more; put it back');
});

test('a network begins with the state that another one has exported, once its file is there', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-exported-'));
  directories.push(directory);
  const [from, to, file] = ['from', 'to', 'state'].map((name) => join(directory, name)) as [string, string, string];
  const rollup = definedRollup(first, GENESIS);
  const open = (genesis: string, place: string) =>
    localNetwork({ rollups: [{ ...rollup, genesis: definedRollup(first, genesis).genesis }], directory: place });
  let stateRoot: string;
  {
    await using network = await open(GENESIS, from);
    await network.client(rollup.name).submit.put({ id: 7 }, signer);
    ({ stateRoot } = await exportDatabase(join(from, 'data', 'shop'), file));
  }
  const genesis = JSON.stringify({ rollup_name: 'shop', state_root: stateRoot });
  const refused = await open(genesis, to).then(
    () => 'nothing',
    (error: unknown) => String(error),
  );
  expect(refused).toMatch(/_genesis\.json\.state: expected the state of the root [0-9a-f]{64}, got no file; put/);
  renameSync(file, /(\/\S+\.state): expected/.exec(refused)?.[1] ?? '');
  for (let start = 0; start < 2; start += 1) {
    await using network = await open(genesis, to);
    const rows = await network.fetch('shop', '/v1/tables/things', {});
    expect(await rows.json()).toMatchObject({ rows: [{ key: [7], value: { size: 7 } }] });
  }
});
