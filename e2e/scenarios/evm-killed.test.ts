import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAIN_ID, devAddress, devKey } from '../support/evm.ts';
import { createNetwork, type Network, until } from '../support/network.ts';

/** Any process may be killed at any moment: a transaction that was acknowledged is executed, also one behind a gap. */
let network: Network;

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'evm'], isBare: true });
  await network.switchyard('dev', 'setconfig', 'blockinterval', '100', '--instance', network.instance);
  await network.start();
});

afterAll(() => network?.dispose());

const KILLED = ['evm', 'composer', 'conductor', 'sequencer'] as const;
const WRITERS = 4;

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

async function rpc(method: string, ...params: readonly unknown[]): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(20_000);
  const response = await fetch(network.url('evm'), { method: 'POST', headers, body, signal });
  // The node answers with JSON-RPC, or the test fails.
  return (await response.json()) as Answer;
}

/** Sends until the node acknowledges it, through refused connections and lost answers. */
async function send(raw: Hex): Promise<void> {
  for (;;) {
    const { result, error } = await rpc('eth_sendRawTransaction', raw).catch(() => ({}) as Answer);
    if (result !== undefined) return;
    const message = error?.message ?? 'no answer';
    // Taken by a call whose answer was lost.
    if (/already known|nonce too low/.test(message)) return;
    if (!/no answer|send it again later|may be on its way|send that one first/.test(message)) throw new Error(message);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('every acknowledged transaction is executed once though each process is killed under load', async () => {
  let stopped = false;
  const write = async (index: number): Promise<Hex[]> => {
    const account = privateKeyToAccount(devKey(index));
    const sent: Hex[] = [];
    for (let first = 0; !stopped; first += 4) {
      const hashes = await Promise.all(
        // The last is sent first: three wait for the one before them.
        [3, 2, 1, 0].map(async (offset) => {
          const raw = await account.signTransaction({
            ...{
              type: 'eip1559',
              chainId: CHAIN_ID,
              nonce: first + offset,
              to: devAddress(4),
              value: 1n,
              gas: 21_000n,
            },
            ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n },
          });
          await send(raw);
          return raw;
        }),
      );
      sent.push(...hashes.reverse());
    }
    return sent;
  };
  const writing = Array.from({ length: WRITERS }, (_, index) => write(index));
  const executed = async () => Number((await rpc('eth_getTransactionCount', devAddress(0), 'latest')).result);
  for (const service of KILLED) {
    const before = await until('the node answers', executed);
    const pid = await network.pid(service);
    process.kill(pid, 'SIGKILL');
    await until(`${service} has been started again`, async () =>
      (await network.pid(service)) === pid ? undefined : true,
    );
    await until(
      `transactions continue after ${service} was killed`,
      async () => ((await executed()) > before + 10 ? true : undefined),
      60_000,
    );
  }
  stopped = true;
  const sent = await Promise.all(writing);
  expect(sent.flat().length).toBeGreaterThan(100);

  for (const [index, each] of sent.entries()) {
    // One nonce each, so as many nonces as transactions means that each was executed once.
    await until(
      `all ${each.length} transactions of account ${index} are executed`,
      async () => {
        const { result } = await rpc('eth_getTransactionCount', devAddress(index), 'latest');
        if (Number(result) !== each.length)
          throw new Error(`${Number(result)} are; ${JSON.stringify(await rpc('txpool_status'))}`);
        return true;
      },
      60_000,
    );
  }
  expect((await rpc('eth_getBalance', devAddress(4), 'latest')).result).toBe(
    `0x${(10_000n * 10n ** 18n + BigInt(sent.flat().length)).toString(16)}`,
  );
  expect((await rpc('txpool_status')).result).toEqual({ pending: '0x0', queued: '0x0' });
}, 300_000);
