import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { dataFile, verifyStore } from '@switchyard/storage';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { HeaderRows } from '../chain/header-rows.ts';
import type { Database, DbWriter } from '../database/database.ts';
import { openDatabase } from '../database/lmdb.ts';
import { headerRow } from '../testing/header-row.ts';
import { blocks, EMPTY_ACCOUNT, Model, makeAddress, run, type Step } from './model.suite.ts';
import { StateStore } from './store.ts';
import { verifyStateFile } from './verify.ts';

const root = mkdtempSync(join(tmpdir(), 'evm-verify-'));
afterAll(() => rmSync(root, { recursive: true }));
let made = 0;

/** A database with a block for each list of steps, open. */
function stored(history: readonly (readonly Step[])[]) {
  const directory = join(root, String(made++));
  const db = openDatabase(directory);
  const store = new StateStore(db);
  const headers = new HeaderRows(db.table('headers'));
  db.write((w) => store.initialise(w, new Map()));
  let model = new Model();
  for (const [index, steps] of history.entries()) {
    const overlay = store.overlay();
    model = run(steps, overlay, model);
    const sealed = store.seal(overlay);
    const number = BigInt(index + 1);
    db.write((w) => {
      store.write(w, number, sealed);
      headers.put(w, number, headerRow(number, { stateRoot: sealed.root }));
    });
  }
  const slots = [...model.slots.values()].flatMap((each) => [...each.values()]).filter((value) => value !== 0n).length;
  return { directory, db, number: BigInt(history.length), accounts: model.accounts.size, slots };
}

const verified = (directory: string) => verifyStateFile(dataFile(directory));

test('derives the root of any state from its values, while a process has it open', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, async (history) => {
      const { directory, db, ...expected } = stored(history);
      expect(verified(directory)).toEqual(expected);
      await db.close();
    }),
    { numRuns: 15 },
  );
}, 60_000);

const STEPS: readonly Step[] = [
  ...Array.from({ length: 40 }, (_, who): Step => ({ kind: 'put', who, balance: BigInt(who) + 1n })),
  { kind: 'slot', who: 7, slot: 1, value: 5n },
  { kind: 'slot', who: 7, slot: 2, value: 6n },
  { kind: 'code', who: 9, byte: 1 },
];
const slotKey = (who: number, slot: number) =>
  Buffer.concat([hexToBytes(makeAddress(who)), hexToBytes(toWord(BigInt(slot)))]);
const emptyRow = Uint8Array.from([0, 0, 1, 200]);

// Defect: `switchyard verify` passed EVM values that do not match the state root
test.each<[string, (w: DbWriter, db: Database) => void, string]>([
  [
    'a balance',
    (w, db) => w.put(db.table('accounts'), hexToBytes(makeAddress(3)), emptyRow),
    'the accounts of block 1',
  ],
  [
    'a missing account',
    (w, db) => w.remove(db.table('accounts'), hexToBytes(makeAddress(3))),
    'the accounts of block 1',
  ],
  [
    'an account too many',
    (w, db) => w.put(db.table('accounts'), hexToBytes(makeAddress(99)), emptyRow),
    'the accounts of',
  ],
  [
    'a slot',
    (w, db) => w.put(db.table('slots'), slotKey(7, 1), Uint8Array.of(9)),
    `account ${makeAddress(7)}: its slots`,
  ],
  ['a missing slot', (w, db) => w.remove(db.table('slots'), slotKey(7, 2)), `account ${makeAddress(7)}: its slots`],
  [
    'a slot of no account',
    (w, db) => w.put(db.table('slots'), slotKey(88, 1), Uint8Array.of(9)),
    `slots of account ${makeAddress(88)}`,
  ],
  [
    'code',
    (w, db) => {
      for (const [key] of db.table('code').range()) w.put(db.table('code'), key, Uint8Array.of(2));
    },
    `account ${makeAddress(9)}: no code has hash`,
  ],
  [
    'the root in the header',
    (w, db) => new HeaderRows(db.table('headers')).put(w, 1n, headerRow(1n)),
    'the state of block 1 has root',
  ],
])('finds %s that is not the one under the root, behind a right checksum', async (_, damage, problem) => {
  const { directory, db } = stored([STEPS]);
  expect(verified(directory)).toEqual({ number: 1n, accounts: 40, slots: 2 });
  for (const name of ['accounts', 'slots', 'code', 'headers']) db.table(name);
  db.write((w) => damage(w, db));
  await db.close();
  expect(verifyStore(directory, 'evm').problems).toEqual([]);
  expect(verified(directory)).toContain(problem);
});

test('a database without a state, as over a geth, has nothing to derive', async () => {
  const directory = join(root, String(made++));
  const db = openDatabase(directory);
  db.table('headers');
  await db.close();
  expect(verified(directory)).toBeUndefined();
});

test('an account without code and slots is one leaf', async () => {
  const { directory, db } = stored([[{ kind: 'put', who: 1, balance: EMPTY_ACCOUNT.balance }]]);
  expect(verified(directory)).toEqual({ number: 1n, accounts: 1, slots: 0 });
  await db.close();
});
