import { Reader, type Signer, signEnvelope, Writer } from '@switchyard/protocol';
import type { TransactionBody } from '@switchyard/rollup';
import type { Add } from './add.ts';

/** Names what is signed. Another value makes every signature invalid. */
export const TYPE_URL = '/counter.v1.TransactionBody';

export interface AddParameters {
  /** Number of transactions that the signer has already submitted. */
  readonly nonce: number;
  /** Chain id of the counter, not of the sequencer. */
  readonly chainId: string;
  readonly amount: bigint;
}

/** A signed transaction, as protobuf: nonce = 1, chain id = 2, amount = 3. */
export function signAdd({ nonce, chainId, amount }: AddParameters, signer: Signer): Uint8Array {
  const body = new Writer().uint32(1, nonce).string(2, chainId).uint64(3, amount).finish();
  return signEnvelope(TYPE_URL, body, signer);
}

/** @throws {Rejected} for bytes that are not such a message; anybody may put any bytes into a block. */
export function decodeBody(body: Uint8Array): TransactionBody<Add> {
  const reader = new Reader(body, 'TransactionBody');
  let nonce = 0;
  let chainId = '';
  let amount = 0n;
  while (reader.next()) {
    if (reader.field === 1) nonce = reader.uint32();
    else if (reader.field === 2) chainId = reader.string();
    else if (reader.field === 3) amount = reader.uint64();
    else reader.skip();
  }
  return { nonce, chainId, actions: [{ kind: 'add', amount }] };
}
