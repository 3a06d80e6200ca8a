/** Whether the local layer takes a transaction: the checks of Celestia's consensus nodes, with their codes and texts. */
import { Rejected, type TxHash, txHashOf } from '@switchyard/protocol';
import {
  type BlobTx,
  type CelestiaAccount,
  type CelestiaBlob,
  decodeBlobTx,
  decodePayment,
  formatCelestiaAddress,
  MAX_BLOB_TX_LENGTH,
  type Payment,
  payForBlobsGas,
  verifyPayForBlobs,
  verifyPayment,
} from '@switchyard/protocol/celestia';
import { feeFor, formatGasPrice, type GasPrice } from '../celestia/gas-price.ts';
import type { LocalAccount } from './accounts.ts';

/** Parameters of Celestia of today. */
export const GAS_PER_BLOB_BYTE = 8;
export const TX_SIZE_COST_PER_BYTE = 10n;

export interface CheckedTx {
  readonly id: TxHash;
  /** The BlobTx. */
  readonly bytes: Uint8Array;
  readonly payment: Payment;
  readonly blobs: readonly CelestiaBlob[];
}

/** The result of a transaction that is not taken. @see cosmos-sdk, types/errors/errors.go */
export interface TxRefusal {
  readonly code: number;
  readonly text: string;
}

/** Blobs other than the paid ones: Celestia answers with an error of gRPC, not with a result. */
export class BlobRefusal extends Error {
  constructor(code: number, text: string) {
    super(`codespace blob code ${code}: ${text}`);
  }
}

export interface CheckContext {
  readonly chainId: string;
  readonly minimumGasPrice: GasPrice;
  /** Height of the next block. */
  readonly height: bigint;
  /** Counting transactions that wait for a block. */
  account(payer: CelestiaAccount): LocalAccount | undefined;
}

/** @throws {BlobRefusal} */
export function checkTx(bytes: Uint8Array, context: CheckContext): CheckedTx | TxRefusal {
  if (bytes.length > MAX_BLOB_TX_LENGTH) {
    const limit = `the application's configured threshold of ${MAX_BLOB_TX_LENGTH} bytes`;
    return { code: 21, text: `tx size ${bytes.length} bytes exceeds ${limit}: tx too large` };
  }
  let tx: BlobTx;
  let payment: Payment;
  try {
    tx = decodeBlobTx(bytes);
    payment = decodePayment(tx.payment);
  } catch (error) {
    if (error instanceof Rejected) return { code: 2, text: `${error.message}: tx parse error` };
    throw error;
  }
  const refusal = checkPayment(tx, payment, context);
  if (refusal !== undefined) return refusal;
  // Last, since the commitments of large blobs take long, and strangers do not get here.
  checkBlobs(tx, payment);
  return { id: txHashOf(tx.payment), bytes, payment, blobs: tx.blobs };
}

function checkPayment(
  { payment: signed, blobs }: BlobTx,
  payment: Payment,
  { chainId, account, height, minimumGasPrice }: CheckContext,
): TxRefusal | undefined {
  const { fee, gasLimit, sequence, timeoutHeight } = payment;
  const { payer } = payment.message;
  if (timeoutHeight !== 0n && timeoutHeight < height) {
    return { code: 30, text: `block height: ${height - 1n}, timeout height: ${timeoutHeight}: tx timeout height` };
  }
  const required = feeFor(gasLimit, minimumGasPrice);
  if (fee < required) {
    const price = `min gas price: ${formatGasPrice(minimumGasPrice)} utia/gas`;
    const text = `insufficient minimum gas price for this node; got: ${fee}utia, required: ${required}utia (${price}): insufficient fee`;
    return { code: 13, text };
  }
  const own = account(payer);
  const address = formatCelestiaAddress(payer);
  if (own === undefined) return { code: 9, text: `fee payer address: ${address} does not exist: unknown address` };
  if (own.balance < fee) {
    return { code: 5, text: `spendable balance ${own.balance}utia is smaller than ${fee}utia: insufficient funds` };
  }
  if (sequence !== own.sequence) {
    const text = `account sequence mismatch, expected ${own.sequence}, got ${sequence}: incorrect account sequence`;
    return { code: 32, text };
  }
  if (!isSigned(signed, chainId, own.number)) {
    const what = `account number (${own.number}) and chain-id (${chainId})`;
    return { code: 4, text: `signature verification failed; please verify ${what}: unauthorized` };
  }
  const least = payForBlobsGas(blobs, { gasPerBlobByte: BigInt(GAS_PER_BLOB_BYTE), txSizeCostPerByte: 0n }) - FIXED_GAS;
  if (gasLimit >= least) return undefined;
  return { code: 11, text: `not enough gas to pay for blobs (minimum: ${least}, got: ${gasLimit}): out of gas` };
}

/** Share of `payForBlobsGas` that estimates the rest of the transaction, not its blobs. */
const FIXED_GAS = payForBlobsGas([], { gasPerBlobByte: 0n, txSizeCostPerByte: 0n });

function isSigned(bytes: Uint8Array, chainId: string, accountNumber: bigint): boolean {
  try {
    verifyPayment(bytes, { chainId, accountNumber });
    return true;
  } catch (error) {
    if (error instanceof Rejected) return false;
    throw error;
  }
}

function checkBlobs({ blobs }: BlobTx, { message }: Payment): void {
  try {
    verifyPayForBlobs(message, blobs);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    if (error.facts.author !== undefined) throw new BlobRefusal(11_140, `invalid blob signer: ${error.message}`);
    throw new BlobRefusal(11_116, `invalid commitment for share: ${error.message}`);
  }
}
