import { signEnvelopeAsync } from '@switchyard/protocol';
import type { RollupAction, TransactionBody } from '../app/definition.ts';
import type { ActionOf } from './definition.ts';
import type { AnySigner, SigningContract } from './submission.ts';

/** The signed part of the transactions of a definition. */
export type BodyOf<D> = D extends { readonly actions: infer A } ? TransactionBody<ActionOf<A>> : never;

/**
 * The signed bytes of a transaction. @throws {InvalidData} with the path of a wrong value.
 * @example
 * ```ts
 * await signTransaction(counter, { chainId: 'counter-1', nonce: 0, actions: [{ kind: 'add', amount: 5n }] }, signer);
 * ```
 */
export async function signTransaction<A extends RollupAction>(
  contract: SigningContract,
  transaction: TransactionBody<A>,
  signer: AnySigner,
): Promise<Uint8Array> {
  if ('signTransaction' in signer) return signer.signTransaction(contract, transaction);
  const { typeUrl, body } = contract;
  return signEnvelopeAsync(typeUrl, body.encode(transaction), signer);
}
