import { SimpleStateManager } from '@ethereumjs/statemanager';
import { Account, Address } from '@ethereumjs/util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { bytesOf, hexOf, wordOf } from '../hex.ts';
import { EMPTY_ROOT } from './account.ts';
import { OverlayStateManager } from './ethereumjs.ts';
import { StateStore } from './store.ts';

type Manager = Pick<
  OverlayStateManager,
  | 'getAccount'
  | 'putAccount'
  | 'deleteAccount'
  | 'modifyAccountFields'
  | 'putCode'
  | 'getCode'
  | 'getStorage'
  | 'putStorage'
  | 'checkpoint'
  | 'commit'
  | 'revert'
>;
type Step = (manager: Manager) => Promise<unknown>;

const NOTHING = new Uint8Array();

const address = fc.integer({ min: 1, max: 4 }).map((who) => new Address(new Uint8Array(20).fill(who)));
const slot = fc.integer({ min: 0, max: 3 }).map((number) => bytesOf(wordOf(BigInt(number))));
/** As the machine writes them: without leading zeros, so that zero is no byte at all. */
const value = fc
  .uint8Array({ minLength: 1, maxLength: 32 })
  .map((bytes) => (bytes.some((byte) => byte !== 0) ? bytes.subarray(bytes.findIndex((byte) => byte !== 0)) : NOTHING));
const number = fc.bigInt({ min: 0n, max: 2n ** 128n });

function named(name: string, run: Step): { readonly name: string; readonly run: Step } {
  return { name, run };
}

const step = fc.oneof(
  fc
    .tuple(address, number, number)
    .map(([who, nonce, balance]) => named(`put ${who}`, (m) => m.putAccount(who, new Account(nonce, balance)))),
  address.map((who) => named(`get ${who}`, async (m) => shown(await m.getAccount(who)))),
  fc
    .tuple(address, number)
    .map(([who, balance]) => named(`pay ${who}`, (m) => m.modifyAccountFields(who, { balance }))),
  fc
    .tuple(address, fc.uint8Array({ maxLength: 40 }))
    .map(([who, code]) => named(`code ${who}`, async (m) => [await m.putCode(who, code), await m.getCode(who)])),
  fc.tuple(address, slot, value).map(([who, key, word]) =>
    named(`slot ${who}`, async (m) => {
      await m.putStorage(who, key, word);
      return hexOf(await m.getStorage(who, key));
    }),
  ),
  fc.tuple(address, slot).map(([who, key]) => named(`read ${who}`, async (m) => hexOf(await m.getStorage(who, key)))),
);

/** Steps, and checkpoints around some of them that are kept or undone. */
interface Plan {
  readonly steps: readonly (ReturnType<typeof named> | Plan)[];
  readonly keep: boolean;
}
const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.record({
    steps: fc.array(fc.oneof({ withCrossShrink: true }, { weight: 6, arbitrary: step }, tie('plan')), { maxLength: 8 }),
    keep: fc.boolean(),
  }),
}));

async function run(manager: Manager, { steps, keep }: Plan, seen: unknown[]): Promise<void> {
  await manager.checkpoint();
  for (const each of steps) {
    if ('steps' in each) await run(manager, each, seen);
    else seen.push([each.name, await each.run(manager)]);
  }
  await (keep ? manager.commit() : manager.revert());
}

/** The simple manager of the library knows no storage roots. */
function shown(account: Account | undefined): unknown {
  return account && [account.nonce, account.balance, hexOf(account.codeHash)];
}

test('answers as the manager of the library does, whatever is written, kept and undone', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (whole) => {
      const db = openMemoryDatabase();
      const store = new StateStore(db);
      db.write((w) => store.initialise(w, new Map()));
      const ours: unknown[] = [];
      const theirs: unknown[] = [];
      await run(new OverlayStateManager(store.overlay()), whole, ours);
      await run(new SimpleStateManager(), whole, theirs);
      expect(ours).toEqual(theirs);
    }),
    { numRuns: 300 },
  );
}, 30_000);

test('original values are those from before the first write, and end with the transaction', async () => {
  const db = openMemoryDatabase();
  const store = new StateStore(db);
  db.write((w) => store.initialise(w, new Map()));
  const manager = new OverlayStateManager(store.overlay());
  const [who, key] = [new Address(new Uint8Array(20).fill(1)), bytesOf(wordOf(1n))];
  await manager.putAccount(who, new Account(1n));
  expect(await manager.originalStorageCache.get(who, key)).toEqual(new Uint8Array());
  await manager.putStorage(who, key, Uint8Array.of(7));
  expect(await manager.originalStorageCache.get(who, key)).toEqual(new Uint8Array());
  manager.originalStorageCache.clear();
  expect(await manager.originalStorageCache.get(who, key)).toEqual(Uint8Array.of(7));
});

test('an account whose storage is cleared has the root of none, and a copy keeps its writes to itself', async () => {
  const db = openMemoryDatabase();
  const store = new StateStore(db);
  const who = new Address(new Uint8Array(20).fill(1));
  db.write((w) =>
    store.initialise(w, new Map([[hexOf(who.bytes), { balance: 1n, storage: new Map([[wordOf(1n), 5n]]) }]])),
  );
  const manager = new OverlayStateManager(store.overlay());
  const before = await manager.getAccount(who);
  expect(hexOf(before?.storageRoot ?? new Uint8Array())).not.toBe(EMPTY_ROOT);
  const copy = manager.shallowCopy();
  await copy.clearStorage(who);
  expect(hexOf((await copy.getAccount(who))?.storageRoot ?? new Uint8Array())).toBe(EMPTY_ROOT);
  expect(await copy.getStorage(who, bytesOf(wordOf(1n)))).toEqual(new Uint8Array());
  expect(await manager.getStorage(who, bytesOf(wordOf(1n)))).toEqual(Uint8Array.of(5));
});
