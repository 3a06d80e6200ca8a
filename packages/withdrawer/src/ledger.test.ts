import { MemoryDisk } from '@switchyard/storage';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { Ledger } from './ledger.ts';
import type { Found } from './withdrawal.ts';

const disk = new MemoryDisk();
afterAll(disk.mount('/ledgers'));
let made = 0;
let directory: string;
beforeEach(() => {
  directory = `/ledgers/${made++}`;
});

const ORIGIN = { sequencerChainId: 'chain-0', rollup: 'messenger', bridge: 'astria1bridge' };
const found = (id: number, more: Partial<Found> = {}): Found => ({
  ...{ eventId: `e${id}`, block: BigInt(id), sender: 'alice', to: 'bob', amount: 10n ** 20n, memo: '', ...more },
});
const bundle = { nonce: 4, hash: 'ab'.repeat(32), bytes: '0011', numbers: [0, 1], fee: 3n };

const opened = async () => {
  const ledger = new Ledger(directory);
  await ledger.begin(ORIGIN);
  return ledger;
};
/** The process ends by `kill -9` and starts again. */
const again = () => {
  disk.kill(directory);
  return new Ledger(directory);
};
const shown = (ledger: Ledger) => ({
  ...{ origin: ledger.origin && { rollup: ledger.origin.rollup }, position: ledger.position, read: ledger.read },
  ...{
    paid: ledger.paid,
    bundle: ledger.bundle,
    open: [...ledger.open.values()],
    standings: [...ledger.standings],
    newest: ledger.newestPaid(10),
  },
});

test('is the same after a kill in every state', async () => {
  let ledger = new Ledger(directory);
  expect(shown(ledger)).toMatchObject({ origin: undefined, position: 0n, read: { count: 0, sum: 0n } });
  const steps: readonly ((ledger: Ledger) => Promise<void>)[] = [
    (at) => at.begin(ORIGIN),
    (at) => at.add([], 5n),
    (at) => at.add([found(1), found(2, { fault: 'a fraction', memo: 'm' }), found(3)], 9n),
    (at) => at.sign(bundle),
    (at) => at.stand(new Map([0, 2].map((number) => [number, { kind: 'suspect', reason: 'r', tries: 0, group: 'g' }]))),
    (at) => at.drop(),
    (at) => at.sign({ ...bundle, nonce: 5, fee: 12n }),
    (at) => at.settle([0, 1], { transaction: bundle.hash, height: 77n, fee: 12n }),
    (at) => at.settle([2]),
    (at) => at.add([found(4)], 10n),
  ];
  for (const step of steps) {
    await step(ledger);
    const before = shown(ledger);
    ledger = again();
    expect(shown(ledger)).toEqual(before);
  }
  expect(shown(ledger)).toMatchObject({
    ...{ position: 10n, read: { count: 4, sum: 4n * 10n ** 20n }, paid: { count: 3, sum: 3n * 10n ** 20n } },
    ...{ bundle: undefined, open: [{ number: 3, eventId: 'e4' }], standings: [] },
    newest: [
      { number: 2, eventId: 'e3' },
      { number: 1, eventId: 'e2', transaction: bundle.hash, height: 77n, fee: 12n, fault: 'a fraction', memo: 'm' },
      { number: 0, eventId: 'e1', transaction: bundle.hash, height: 77n },
    ],
  });
});

test('an event is added once: of one reading, of several, and when it is paid', async () => {
  let ledger = await opened();
  await ledger.add([found(1), found(1, { amount: 5n }), found(2)], 1n);
  await ledger.add([found(2), found(3)], 2n);
  expect([...ledger.open.values()].map(({ number, eventId }) => [number, eventId])).toEqual([
    [0, 'e1'],
    [1, 'e2'],
    [2, 'e3'],
  ]);
  await ledger.settle([0]);
  ledger = again();
  await ledger.add([found(1), found(2), found(3)], 2n);
  expect([ledger.open.size, ledger.read.count, ledger.paid.count]).toEqual([2, 3, 1]);
});

test('settles each once, and keeps a transaction that is still under way', async () => {
  const ledger = await opened();
  await ledger.add([found(1), found(2)], 1n);
  await ledger.sign(bundle);
  await ledger.settle([0]);
  await ledger.settle([0, 7]);
  expect([ledger.paid, ledger.bundle]).toEqual([{ count: 1, sum: 10n ** 20n }, bundle]);
  await ledger.settle([0, 1], { transaction: bundle.hash, height: 3n });
  expect([ledger.paid.count, ledger.open.size, ledger.bundle]).toEqual([2, 0, undefined]);
});

test('finds a withdrawal by its event, open or paid', async () => {
  const ledger = await opened();
  await ledger.add([found(1), found(2)], 1n);
  await ledger.settle([1], { transaction: bundle.hash, height: 3n });
  expect(ledger.find('e1')).toMatchObject({ withdrawal: { number: 0 }, paid: undefined });
  expect(ledger.find('e2')).toMatchObject({ withdrawal: { number: 1 }, paid: { height: 3n } });
  expect(ledger.find('e3')).toBeUndefined();
});

test('nothing is added before its chains are known', async () => {
  await expect(new Ledger(directory).add([found(1)], 1n)).rejects.toThrow('has not begun');
});
