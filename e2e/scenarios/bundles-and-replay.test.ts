import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sequencerClient } from '@switchyard/client';
import { decodeRollupData, rollupIdFromName, toHex } from '@switchyard/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, root } from '../support/network.ts';
import { BOB, getAddress } from '../support/submitting.ts';

/** Atomic bundles through the command line, and their blocks executed again, alongside a network that runs. */
let network: Network;
let directory: string;
let block: string;
const ALICE_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const BOB_KEY = 'b70fd3b99cab2d98dbd73602deb026b9cdc9bb7b85d35f0bbb81b17c78923dd0';
const LONG = 'long '.repeat(400);

beforeAll(async () => {
  // Below the repository, so that modules in it find our packages.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  directory = mkdtempSync(join(cache, 'replay-'));
  network = await createNetwork({ isBare: true, hasProcesses: false });
  await network.start();
});

afterAll(async () => {
  await network?.dispose();
  rmSync(directory, { recursive: true, force: true });
});

const switchyard = (...args: string[]) => network.switchyard(...args, '--instance', network.instance);

test('a bundle for two rollups is in one block, and its transaction is executed', async () => {
  const transfer = ['submit', 'transfer', '--amount', '10', getAddress(BOB), '--private-key', ALICE_KEY];
  const signed = await network.rollupCli(...transfer, '--sign-only');
  expect(signed, signed.stderr).toMatchObject({ status: 0 });
  writeFileSync(join(directory, 'pay.hex'), signed.stdout);
  // So long that no line of a log would show its report whole.
  const text = ['submit', 'text', LONG, 'bob', '--private-key', BOB_KEY];
  writeFileSync(join(directory, 'text.hex'), (await network.rollupCli(...text, '--sign-only')).stdout);
  writeFileSync(join(directory, 'other.hex'), '0a0b');
  const entries = [
    `messenger=${join(directory, 'pay.hex')}`,
    `messenger=${join(directory, 'text.hex')}`,
    `elsewhere=${join(directory, 'other.hex')}`,
  ];
  const submitted = await switchyard('bundle', 'submit', ...entries.flatMap((each) => ['--entry', each]), '--json');
  expect(submitted, submitted.stderr).toMatchObject({ status: 0 });
  // The next command compares it.
  const { id, state, height } = JSON.parse(submitted.stdout) as Record<string, string>;
  expect([state, JSON.parse((await switchyard('bundle', 'status', id ?? '', '--json')).stdout)]).toMatchObject([
    'sequenced',
    { id, state: 'sequenced', height },
  ]);
  block = String(height);
  const client = sequencerClient({ rpcUrl: network.url('rpc'), grpcUrl: network.url('grpc') });
  const getData = async (name: string) => {
    const { rollups } = await client.filteredBlock(BigInt(block), rollupIdFromName(name));
    return rollups.flatMap(({ transactions }) => transactions.map(decodeRollupData));
  };
  expect(await getData('elsewhere')).toEqual([{ kind: 'sequencedData', data: Uint8Array.of(10, 11) }]);
  const [paid] = await getData('messenger');
  expect(paid?.kind === 'sequencedData' && `0x${toHex(paid.data)}\n`).toBe(signed.stdout);
  client.close();
});

test('a refused bundle names its entry', async () => {
  writeFileSync(join(directory, 'bad.json'), '[{"rollup":"a","transaction":"0x01"},{"rollup":"b","transaction":"0x"}]');
  expect(await switchyard('bundle', 'submit', join(directory, 'bad.json'))).toMatchObject({
    status: 1,
    stderr: 'the composer refused: empty: problem entry 2 of 2: the data is empty, expected at least 1 byte\n',
  });
});

// Defect: Replay of a block whose report is longer than 2,000 characters ended in "expected JSON"
test('its block is executed again, as it is stored', async () => {
  const ran = await switchyard('replay', '--block', block);
  expect(ran, ran.stderr).toMatchObject({ status: 0 });
  expect(ran.stdout).toMatch(/Hash: [0-9a-f]{64} \(as stored\)\n {2}State root: [0-9a-f]{64} \(as stored\)/);
  expect(ran.stdout).toContain(LONG);
  expect(ran.stdout).toMatch(/Action 0 transfer: 2 writes\n.*"amount":10/);
});

test('other code is compared, and the action that differs is named', async () => {
  const define = (more: string) => `import { messenger } from '${root}/packages/messenger/dist/messenger.js';
const { transfer } = messenger.actions;
const other = { ...transfer, check: (a) => transfer.check(a), execute: (a, c) => transfer.execute(${more}, c) };
export const changed = { ...messenger, actions: { ...messenger.actions, transfer: other } };
`;
  writeFileSync(join(directory, 'same.mjs'), define('a'));
  writeFileSync(join(directory, 'other.mjs'), define('{ ...a, amount: a.amount + 1n }'));
  const range = ['replay', '--from', '1', '--to', block, '--with'];
  const same = await switchyard(...range, join(directory, 'same.mjs'));
  expect(same).toMatchObject({ status: 0, stdout: `${block} blocks: the same with both codes\n` });
  writeFileSync(join(directory, 'none.mjs'), 'setInterval(() => undefined, 1_000);\n');
  expect(await switchyard(...range, join(directory, 'none.mjs'))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('none.mjs: expected one export that defineRollup made, got 0'),
  });
  const other = await switchyard(...range, join(directory, 'other.mjs'));
  expect(other.status).toBe(1);
  expect(other.stderr).toMatch(
    new RegExp(
      `^block ${block}, transaction 0 \\([0-9a-f]{64}\\), action 0 \\(transfer\\): write 0, to accounts/balance/`,
    ),
  );
});
