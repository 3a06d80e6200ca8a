import { keccakHex, toWord } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../state/account.ts';
import type { AccountState } from '../state/state.ts';
import type { Address, Hash } from '../types.ts';
import type { AccountAccess } from './access-list.ts';
import { AccessRecorder } from './recorder.ts';

const ADDRESS: Address = `0x${'aa'.repeat(20)}`;
const OTHER: Address = `0x${'bb'.repeat(20)}`;
const CODE = Uint8Array.of(0x60, 0x00);
const CODE_HASH = keccakHex(CODE);
const [SLOT, LATER] = [toWord(2n), toWord(0x100n)];

const account = (fields: Partial<AccountState>): AccountState => ({
  ...{ nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_ROOT },
  ...fields,
});
const getCode = (hash: Hash): Uint8Array => (hash === CODE_HASH ? CODE : new Uint8Array());

type Step = (recorder: AccessRecorder) => void;
const at =
  (index: number): Step =>
  (recorder) =>
    Object.assign(recorder, { index });
const from =
  (before: Partial<AccountState> | undefined, after: Partial<AccountState> | undefined): Step =>
  (recorder) =>
    recorder.account(ADDRESS, before && account(before), after && account(after), getCode);
const slot =
  (before: bigint, after: bigint, key = SLOT): Step =>
  (recorder) =>
    recorder.slot(ADDRESS, key, before, after);

test.each<readonly [string, readonly Step[], Partial<AccountAccess>]>([
  ['an account that is only looked at has no change', [from({ balance: 5n }, { balance: 5n })], {}],
  ['one that is not there is listed all the same', [from(undefined, undefined)], {}],
  [
    'a balance is that after the index',
    [at(1), from({ balance: 5n }, { balance: 7n }), at(3), from({ balance: 7n }, { balance: 5n })],
    {
      balanceChanges: [
        { index: 1, value: 7n },
        { index: 3, value: 5n },
      ],
    },
  ],
  [
    'of several changes at an index the last one counts',
    [at(1), from({ balance: 5n }, { balance: 7n }), from({ balance: 7n }, { balance: 8n })],
    { balanceChanges: [{ index: 1, value: 8n }] },
  ],
  [
    'a change that is taken back at the same index is none',
    [at(1), from({ balance: 5n }, { balance: 7n }), from({ balance: 7n }, { balance: 5n })],
    {},
  ],
  [
    'an account that is gone has a balance of 0, and neither nonce nor code',
    [at(2), from({ balance: 5n }, undefined)],
    { balanceChanges: [{ index: 2, value: 0n }] },
  ],
  [
    'a new contract has a nonce and its code',
    [at(2), from(undefined, { nonce: 1n, codeHash: CODE_HASH })],
    { nonceChanges: [{ index: 2, value: 1n }], codeChanges: [{ index: 2, value: CODE }] },
  ],
  [
    'code that is taken away is a change to no code',
    [at(2), from({ nonce: 1n, codeHash: CODE_HASH }, { nonce: 1n })],
    { codeChanges: [{ index: 2, value: new Uint8Array() }] },
  ],
  ['a slot that keeps its value is a read', [at(1), slot(4n, 4n)], { storageReads: [SLOT] }],
  [
    'a slot that is written once is no read, whatever reads it later',
    [at(1), slot(4n, 4n), at(2), slot(4n, 0n), at(3), slot(0n, 0n)],
    { storageChanges: [{ slot: SLOT, changes: [{ index: 2, value: 0n }] }] },
  ],
  [
    'a slot is compared with what it was before the index',
    [at(0), slot(4n, 9n), at(1), slot(9n, 4n), at(2), slot(4n, 4n)],
    {
      storageChanges: [
        {
          slot: SLOT,
          changes: [
            { index: 0, value: 9n },
            { index: 1, value: 4n },
          ],
        },
      ],
    },
  ],
  ['a write that is taken back at its index is a read', [at(1), slot(4n, 9n), slot(9n, 4n)], { storageReads: [SLOT] }],
  ['slots are in the order of their numbers', [slot(1n, 1n, LATER), slot(1n, 1n)], { storageReads: [SLOT, LATER] }],
])('%s', (_, steps, expected) => {
  const recorder = new AccessRecorder();
  for (const step of steps) step(recorder);
  const none = { storageChanges: [], storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] };
  expect(recorder.list()).toEqual([{ address: ADDRESS, ...none, ...expected }]);
});

test('accounts are in the order of their addresses', () => {
  const recorder = new AccessRecorder();
  recorder.accessed(OTHER);
  recorder.accessed(ADDRESS);
  expect(recorder.list().map(({ address }) => address)).toEqual([ADDRESS, OTHER]);
});
