import { txHashOf } from '@switchyard/protocol';
import { httpApp } from '@switchyard/service';
import { expect, test } from 'vitest';
import { withOutcomes } from './outcome-route.ts';
import { alice, getHash, signed, World } from './testing/world.ts';

test('who watches asks by the hashes that composer and sequencer have', async () => {
  const w = new World();
  await w.run();
  const [raw, next] = [signed(alice), signed(alice, { nonce: 1n })];
  const [submission, later] = [txHashOf(raw), txHashOf(next)];
  await w.send(raw);
  await w.send(next);
  const app = withOutcomes(w.pool, httpApp());
  const ask = async (query: string) => {
    const response = await app.request(`/v1/outcomes?submissions=${query}`);
    return { status: response.status, body: await response.json() };
  };
  const unknown = txHashOf(Uint8Array.of(1));
  expect(await ask(`${submission},${unknown}`)).toEqual({
    status: 200,
    body: { transactions: [{ submission, hash: getHash(raw) }] },
  });
  w.chain.block([raw, signed(alice, { nonce: 1n, value: 5n })]);
  await w.run();
  expect((await ask(`${submission},${later}`)).body).toMatchObject({
    transactions: [
      { hash: getHash(raw), outcome: { kind: 'included', block: 1, success: true } },
      { hash: getHash(next), outcome: { kind: 'replaced', by: getHash(signed(alice, { nonce: 1n, value: 5n })) } },
    ],
  });
  expect((await ask('')).body).toEqual({ transactions: [] });
  expect((await ask('abc')).status).toBe(400);
  expect((await ask(Array.from({ length: 65 }, () => unknown).join(','))).status).toBe(400);
  await w.close();
});
