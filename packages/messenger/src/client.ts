import {
  parseAnyAddress,
  parseDenom,
  Rejected,
  type Signer,
  signEnvelope,
  type TxHash,
  txHashOf,
  u128ToWire,
  Writer,
} from '@switchyard/protocol';
import { BODY_TYPE_URL, MAX_NAME_BYTES, MAX_TEXT_BYTES } from './limits.ts';

export {
  BODY_TYPE_URL,
  MAX_ACTIONS,
  MAX_NAME_BYTES,
  MAX_TEXT_BYTES,
  MAX_TRANSACTION_BYTES,
  TEXT_FEE,
} from './limits.ts';

/** What every transaction says beside what it does. */
export interface TransactionParameters {
  /** Number of transactions of the signer that are executed or on their way. */
  readonly nonce: number;
  /** `GET /v1/status` of the node has it. */
  readonly chainId: string;
}

export interface TextParameters extends TransactionParameters {
  readonly text: string;
  /** A display name; anybody may choose any. */
  readonly from: string;
  readonly feeAsset: string;
}

export interface TransferParameters extends TransactionParameters {
  /** Bech32m. */
  readonly to: string;
  readonly amount: bigint;
  readonly asset: string;
  readonly feeAsset: string;
}

/**
 * A signed transaction that posts a text.
 *
 * @throws {Rejected} for what the node would refuse whatever its state.
 */
export function signText({ nonce, chainId, text, from, feeAsset }: TextParameters, signer: Signer): Uint8Array {
  if (text === '') throw new Rejected('empty', { field: 'text' });
  limit('text', text, MAX_TEXT_BYTES);
  limit('name', from, MAX_NAME_BYTES);
  parseDenom(feeAsset);
  return sign({ nonce, chainId }, signer, (action) =>
    action.message(2, (message) => message.string(1, text).string(2, from).string(3, feeAsset)),
  );
}

/** A signed transaction that moves an amount. @throws {Rejected} as `signText`. */
export function signTransfer(parameters: TransferParameters, signer: Signer): Uint8Array {
  const { nonce, chainId, to, amount, asset, feeAsset } = parameters;
  parseAnyAddress(to);
  parseDenom(asset);
  parseDenom(feeAsset);
  const { lo, hi } = u128ToWire(amount);
  return sign({ nonce, chainId }, signer, (action) =>
    action.message(1, (message) =>
      message
        .message(1, (address) => address.string(2, to))
        .message(2, (number) => number.uint64(1, lo).uint64(2, hi))
        .string(3, asset)
        .string(4, feeAsset),
    ),
  );
}

/** The hash under which a node knows the transaction. */
export function transactionId(bytes: Uint8Array): TxHash {
  return txHashOf(bytes);
}

function sign(
  { nonce, chainId }: TransactionParameters,
  signer: Signer,
  writeAction: (writer: Writer) => void,
): Uint8Array {
  const body = new Writer(256)
    .message(1, (params) => params.uint32(1, nonce).string(2, chainId))
    .message(2, writeAction)
    .finish();
  return signEnvelope(BODY_TYPE_URL, body, signer);
}

function limit(field: string, text: string, bytes: number): void {
  const got = new TextEncoder().encode(text).length;
  if (got > bytes) throw new Rejected('too-large', { field, limit: `${bytes} bytes`, got: `${got} bytes` });
}
