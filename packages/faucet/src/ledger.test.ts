import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreFile } from '@switchyard/storage';
import { expect, test } from 'vitest';
import { Ledger } from './ledger.ts';
import { memoryDisk, memoryStore } from './testing/memory-store.ts';
import { signedPayment } from './testing/model-chain.ts';

const request = (address: string) => ({ address, client: 'home', amount: 10n, at: 1 });
const end = { kind: 'paid', hash: 'aa', block: 1n, nonce: 4, endedAt: 2 } as const;

test('what was accepted is there after a restart, from a real disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-ledger-'));
  try {
    const store = new StoreFile<string>(directory, 'faucet-ledger', { keys: 'text' });
    const before = new Ledger(store);
    await before.bindTo('chain');
    const alice = await before.accept(request('alice'));
    await before.update({ ...alice, kind: 'signed', nonce: 0, payments: [signedPayment()] });
    const bob = await before.accept(request('bob'));
    await before.update({ ...bob, ...end });
    await store.close();

    const reopened = new StoreFile<string>(directory, 'faucet-ledger', { keys: 'text' });
    const after = new Ledger(reopened);
    expect(after.unfinished()).toEqual([{ ...alice, kind: 'signed' as const, nonce: 0, payments: [signedPayment()] }]);
    expect([...after.newestFirst()].map(({ address }) => address)).toEqual(['bob', 'alice']);
    expect([after.chain, after.lastNonce, (await after.accept(request('carol'))).id]).toEqual(['chain', 4, 3]);
    await reopened.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a claim that cannot be written is not there', async () => {
  const disk = memoryDisk();
  const ledger = new Ledger(memoryStore(disk));
  disk.onWrite = () => {
    throw new Error('no space left on device');
  };
  await expect(ledger.accept(request('alice'))).rejects.toThrow('no space');
  expect([ledger.unfinishedCount, ledger.findUnfinished('alice'), [...ledger.newestFirst()]]).toEqual([
    0,
    undefined,
    [],
  ]);
});

test('the oldest that are done with are forgotten, and none that wait', async () => {
  const disk = memoryDisk();
  const ledger = new Ledger(memoryStore(disk), { kept: 2 });
  await ledger.accept(request('waits'));
  for (const address of ['a', 'b', 'c']) await ledger.update({ ...(await ledger.accept(request(address))), ...end });
  await ledger.accept(request('new'));
  expect([...ledger.newestFirst()].map(({ address }) => address)).toEqual(['new', 'waits']);
  expect(disk.rows.size).toBe(2);
});
