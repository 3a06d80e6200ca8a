import { RollupRefused, type TransactionOutcome } from '@switchyard/client/rollup';
import {
  signActionsAsync,
  textAction,
  transactionId,
  transferAction,
  withdrawAction,
} from '@switchyard/messenger/client';
import { type AsyncSigner, Rejected } from '@switchyard/protocol';
import type { Intent, Outgoing, OutgoingEvent } from './outgoing.ts';

class SigningFailed extends Error {}

export interface DeliveryDeps {
  readonly chainId: string;
  readonly nativeAsset: string;
  readonly signerOf: (address: string) => Promise<AsyncSigner> | undefined;
  readonly nextNonce: (address: string) => Promise<number>;
  readonly submit: (bytes: Uint8Array) => Promise<unknown>;
  readonly outcomeOf: (hash: string) => Promise<TransactionOutcome | undefined>;
}

/**
 * One step of a transaction that is not accepted yet: signing it, or passing its bytes on.
 *
 * Bytes that may have arrived are asked for, and are sent again as they are: they take effect once. Others are signed
 * only after the node has refused the first ones.
 *
 * @throws {TransportFailure} and `RollupRefused` with 429 or 5xx: nothing is decided; the step can be repeated.
 */
export async function deliver(one: Outgoing, deps: DeliveryDeps): Promise<OutgoingEvent> {
  try {
    return one.signed === undefined ? await sign(one, deps) : await pass(one, one.signed, deps);
  } catch (error) {
    if (error instanceof Rejected || error instanceof SigningFailed)
      return { kind: 'refused', key: one.key, reason: error.message };
    if (!(error instanceof RollupRefused) || error.status === 429 || error.status >= 500) throw error;
    return { kind: 'refused', key: one.key, reason: error.message };
  }
}

async function sign({ key, account, intent }: Outgoing, deps: DeliveryDeps): Promise<OutgoingEvent> {
  const signer = await deps.signerOf(account);
  if (signer === undefined) return { kind: 'refused', key, reason: `the key of ${account} is not in this browser` };
  const action = actionOf(intent, deps.nativeAsset);
  const parameters = { nonce: await deps.nextNonce(account), chainId: deps.chainId };
  const bytes = await signActionsAsync([action], parameters, signer).catch((error: unknown) => {
    // Not a matter of the connection, so repeating it by itself would not help.
    throw new SigningFailed(`the browser did not sign: ${String(error)}`);
  });
  return { kind: 'signed', key, signed: { bytes, hash: transactionId(bytes) } };
}

async function pass(
  { key, isTried }: Outgoing,
  { bytes, hash }: { readonly bytes: Uint8Array; readonly hash: string },
  { submit, outcomeOf }: DeliveryDeps,
): Promise<OutgoingEvent> {
  const known = isTried ? await outcomeOf(hash) : undefined;
  if (known !== undefined && known.state !== 'unclear') return progressOf(key, known);
  try {
    await submit(bytes);
    return { kind: 'progress', key, state: 'accepted' };
  } catch (error) {
    if (error instanceof RollupRefused && error.code.startsWith('nonce-')) return { kind: 'outrun', key };
    throw error;
  }
}

export function progressOf(key: string, { state, reason }: TransactionOutcome): OutgoingEvent {
  switch (state) {
    case 'refused':
      return { kind: 'refused', key, reason: reason ?? 'no reason was given' };
    case 'unclear':
    case 'queued':
      return { kind: 'progress', key, state: 'accepted' };
    case 'sequenced':
      return { kind: 'progress', key, state: 'ordered' };
    default:
      return { kind: 'progress', key, state };
  }
}

function actionOf(intent: Intent, feeAsset: string) {
  switch (intent.kind) {
    case 'text':
      return textAction({ text: intent.text, from: intent.name, feeAsset });
    case 'transfer':
      return transferAction({ to: intent.to, amount: intent.amount, asset: intent.asset, feeAsset });
    case 'withdrawal':
      return withdrawAction({ to: intent.to, amount: intent.amount, asset: intent.asset });
  }
}
