import { encodeRlp, type RlpInput } from '@switchyard/protocol/ethereum';
import { typed } from '../transactions/sign.ts';
import type { EvmMessage } from './evm-message.ts';

/** Properties that decide the type of a transaction, in addition to those of its message. */
export interface TransactionForm {
  readonly chainId: bigint;
  /** That the request gave a gas price, which only types 0 and 1 have. */
  readonly priced: boolean;
  /** That it gave an access list, though that may be empty. */
  readonly listed: boolean;
}

/** EIP-2718 bytes of a message as a transaction with a signature of zeros: as if it could be signed. */
export function encodeUnsigned(message: EvmMessage, { chainId, priced, listed }: TransactionForm) {
  const { nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, to, value, data, blobHashes, authorizations } = message;
  const target = to ?? '0x';
  const none = [0n, 0n, 0n];
  const list = message.accessList.map(({ address, storageKeys }) => [address, storageKeys]);
  if (priced && !listed)
    return { type: 0, raw: encodeRlp([nonce, maxFeePerGas, gasLimit, target, value, data, ...none]) };
  const fees = priced ? [maxFeePerGas] : [maxPriorityFeePerGas, maxFeePerGas];
  const common = [chainId, nonce, ...fees, gasLimit, target, value, data, list];
  if (priced) return ofType(1, [...common, ...none]);
  if (blobHashes !== undefined) return ofType(3, [...common, message.maxFeePerBlobGas, blobHashes, ...none]);
  if (authorizations.length === 0) return ofType(2, [...common, ...none]);
  const signed = authorizations.map(({ chainId: id, address, nonce: count, yParity, r, s }) => [
    ...[id, address, count, yParity, BigInt(r), BigInt(s)],
  ]);
  return ofType(4, [...common, signed, ...none]);
}

function ofType(type: number, fields: RlpInput): { readonly type: number; readonly raw: Uint8Array } {
  return { type, raw: typed(type, fields) };
}
