import { type AsyncSigner, type Signer, signEnvelopeAsync } from '@switchyard/protocol';
import type { RollupAction, TransactionBody } from '../app/definition.ts';
import type { Contract } from './contract.ts';
import type { ActionOf } from './definition.ts';

/** The signed part of the transactions of a definition. */
export type BodyOf<D> = D extends { readonly actions: infer A } ? TransactionBody<ActionOf<A>> : never;

/**
 * The signed bytes of a transaction. @throws {InvalidData} with the path of a wrong value.
 * @example
 * ```ts
 * await signTransaction(counter, { chainId: 'counter-1', nonce: 0, actions: [{ kind: 'add', amount: 5n }] }, signer);
 * ```
 */
export function signTransaction<A extends RollupAction>(
  { typeUrl, body }: Pick<Contract, 'body' | 'typeUrl'>,
  transaction: TransactionBody<A>,
  signer: Signer | AsyncSigner,
): Promise<Uint8Array> {
  const sign = async (message: Uint8Array) => signer.sign(message);
  const { publicKey, account } = signer;
  return signEnvelopeAsync(typeUrl, body.encode(transaction), { publicKey, account, sign });
}
