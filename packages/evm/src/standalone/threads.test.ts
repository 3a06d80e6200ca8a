import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { code } from '@switchyard/evm-machine/testing';
import { toWord } from '@switchyard/protocol/ethereum';
import { afterEach, expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { bundledWorker } from '../testing/bundled-worker.ts';
import { CONSOLE } from './activity/console.ts';
import { startTestNode } from './testing/start.ts';

const program = await bundledWorker('standalone/worker.js');
const CONTRACT = `0x${'c0'.repeat(20)}`;
const [from] = DEV_ACCOUNTS.map(({ address }) => address);
const word = (hex: string) => hex.padStart(64, '0');

let node: Awaited<ReturnType<typeof startTestNode>> | undefined;
afterEach(() => node?.stop());
async function start(env: Readonly<Record<string, string>>) {
  node = await startTestNode(env, program);
  return node;
}

/** Makes an own answer too long for the first thread, and returns slot 1, its balance, and the time and number of the block. */
const SHOWS = code(
  ...Array.from({ length: 200 }, () => ({ raw: `0x7f${'ff'.repeat(32)}` as const })),
  ...[{ raw: '0x6001545f52' } as const, { raw: '0x4760205242604052436060526080' } as const, { raw: '0x5ff3' } as const],
);

test.each([
  ['in memory', () => ({})],
  ['on disk', () => ({ SVC_EVM_STANDALONE_STATE_DIR: mkdtempSync(join(tmpdir(), 'evm-dev-')) })],
])('a thread sees a chain %s as the node does: after blocks, edits and ways back', async (_, env) => {
  const { call } = await start(env());
  const compare = async (...block: readonly string[]) => {
    const [here, there] = [
      await call('eth_call', { to: CONTRACT }, ...block),
      Object(await call('debug_traceCall', { to: CONTRACT }, block[0] ?? 'latest', {})),
    ];
    expect([block, there.returnValue, there.structLogs.length > 200]).toEqual([block, here, true]);
  };
  await call('anvil_setCode', CONTRACT, SHOWS);
  await compare();
  await call('anvil_setBalance', CONTRACT, '0x1234');
  await compare();
  const snapshot = await call('evm_snapshot');
  await call('anvil_setStorageAt', CONTRACT, '0x1', toWord(7n));
  await call('evm_setNextBlockTimestamp', 4_000_000_000);
  await compare('pending');
  await call('evm_mine');
  await compare();
  const hash = await call('eth_sendTransaction', { from, to: CONTRACT, value: '0x1' });
  await compare('0x1');
  await compare();
  const { returnValue } = Object(await call('debug_traceTransaction', hash));
  expect(returnValue).toBe(await call('eth_call', { to: CONTRACT }));
  await call('evm_revert', snapshot);
  await compare();
  await call('anvil_setBalance', CONTRACT, '0x9');
  await call('evm_mine');
  await compare();
});

// Defect: `evm dev` answered calls in its one thread
test('calls that take long do not hold up what is short, and print what they print', async () => {
  const { call, ask, lines } = await start({
    SVC_EVM_STANDALONE_RPC_GAS_CAP: '10000000000',
    SVC_EVM_STANDALONE_CALL_TIMEOUT_MS: '1500',
  });
  await call('anvil_setCode', CONTRACT, code('jumpdest', 0, 'jump'));
  let ended = 0;
  const long = Array.from({ length: 4 }, async () => {
    const answer = await ask('eth_call', { to: CONTRACT });
    ended += 1;
    return answer;
  });
  // The first of them is under way when this is answered.
  await call('eth_blockNumber');
  await call('eth_blockNumber');
  expect(ended).toBe(0);
  for (const { error } of await Promise.all(long)) expect(error?.message).toContain('execution aborted');

  // STATICCALL of the console with the data of the call, then a loop of 30,000 rounds.
  await call('anvil_setCode', CONTRACT, `0x365f5f375f5f365f73${CONSOLE.slice(2)}5afa5061ffff5b600190038060235700`);
  const data = `0x41304fac${word('20')}${word('5')}${Buffer.from('hello').toString('hex').padEnd(64, '0')}`;
  const before = lines.length;
  await call('eth_call', { to: CONTRACT, data });
  expect(lines.slice(before)).toMatchObject([
    { line: 'hello', msg: 'console.log' },
    { method: 'eth_call', to: CONTRACT, msg: 'call executed' },
  ]);
});
