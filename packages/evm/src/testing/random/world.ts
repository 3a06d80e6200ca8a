import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex, toWord } from '@switchyard/protocol/ethereum';
import type { Random } from '@switchyard/service/testing';
import { DEV_ACCOUNTS } from '../../genesis/development-accounts.ts';
import type { GenesisAccount, GenesisAlloc } from '../../genesis/genesis.ts';
import { program, type Surroundings } from './program.ts';

/** A state, and the names for transactions on it. */
export interface World {
  readonly alloc: GenesisAlloc;
  readonly around: Surroundings;
  readonly contracts: readonly Address[];
}

export const SENDERS = DEV_ACCOUNTS.slice(0, 4);
/** They only sign authorizations (EIP-7702), so that the nonces there are right now and then. */
export const AUTHORITIES = DEV_ACCOUNTS.slice(4, 7);
export const COINBASE: Address = `0x${'c0'.repeat(20)}`;
const SENDER_BALANCE = 10n ** 24n;
const CONTRACT_BALANCE = 1_000n;
/** EIP-7002 and EIP-7251: geth wants code there. It does nothing: requests are no part of these tests. */
export const REQUEST_CONTRACTS: readonly Address[] = [
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
];
/** EIP-8282. */
export const BUILDER_CONTRACTS: readonly Address[] = [
  '0x0000bff46984e3725691fa540a8c7589300d8282',
  '0x000064d678505ad48f8ccb093bc65613800e8282',
];

/** Contracts with random programs. */
export function makeWorld(random: Random, fork: Fork, contractCount: number): World {
  return getWorld(random, fork, contractCount, (around) => program(random, around));
}

/** @param codeOf By the position of the contract. */
export function getWorld(
  random: Random,
  fork: Fork,
  contractCount: number,
  getCode: (around: Surroundings, position: number) => Uint8Array,
): World {
  const contracts = Array.from({ length: contractCount }, (_, at) => makeAddress(0x1000 + at));
  const others = [0xe0, 0xe1, 0xe2].map(makeAddress);
  const signers = [...SENDERS, ...(includes(fork, 'prague') ? AUTHORITIES : [])].map(({ address }) => address);
  const addresses = [...contracts, ...contracts, ...others, ...signers, COINBASE];
  const around: Surroundings = { fork, addresses, precompiles: getPrecompiles(fork) };
  const alloc = new Map<Address, GenesisAccount>();
  for (const { address } of SENDERS) alloc.set(address, account({ balance: SENDER_BALANCE }));
  for (const [at, address] of contracts.entries()) {
    const code = bytesToHex(getCode(around, at));
    alloc.set(address, account({ balance: CONTRACT_BALANCE, nonce: 1n, code, storage: storage(random) }));
  }
  if (includes(fork, 'prague'))
    for (const address of [...REQUEST_CONTRACTS, ...(includes(fork, 'amsterdam') ? BUILDER_CONTRACTS : [])])
      alloc.set(address, account({ nonce: 1n, code: '0x00' }));
  return { alloc, around, contracts };
}

function account(fields: Partial<GenesisAccount>): GenesisAccount {
  return { nonce: 0n, balance: 0n, code: '0x', storage: new Map(), ...fields };
}

function storage(random: Random): GenesisAccount['storage'] {
  const slots = Array.from({ length: random.between(0, 4) }, (_, slot) => [toWord(BigInt(slot)), 1n] as const);
  return new Map(slots);
}

function getPrecompiles(fork: Fork): Address[] {
  const last = includes(fork, 'prague') ? 17 : includes(fork, 'cancun') ? 10 : 9;
  const numbers = Array.from({ length: last }, (_, at) => at + 1);
  return [...numbers, ...(includes(fork, 'osaka') ? [0x100] : [])].map(makeAddress);
}

function makeAddress(number: number): Address {
  return `0x${number.toString(16).padStart(40, '0')}`;
}
