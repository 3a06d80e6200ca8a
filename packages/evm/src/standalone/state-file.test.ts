import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { startTestNode } from './testing/start.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'state-'));
  file = join(directory, 'state.json');
});
afterEach(() => rm(directory, { recursive: true }));

const start = () => startTestNode({ SVC_EVM_STANDALONE_STATE_FILE: file });

const [from, to] = DEV_ACCOUNTS.map(({ address }) => address);
const CONTRACT = `0x${'c0'.repeat(20)}`;
const SLOT = `0x${'5'.padStart(64, '0')}`;
const WORD = `0x${'4d'.padStart(64, '0')}`;

/** A state with one contract, with the members that anvil 1.0 writes. */
const ANVIL = {
  block: {
    ...{ number: 2, beneficiary: `0x${'00'.repeat(20)}`, timestamp: 4_000_000_000, gas_limit: 30_000_000 },
    ...{ basefee: 875_175_000, difficulty: '0x0', prevrandao: `0x${'db'.repeat(32)}` },
  },
  accounts: { [CONTRACT]: { nonce: 1, balance: '0x7', code: '0x6005545f5260205ff3', storage: { '0x5': '0x4d' } } },
  best_block_number: 2,
  blocks: [{ header: { number: '0x2' }, transactions: [], ommers: [] }],
  transactions: [],
};

async function getAccounts(node: Awaited<ReturnType<typeof start>>) {
  return {
    sent: [await node.call('eth_getTransactionCount', from, 'latest'), await node.call('eth_getBalance', to, 'latest')],
    code: await node.call('eth_getCode', CONTRACT, 'latest'),
    slot: await node.call('eth_getStorageAt', CONTRACT, SLOT, 'latest'),
    called: await node.call('eth_call', { to: CONTRACT }, 'latest'),
  };
}

test('the accounts of one run are those that the next begins with, at no earlier time', async () => {
  const first = await start();
  await first.call('eth_sendTransaction', { from, to, value: '0x7' });
  await first.call('anvil_setCode', CONTRACT, ANVIL.accounts[CONTRACT]?.code);
  await first.call('anvil_setStorageAt', CONTRACT, SLOT, WORD);
  await first.call('evm_increaseTime', 1_000_000);
  await first.call('evm_mine');
  const [before, { timestamp }] = [
    await getAccounts(first),
    (await first.call('eth_getBlockByNumber', 'latest', false)) as { timestamp: string },
  ];
  await first.stop();
  expect(await readdir(directory)).toEqual(['state.json']);
  const second = await start();
  expect(await getAccounts(second)).toEqual(before);
  await second.call('anvil_reset');
  expect(await getAccounts(second)).toEqual(before);
  await second.call('evm_mine');
  const block = (await second.call('eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
  expect(Number(block.timestamp)).toBeGreaterThanOrEqual(Number(timestamp));
  expect(await getAccounts(second)).toEqual(before);
  await second.stop();
});

test("a state of anvil's is loaded, with a warning about its blocks, and its time continues", async () => {
  await writeFile(file, JSON.stringify(ANVIL));
  const node = await start();
  expect(await getAccounts(node)).toMatchObject({ slot: WORD, called: WORD });
  expect(node.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: expect.stringContaining('are not loaded') }),
  );
  await node.call('evm_mine');
  const block = (await node.call('eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
  expect(Number(block.timestamp)).toBeGreaterThanOrEqual(4_000_000_000);
  await node.stop();
  expect(JSON.parse(await readFile(file, 'utf8')).accounts[CONTRACT]).toEqual({
    ...ANVIL.accounts[CONTRACT],
    storage: { [SLOT]: WORD },
  });
});

const whole = JSON.stringify(ANVIL);
test.each([
  ['cut in the middle', whole.slice(0, whole.length / 2)],
  ['empty', ''],
  ['of another tool', JSON.stringify({ alloc: ANVIL.accounts })],
  ['of another version, with accounts in a list', JSON.stringify({ ...ANVIL, accounts: [CONTRACT] })],
  ['of another version, with balances elsewhere', JSON.stringify({ accounts: { [CONTRACT]: { nonce: 1 } } })],
  [
    'of another version, with other slots',
    whole.replace('"0x5":"0x4d"', `"0x${'5'.repeat(65)}":"0x4d","0x${'6'.repeat(65)}":"0x4d"`),
  ],
])('a file that is %s is refused in one line, and not changed', async (_, text) => {
  await writeFile(file, text);
  const failed = await start().catch((error: Error) => `${error.name}: ${error.message}`);
  expect(failed).toMatch(/^InvalidConfig: SVC_EVM_STANDALONE_STATE_FILE: expected a state as anvil writes it/);
  expect(failed).not.toContain('\n');
  expect(await readFile(file, 'utf8')).toBe(text);
  expect(await readdir(directory)).toEqual(['state.json']);
});

test('a place that cannot be written is refused before anything is done', async () => {
  file = join(directory, 'absent', 'state.json');
  await expect(start()).rejects.toThrow('expected a file that can be written');
});
