import { createdAddress } from '@switchyard/evm-machine/created-address';
import type { Address, Data } from '@switchyard/evm-machine/types';
import { asList, asUint, decodeRlp, hexToBytes } from '@switchyard/protocol/ethereum';
import { InvalidData } from '@switchyard/service/input';
import { decodeLog } from '../blocks/receipt.ts';
import type { StoredReceipt } from '../chain/chain.ts';
import { effectivePrice } from '../transactions/price.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** Data from which the receipts of a block are completed. */
export interface ReceiptContext {
  readonly baseFee: bigint;
  readonly transactions: readonly { readonly tx: Transaction; readonly from: Address }[];
}

/**
 * Receipts from their committed form: one `type || rlp(status, cumulative gas, bloom, logs)` for each.
 *
 * @throws {InvalidRlp} or {InvalidData}
 */
export function receiptsFromRaw(raw: readonly Data[], { baseFee, transactions }: ReceiptContext): StoredReceipt[] {
  if (raw.length !== transactions.length)
    throw new InvalidData(`${raw.length} receipts for ${transactions.length} transactions`);
  let before = 0n;
  return transactions.map(({ tx, from }, index) => {
    const { status, cumulativeGasUsed, logs } = decodeReceipt(hexToBytes(raw[index] ?? '0x'));
    const gasUsed = cumulativeGasUsed - before;
    before = cumulativeGasUsed;
    return {
      type: tx.type,
      status,
      gasUsed,
      cumulativeGasUsed,
      effectiveGasPrice: effectivePrice(tx, baseFee),
      contractAddress: tx.to === undefined ? createdAddress(from, tx.nonce) : undefined,
      logs,
    };
  });
}

function decodeReceipt(bytes: Uint8Array): Pick<StoredReceipt, 'status' | 'cumulativeGasUsed' | 'logs'> {
  const isTyped = (bytes[0] ?? 0) < 0xc0;
  const [status, cumulative, , logs] = asList(decodeRlp(isTyped ? bytes.subarray(1) : bytes), 4);
  return {
    status: asUint(status, 1) === 1n ? 1 : 0,
    cumulativeGasUsed: asUint(cumulative, 8),
    logs: asList(logs).map(decodeLog),
  };
}
