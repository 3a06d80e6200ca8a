import { type AsyncSigner, Rejected, type Signer, signEnvelopeAsync } from '@switchyard/protocol';
import type { RollupAction, TransactionBody } from '../app/definition.ts';
import { decode, encode } from '../schema/codec.ts';
import type { Contract } from './contract.ts';

/** Bytes to be signed: nonce = 1, chain id = 2, actions = 3. @throws {InvalidData} with the path of a wrong value. */
export function encodeBody<A extends RollupAction>(
  { body }: Pick<Contract, 'body'>,
  transaction: TransactionBody<A>,
): Uint8Array {
  return encode(body, transaction as never);
}

/** @throws {Rejected} for bytes that are not the one encoding of a body. */
export function decodeBody<A extends RollupAction>(
  { body }: Pick<Contract, 'body'>,
  bytes: Uint8Array,
): TransactionBody<A> {
  // The fields of a body are those of the interface, and its actions those of the definition.
  const decoded = decode(body, bytes) as unknown as TransactionBody<A>;
  if (decoded.actions.length === 0) throw new Rejected('empty', { field: 'actions' });
  return decoded;
}

/** The signed bytes of a transaction. @throws {InvalidData} with the path of a wrong value. */
export function signTransaction<A extends RollupAction>(
  contract: Pick<Contract, 'body' | 'typeUrl'>,
  transaction: TransactionBody<A>,
  signer: Signer | AsyncSigner,
): Promise<Uint8Array> {
  const sign = async (message: Uint8Array) => signer.sign(message);
  const { publicKey, account } = signer;
  return signEnvelopeAsync(contract.typeUrl, encodeBody(contract, transaction), { publicKey, account, sign });
}
