import { signAuthorization } from '@switchyard/evm-machine/authorization-testing';
import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Address } from '@switchyard/evm-machine/types';
import { toWord, ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import type { Random } from '@switchyard/service/testing';
import { signTransaction, type UnsignedTransaction } from '../../transactions/sign.ts';
import { deployer, program } from './program.ts';
import { bytes } from './words.ts';
import { AUTHORITIES, SENDERS, type World } from './world.ts';

export const CHAIN_ID = 1n;
export const BASE_FEE = 7n;
/** Usual; enough for most programs, and soon used up by loops. */
const GAS_LIMIT = 200_000n;
/** EIP-8037: growth of the state costs that much more. */
const GAS_LIMIT_WITH_STATE = 1_200_000n;
const MAX_GAS = 16_777_216n;

/** A transaction before its sender's nonce is known. */
export interface Draft {
  readonly sender: number;
  /** Added to the next nonce; other than 0 it is refused. */
  readonly nonceOffset: bigint;
  readonly fields: Omit<UnsignedTransaction, 'nonce'>;
}

export function draftTransaction(random: Random, world: World, to = recipient(random, world)): Draft {
  const isCreation = to === undefined;
  const code = () => program(random, world.around);
  const data = isCreation
    ? random.chance(0.7)
      ? deployer(code(), random)
      : code()
    : bytes(random, random.pick([0, 0, 4, 32, 36, 64, 100]));
  const sender = random.between(0, SENDERS.length - 1);
  const isOdd = includes(world.around.fork, 'amsterdam') && !isCreation && random.chance(0.1);
  return {
    sender,
    nonceOffset: random.chance(0.98) ? 0n : random.pick([1n, -1n]),
    fields: {
      ...{ to, data, value: value(random), gasLimit: gasLimit(random, world.around.fork), ...form(random, world) },
      ...(includes(world.around.fork, 'prague') && random.chance(0.15) ? setsCode(random, world) : {}),
      ...(isOdd ? { to: oddRecipient(random, sender) } : {}),
    },
  };
}

export function signDraft({ sender, nonceOffset, fields }: Draft, next: bigint): Uint8Array {
  const account = SENDERS[sender];
  if (account === undefined) throw new RangeError(`no sender ${sender}`);
  const nonce = next + nonceOffset < 0n ? next : next + nonceOffset;
  return signTransaction({ ...fields, nonce }, account.privateKey);
}

function recipient(random: Random, { contracts, around }: World) {
  if (random.chance(0.12)) return undefined;
  return random.pick(random.chance(0.85) ? contracts : random.chance(0.5) ? around.precompiles : around.addresses);
}

/** EIP-2780: the sender itself, or an account that is not there yet. */
function oddRecipient(random: Random, sender: number): Address {
  const own = SENDERS[sender]?.address;
  if (own !== undefined && random.chance(0.5)) return own;
  return `0x${'f'.repeat(36)}${random.between(0x1000, 0xffff).toString(16)}`;
}

function value(random: Random): bigint {
  return random.chance(0.6) ? 0n : random.chance(0.97) ? BigInt(random.between(1, 1_000)) : 10n ** 30n;
}

function gasLimit(random: Random, fork: Fork): bigint {
  if (includes(fork, 'amsterdam') && random.chance(0.7)) {
    if (random.chance(0.5)) return GAS_LIMIT_WITH_STATE;
    // Around the costs of an account and a slot, and with a reservoir alongside the gas of code.
    if (random.chance(0.6)) return BigInt(random.between(12_000, random.pick([25_000, 130_000, 260_000, 500_000])));
    return MAX_GAS + BigInt(random.between(-2, random.pick([2, 100_000, 200_000, 400_000])));
  }
  if (random.chance(0.7)) return GAS_LIMIT;
  return BigInt(random.between(20_900, random.pick([22_000, 40_000, 100_000])));
}

/** Type 4: for accounts that may have signed before, with nonces that may be right. Without a recipient it is refused. */
function setsCode(random: Random, { around }: World): Partial<UnsignedTransaction> {
  const authorizations = Array.from({ length: random.between(random.chance(0.05) ? 0 : 1, 3) }, () => {
    const { privateKey } = random.pick(random.chance(0.9) ? AUTHORITIES : SENDERS);
    const address = random.pick([...around.addresses, ...around.precompiles, ZERO_ADDRESS, ZERO_ADDRESS]);
    const chainId = random.pick([0n, CHAIN_ID, CHAIN_ID, CHAIN_ID + 1n]);
    const signed = signAuthorization({ chainId, address, nonce: BigInt(random.between(0, 3)) }, privateKey);
    return random.chance(0.95) ? signed : { ...signed, yParity: 1n - signed.yParity };
  });
  const fees = { maxFeePerGas: BASE_FEE + 2n, maxPriorityFeePerGas: 1n };
  return { authorizations, chainId: CHAIN_ID, gasPrice: undefined, ...fees };
}

/** Type, fees and access list. */
function form(random: Random, { around }: World): Pick<UnsignedTransaction, 'chainId'> & Partial<UnsignedTransaction> {
  const fee = random.chance(0.97) ? BASE_FEE + BigInt(random.between(0, 9)) : BASE_FEE - 1n;
  const list = Array.from({ length: random.between(0, 3) }, () => ({
    address: random.pick([...around.addresses, ...around.precompiles]),
    storageKeys: Array.from({ length: random.between(0, 3) }, () => toWord(BigInt(random.between(0, 5)))),
  }));
  switch (random.between(0, 3)) {
    case 0:
      return { chainId: CHAIN_ID, gasPrice: fee };
    case 1:
      return { chainId: CHAIN_ID, gasPrice: fee, accessList: list };
    case 2:
      return { chainId: undefined, gasPrice: fee };
    default: {
      const tip = random.chance(0.97) ? BigInt(random.between(0, Number(fee))) : fee + 1n;
      return { chainId: CHAIN_ID, maxFeePerGas: fee, maxPriorityFeePerGas: tip, accessList: list };
    }
  }
}
