import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createFeeMarket1559Tx } from '@ethereumjs/tx';
import { bytesToHex, hexToBytes } from '@ethereumjs/util';
import type { Address, Hash, Log } from '@switchyard/evm-machine/types';
import type { PoolTransaction } from '../../pool/pool.ts';
import type { GivenTransaction } from './memory-chain.ts';

const KEY = hexToBytes(`0x${'11'.repeat(32)}`);
const common = createCustomCommon({ chainId: 1_337 }, Mainnet, { hardfork: Hardfork.Cancun });
export const SENDER: Address = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a';
export const CONTRACT: Address = `0x${'c0'.repeat(20)}`;

/** A signed transfer; the nonce distinguishes them. */
export function transfer(nonce: number): GivenTransaction {
  const signed = createFeeMarket1559Tx(
    {
      ...{ chainId: 1_337n, nonce: BigInt(nonce), gasLimit: 21_000n, to: CONTRACT, value: 1n },
      ...{ maxFeePerGas: 2_000n, maxPriorityFeePerGas: 1n },
    },
    { common },
  ).sign(KEY);
  return { hash: bytesToHex(signed.hash()), from: SENDER, raw: signed.serialize() };
}

export function pendingTransfer(nonce: number): PoolTransaction {
  return { ...transfer(nonce), nonce: BigInt(nonce), state: 'sent', receivedAt: 0 };
}

/** A word that ends in `number`. */
export function topic(number: number): Hash {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

export function log(address: Address, ...topics: readonly Hash[]): Log {
  return { address, topics, data: Uint8Array.of(1) };
}
