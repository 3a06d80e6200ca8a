import { EMPTY_CODE_HASH, EMPTY_ROOT } from '@switchyard/evm-machine/account';
import type { Address } from '@switchyard/evm-machine/types';
import { keccak256, toWord } from '@switchyard/protocol/ethereum';
import { openDatabase } from '../database/lmdb.ts';
import { StateStore } from './store.ts';

/*
 * Writes blocks into the given directory, two in each write, until it is killed. Prints `sealed <number> <root>`
 * before a write and `written <number>` after it.
 */

const ACCOUNTS = 300;
const [directory = ''] = process.argv.slice(2);
const database = openDatabase(directory);
const store = new StateStore(database, { nodes: 500, values: 200, blocks: 7n });

/** Text goes out at once, or a kill takes it along. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function makeAddress(who: number): Address {
  return `0x${Buffer.from(keccak256(Uint8Array.of(who >> 8, who & 255))).toString('hex', 0, 20)}`;
}

function sealed(number: bigint, parent?: ReturnType<StateStore['seal']>): ReturnType<StateStore['seal']> {
  const overlay = store.overlay(parent);
  for (let index = 0; index < 40; index++) {
    const address = makeAddress((Number(number) * 37 + index * index) % ACCOUNTS);
    const account = overlay.account(address) ?? {
      nonce: 0n,
      balance: 0n,
      codeHash: EMPTY_CODE_HASH,
      storageRoot: EMPTY_ROOT,
    };
    overlay.putAccount(address, index % 9 === 0 ? undefined : { ...account, balance: account.balance + number });
    if (index % 9 !== 0) overlay.putStorage(address, toWord(BigInt(index)), number % 5n);
  }
  const state = store.seal(overlay);
  say(`sealed ${number} ${state.root}`);
  return state;
}

if (!store.initialised) database.write((w) => store.initialise(w, new Map([[makeAddress(0), { balance: 1n }]])));
// Yields between writes, so that the output is flushed.
const next = (): void => {
  const number = store.headNumber + 1n;
  const first = sealed(number);
  const second = sealed(number + 1n, first);
  database.write((w) => {
    store.write(w, number, first);
    store.write(w, number + 1n, second);
  });
  say(`written ${number + 1n}`);
  setImmediate(next);
};
next();
