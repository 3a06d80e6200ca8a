import { recoverSender } from '@switchyard/evm-machine/recover';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, keccak256 } from '@switchyard/protocol/ethereum';
import { signTransaction } from './sign.ts';
import { decodeTransaction } from './transaction.ts';

/** A transaction that takes the place of another one and moves nothing. */
export interface Cancellation {
  readonly raw: Uint8Array;
  readonly hash: Hash;
  readonly from: Address;
  readonly nonce: bigint;
  /** Wei that it takes at most. */
  readonly cost: bigint;
}

const TRANSFER_GAS = 21_000n;

/**
 * Signs a transfer of nothing to the sender itself, with the nonce of another transaction and fees for which the pool
 * lets it take that one's place.
 *
 * @param held EIP-2718 bytes of the other one.
 * @returns `undefined`, with the sender, if the key is not that of its sender.
 */
export function buildCancellation(
  held: Uint8Array,
  { chainId, baseFee, privateKey }: { readonly chainId: bigint; readonly baseFee: bigint; readonly privateKey: Hash },
): { readonly sender: Address | undefined; readonly cancellation: Cancellation | undefined } {
  const { nonce, maxFeePerGas, maxPriorityFeePerGas, signature } = decodeTransaction(held);
  const sender = recoverSender(signature);
  const tip = raised(maxPriorityFeePerGas);
  // Room for a base fee that rises while it waits.
  const fee = [raised(maxFeePerGas), tip, 2n * baseFee].reduce((most, each) => (each > most ? each : most));
  const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: tip };
  const raw = signTransaction({ chainId, nonce, gasLimit: TRANSFER_GAS, to: sender, value: 0n, ...fees }, privateKey);
  if (recoverSender(decodeTransaction(raw).signature) !== sender || sender === undefined) {
    return { sender, cancellation: undefined };
  }
  return {
    sender,
    cancellation: { raw, hash: bytesToHex(keccak256(raw)), from: sender, nonce, cost: TRANSFER_GAS * fee },
  };
}

/** Raises by a tenth, as replacements must be raised, and by at least one wei. */
function raised(fee: bigint): bigint {
  return (fee * 110n + 99n) / 100n + (fee === 0n ? 1n : 0n);
}
