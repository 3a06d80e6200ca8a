import type { Address } from '@switchyard/evm-machine/types';
import { hexToBytes } from '@switchyard/protocol/ethereum';
import type { BlockEntry } from '@switchyard/rollup/execution';
import fc from 'fast-check';
import { DEV_ACCOUNTS } from '../../genesis/development-accounts.ts';
import type { TestAccount } from '../../testing.ts';
import { testDeposit } from '../../testing.ts';
import type { UnsignedTransaction } from '../../transactions/sign.ts';
import { CONTRACTS, type ContractName, createdAt, getCreation, words } from './contracts.ts';

/* Blocks at random: ordinary use, failures, and deliberate attacks. */

/** Everything is a small number, so that a failing case shrinks. */
export interface Step {
  readonly kind: 'transfer' | 'call' | 'deploy' | 'deposit' | 'garbage';
  readonly sender: number;
  readonly target: number;
  readonly other: number;
  readonly value: number;
  /** 0: the next one. */
  readonly nonceOffset: number;
  readonly gas: number;
  readonly type: number;
  readonly fee: number;
}

export const NAMES = Object.keys(CONTRACTS) as readonly ContractName[];
/** In the genesis, with nothing: gone as soon as a transaction touches it (EIP-161). */
export const EMPTY_ACCOUNT: Address = `0x${'ed'.repeat(20)}`;
export const BALANCES: ReadonlyMap<Address, bigint> = new Map([
  ...DEV_ACCOUNTS.map(({ address }) => [address, 10_000n * 10n ** 18n] as const),
  [EMPTY_ACCOUNT, 0n],
]);

/** Gas of a block: some transactions do not fit behind others, some never do. */
export const GAS_LIMIT = 3_000_000;
/** Number of accounts that send. */
export const SENDERS = 4;

const mostly = (usual: number, max: number) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.nat(max) });

export const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('transfer', 'transfer', 'call', 'call', 'call', 'deploy', 'deposit', 'garbage'),
  sender: fc.nat(SENDERS - 1),
  // More often if calls fail after they have changed something.
  target: fc.oneof(
    { weight: 3, arbitrary: fc.nat(25) },
    { weight: 1, arbitrary: fc.constantFrom(NAMES.indexOf('spoil'), NAMES.indexOf('twice')) },
  ),
  other: fc.nat(25),
  value: fc.nat(5),
  nonceOffset: mostly(0, 2),
  gas: mostly(0, 5),
  type: fc.nat(4),
  fee: mostly(0, 3),
});

/** Blocks in a row; between two of them pass this many seconds, perhaps none. */
export const history: fc.Arbitrary<readonly { readonly steps: readonly Step[]; readonly seconds: number }[]> = fc.array(
  fc.record({ steps: fc.array(step, { maxLength: 12 }), seconds: fc.nat(3) }),
  { minLength: 1, maxLength: 4 },
);

/** The first block of every history: one contract of each kind, made by the first account. */
export function deployAll(account: TestAccount, names = NAMES): Uint8Array[] {
  return names.map((name, nonce) => account.deploy(getCreation(CONTRACTS[name]), { nonce: BigInt(nonce) }));
}

/** Addresses that the steps refer to: contracts, people, precompiled contracts, accounts that are not there. */
export function targets(accounts: readonly TestAccount[]): readonly Address[] {
  const [first] = accounts;
  if (first === undefined) throw new Error('no accounts');
  const special: readonly Address[] = [
    ...[1, 2, 4, 9].map((number): Address => `0x${number.toString(16).padStart(40, '0')}`),
    `0x${'00'.repeat(20)}`,
    `0x${'ee'.repeat(20)}`,
    `0x${'ef'.repeat(20)}`,
    EMPTY_ACCOUNT,
  ];
  return [
    ...NAMES.map((_, nonce) => createdAt(first.address, nonce)),
    ...accounts.map(({ address }) => address),
    ...special,
  ];
}

const VALUES = [0n, 1n, 1_000_000_007n, 10n ** 18n, 4_000n * 10n ** 18n, 1n << 200n];
const GAS = [300_000n, 21_000n, 20_999n, 60_000n, 2_900_000n, 3_100_000n];
const FEES = [100n * 10n ** 9n, 10n ** 9n, 1n, 3n * 10n ** 9n];

/** The entries of a block. `nonces` has the next one of each sender, and counts on. */
export function getEntries(
  steps: readonly Step[],
  accounts: readonly TestAccount[],
  nonces: bigint[],
): (Uint8Array | BlockEntry)[] {
  const places = targets(accounts.slice(0, SENDERS));
  const at = (index: number): Address => places[index % places.length] ?? '0x';
  return steps.map((each, position) => {
    const { kind, sender, target, other, value } = each;
    if (kind === 'garbage') return garbage(each);
    if (kind === 'deposit')
      return testDeposit(target === 0 ? 'not an address' : at(target), BigInt(value * 1_000 + other));
    const account = accounts[sender];
    const next = nonces[sender];
    if (account === undefined || next === undefined) throw new Error(`no sender ${sender}`);
    const nonce = next + BigInt(each.nonceOffset) - (each.nonceOffset === 2 && next > 0n ? 3n : 0n);
    if (each.nonceOffset === 0) nonces[sender] = next + 1n;
    const common = { nonce, value: VALUES[value] ?? 0n, gasLimit: GAS[each.gas] ?? 0n, ...fees(each) };
    if (kind === 'transfer')
      return account.sign({ ...common, to: at(target), data: hexToBytes(position % 3 === 0 ? '0x00ff' : '0x') });
    if (kind === 'deploy') return account.sign({ ...common, data: creations(target, at(other)) });
    const called = target % NAMES.length;
    const place = NAMES[called] === 'twice' && other % 4 > 0 ? at(NAMES.indexOf('spoil')) : at(other);
    return account.sign({ ...common, to: at(called), data: input(each, place) });
  });
}

function fees({ type, fee, other }: Step): Partial<UnsignedTransaction> {
  const cap = FEES[fee] ?? 0n;
  const list = [{ address: `0x${'ee'.repeat(20)}`, storageKeys: [`0x${'00'.repeat(32)}`] }] as const;
  if (type === 0) return { gasPrice: cap };
  if (type === 1) return { gasPrice: cap, accessList: other % 2 === 0 ? [] : list };
  if (type === 2) return { gasPrice: cap, chainId: undefined };
  return { maxFeePerGas: cap, maxPriorityFeePerGas: BigInt(other), ...(type === 3 ? {} : { accessList: list }) };
}

/** Arguments for a contract: two words, or code for a creation. */
function input({ target, value, other }: Step, place: Address): Uint8Array {
  const name = NAMES[target % NAMES.length];
  if (name === 'create' || name === 'create2') return creations(other, place);
  if (name === 'relay' || name === 'ask') return words(place, BigInt(other % 3), BigInt(value));
  if (name === 'twice') return words(place, BigInt(value % 2), BigInt(other % 2));
  if (name === 'spoil') return words(BigInt(value % 2));
  return name === 'store' ? words(BigInt(other % 3), BigInt(value)) : words(place, BigInt(value));
}

/** Code that creates: something that stays, something that is gone at once, nothing, or a failure. */
function creations(which: number, place: Address): Uint8Array {
  const choices = [
    getCreation(CONTRACTS.store),
    hexToBytes(`0x73${place.slice(2)}ff`),
    new Uint8Array(),
    hexToBytes('0x33ff'),
    hexToBytes('0xfe'),
    hexToBytes(CONTRACTS.revert),
    // Code that begins with 0xef (EIP-3541).
    getCreation('0xef00'),
    getCreation(CONTRACTS.destroy),
  ];
  return choices[which % choices.length] ?? new Uint8Array();
}

function garbage({ target, other }: Step): Uint8Array | BlockEntry {
  if (target % 5 === 0) return { kind: 'unknown' };
  return Uint8Array.from({ length: other }, (_, at) => (target * 37 + at * other) % 256);
}
