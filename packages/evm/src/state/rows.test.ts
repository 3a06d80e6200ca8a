import { decodeAccount, EMPTY_CODE_HASH, EMPTY_ROOT, encodeAccount } from '@switchyard/evm-machine/account';
import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex, toWord } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import type { Database } from '../database/database.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { StateStore } from './store.ts';
import { decodeTrieRow } from './trie/rows.ts';

const ALICE: Address = `0x${'aa'.repeat(20)}`;
const BOB: Address = `0x${'0b'.repeat(20)}`;
const EMPTY = { nonce: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_ROOT };

function getRows(db: Database, table: string): string[] {
  return db
    .table(table)
    .range()
    .map(([key, value]) => `${bytesToHex(key).slice(2)} ${bytesToHex(value).slice(2)}`);
}

/** Later versions read these files: a change here changes the format. */
test('tables hold these bytes', () => {
  const db = openMemoryDatabase();
  const store = new StateStore(db, { nodes: 1, values: 1, blocks: 1n });
  db.write((w) => store.initialise(w, new Map([[ALICE, { balance: 256n, nonce: 1n }]])));
  const overlay = store.overlay();
  overlay.putAccount(BOB, { ...EMPTY, balance: 10n ** 18n, codeHash: overlay.putCode(Uint8Array.of(0xfe)) });
  overlay.putStorage(BOB, toWord(5n), 0x1234n);
  overlay.putAccount(ALICE, { ...EMPTY, nonce: 2n, balance: 0n });
  const sealed = store.seal(overlay);
  db.write((w) => store.write(w, 1n, sealed));

  const alice = 'aa'.repeat(20);
  const bob = '0b'.repeat(20);
  const codeHash = 'bcc90f2d6dada5b18e155c17a1c0a55920aae94f39857d39d0d8ed07ae8f228b';
  const storageRoot = sealed.account(BOB)?.storageRoot.slice(2) ?? '';
  expect(getRows(db, 'accounts')).toEqual([
    `${bob} 0300080de0b6b3a7640000${codeHash}${storageRoot}`,
    `${alice} 00010200`,
  ]);
  expect(getRows(db, 'slots')).toEqual([`${bob}${'00'.repeat(31)}05 1234`]);
  expect(getRows(db, 'account-history')).toEqual([`${bob}0000000000000001 `, `${alice}0000000000000001 000101020100`]);
  expect(getRows(db, 'slot-history')).toEqual([`${bob}${'00'.repeat(31)}050000000000000001 `]);
  expect(getRows(db, 'code')).toEqual([`${codeHash} fe`]);
  expect(getRows(db, 'changed-keys')).toEqual([`0000000000000001 01${bob}01${alice}02${bob}${'00'.repeat(31)}05`]);
  expect(getRows(db, 'state-heads')).toEqual([
    `01 0000000000000001${sealed.root.slice(2)}`,
    `02 0000000000000001${sealed.root.slice(2)}`,
  ]);
  const [branch, leaf] = getRows(db, 'trie');
  // Two leaves, below nibbles 4 and 12: kinds, then a hash and a key each.
  expect(branch).toMatch(/^61 01[02]{16}[0-9a-f]{64}14[0-9a-f]{40}[0-9a-f]{64}14[0-9a-f]{40}$/);
  expect(leaf).toBe(`73${bob} 02${'00'.repeat(31)}05`);
});

test('the history of an account is not mistaken where slots have keys like block numbers', () => {
  const db = openMemoryDatabase();
  const store = new StateStore(db);
  db.write((w) => store.initialise(w, new Map([[ALICE, { balance: 1n }]])));
  for (let number = 1n; number <= 6n; number++) {
    const overlay = store.overlay();
    if (number === 1n) for (let slot = 2n; slot <= 6n; slot++) overlay.putStorage(ALICE, toWord(slot << 192n), 1n);
    if (number === 6n) overlay.putAccount(ALICE, { ...EMPTY, balance: 2n });
    const sealed = store.seal(overlay);
    db.write((w) => store.write(w, number, sealed));
  }
  expect([0n, 3n, 5n, 6n].map((number) => store.at(number).account(ALICE)?.balance)).toEqual([1n, 1n, 1n, 2n]);
});

test.each([
  ['nothing', { ...EMPTY, balance: 0n }, '000000'],
  ['small numbers', { ...EMPTY, nonce: 127n, balance: 128n }, '00017f0180'],
  ['large ones', { ...EMPTY, nonce: 2n ** 53n, balance: 2n ** 256n - 1n }, `00072000000000000020${'ff'.repeat(32)}`],
])('an account with %s is encoded and decoded', (_, account, bytes) => {
  expect(bytesToHex(encodeAccount(account)).slice(2)).toBe(bytes);
  expect(decodeAccount(encodeAccount(account))).toEqual(account);
});

test('bytes that are no row of a trie are an error', () => {
  expect(() => decodeTrieRow(Uint8Array.of(9))).toThrow('a row of the trie begins with 9');
  expect(() => decodeTrieRow(Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 7))).toThrow('has 10 bytes, expected 9');
});
