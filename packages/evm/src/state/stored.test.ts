import { EMPTY_CODE_HASH, EMPTY_ROOT } from '@switchyard/evm-machine/account';
import type { Address } from '@switchyard/evm-machine/types';
import { toWord } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { StateStore } from './store.ts';
import { StoredStates } from './stored.ts';

const [ALICE, BOB]: Address[] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`] as const;
const account = (balance: bigint, codeHash = EMPTY_CODE_HASH) => ({
  balance,
  nonce: 1n,
  codeHash,
  storageRoot: EMPTY_ROOT,
});

test('has every block as the store has it, also after blocks that were written later by another', () => {
  const database = openMemoryDatabase();
  const store = new StateStore(database);
  database.write((w) => store.initialise(w, new Map([[ALICE, { balance: 5n }]])));
  const states = new StoredStates(database);
  const early = states.at(0n);
  const codes: `0x${string}`[] = [];
  for (let number = 1n; number < 6n; number += 1n) {
    const overlay = store.overlay();
    const codeHash = overlay.putCode(Uint8Array.of(Number(number)));
    codes.push(codeHash);
    overlay.putAccount(number % 2n === 0n ? ALICE : BOB, account(number * 10n, codeHash));
    overlay.putStorage(ALICE, toWord(1n), number % 3n);
    const sealed = store.seal(overlay);
    database.write((w) => store.write(w, number, sealed));
    const changes = store.overlay();
    changes.putAccount(BOB, account(99n));
    expect(states.rootWith(number, changes)).toBe(store.rootWith(number, changes));
  }
  for (let number = 0n; number < 6n; number += 1n) {
    const [mine, its] = [states.at(number), store.at(number)];
    for (const address of [ALICE, BOB]) expect(mine.account(address)).toEqual(its.account(address));
    for (const slot of [1n, 2n]) expect(mine.storage(ALICE, toWord(slot))).toBe(its.storage(ALICE, toWord(slot)));
  }
  expect([early.account(ALICE)?.balance, early.account(BOB), early.storage(ALICE, toWord(1n))]).toEqual([
    5n,
    undefined,
    0n,
  ]);
  expect(codes.map((hash) => states.at(0n).code(hash)[0])).toEqual([1, 2, 3, 4, 5]);
  expect(() => states.at(0n).code(`0x${'11'.repeat(32)}`)).toThrow('no code with hash');
});
