import { expect, test } from 'vitest';
import { evm, localNetwork } from './index.ts';

/** For a machine that is busy. */
const PATIENT = { timeout: 30_000 };

test('an EVM rollup is reverted again and again, and killed, and nothing else of its chain is lost', async () => {
  await using network = await localNetwork({ rollups: [evm()] });
  const node = network.client('evm');
  const to = `0x${'57'.repeat(20)}`;
  const pay = async (expected: bigint) => {
    await network.deposit({ rollup: 'evm', to, amount: 1n });
    await expect.poll(() => node.balance(to), PATIENT).toBe(expected);
  };
  await pay(10n ** 9n);
  const snapshot = network.snapshot();
  const { number } = (await node.status()).latest;
  const { hash } = (await node.block(number)) ?? {};
  for (const round of [1, 2]) {
    await pay(2n * 10n ** 9n);
    if (round === 2) await network.kill('evm');
    await network.revert(snapshot);
    expect(await node.balance(to)).toBe(10n ** 9n);
    expect((await node.block(number))?.hash).toBe(hash);
  }
  await network.kill('evm');
  await network.start('evm');
  await pay(2n * 10n ** 9n);
});

test('a call that takes long is answered where the chain is in memory', async () => {
  await using network = await localNetwork({ rollups: [evm()] });
  // Counts down from 300,000.
  const code = `0x620493e05b600190038060045700`;
  const to = `0x${'c0'.repeat(20)}`;
  const params = [{ to, gas: '0x1c9c380' }, 'latest', { [to]: { code } }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params });
  const headers = { 'content-type': 'application/json' };
  const answer = await network.fetch('evm', '/', { method: 'POST', headers, body });
  expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x' });
});
