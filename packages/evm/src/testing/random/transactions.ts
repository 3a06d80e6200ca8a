import type { Random } from '@switchyard/service/testing';
import { wordOf } from '../../hex.ts';
import { signTransaction, type UnsignedTransaction } from '../../transaction-sign.ts';
import { deployer, program } from './program.ts';
import { bytes } from './words.ts';
import { SENDERS, type World } from './world.ts';

export const CHAIN_ID = 1n;
export const BASE_FEE = 7n;
/** Usual; enough for most programs, and soon used up by those that loop. */
const GAS_LIMIT = 200_000n;

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
  return {
    sender: random.between(0, SENDERS.length - 1),
    nonceOffset: random.chance(0.98) ? 0n : random.pick([1n, -1n]),
    fields: { to, data, value: value(random), gasLimit: gasLimit(random), ...form(random, world) },
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

function value(random: Random): bigint {
  return random.chance(0.6) ? 0n : random.chance(0.97) ? BigInt(random.between(1, 1_000)) : 10n ** 30n;
}

function gasLimit(random: Random): bigint {
  if (random.chance(0.7)) return GAS_LIMIT;
  return BigInt(random.between(20_900, random.pick([22_000, 40_000, 100_000])));
}

/** Type, fees and access list. */
function form(random: Random, { around }: World): Pick<UnsignedTransaction, 'chainId'> & Partial<UnsignedTransaction> {
  const fee = random.chance(0.97) ? BASE_FEE + BigInt(random.between(0, 9)) : BASE_FEE - 1n;
  const list = Array.from({ length: random.between(0, 3) }, () => ({
    address: random.pick([...around.addresses, ...around.precompiles]),
    storageKeys: Array.from({ length: random.between(0, 3) }, () => wordOf(BigInt(random.between(0, 5)))),
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
