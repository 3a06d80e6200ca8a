import { expect, test } from 'vitest';
import { localNetwork, messenger } from './index.ts';

test('the faucet of a messenger pays with the transfer of its definition', async () => {
  await using network = await localNetwork({ rollups: [messenger()], faucet: true });
  const address = 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk';
  const before = await network.client('messenger').balance(address);
  const body = JSON.stringify({ address });
  const answer = await network.fetch('messenger-faucet', '/api/claim', { method: 'POST', body });
  const { msg, amount } = (await answer.json()) as Record<string, string>;
  expect([answer.status, amount]).toEqual([200, '1']);
  const hash = /^Txhash: ([0-9a-f]{64})$/.exec(msg ?? '')?.[1] ?? '';
  const { state, events } = await network.client('messenger').waitFor(hash);
  expect([state, events]).toMatchObject([/executed|firm/, [{ kind: 'transfer' }]]);
  expect((await network.client('messenger').balance(address)) - before).toBe(1_000_000_000n);
});
