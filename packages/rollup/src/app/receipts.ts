import { type AccountId, fromHex, type TxHash } from '@switchyard/protocol';

/** Outcome of one entry of a block. Code 0 means executed, others are those of `Rejected`. */
export interface Receipt {
  readonly hash: TxHash;
  readonly code: number;
  /** Undefined for bytes that are no transaction, and for receipts that were read from the store. */
  readonly signer?: AccountId | undefined;
}

export const RECEIPT_BYTES = 33;

/** Receipts in stored and hashed form: 32 bytes hash and one byte code each. */
export function encodeReceipts(receipts: readonly Receipt[]): Uint8Array {
  const bytes = new Uint8Array(receipts.length * RECEIPT_BYTES);
  receipts.forEach(({ hash, code }, index) => {
    bytes.set(fromHex(hash), index * RECEIPT_BYTES);
    bytes[index * RECEIPT_BYTES + 32] = code;
  });
  return bytes;
}
