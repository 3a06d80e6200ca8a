import { RollupRefused, type ToSign, type TransactionOutcome } from '@switchyard/client/rollup';
import { type MessengerAction, signAsync } from '@switchyard/messenger/client';
import { type AsyncSigner, parseAnyAddress, parseDenom, Rejected, txHashOf } from '@switchyard/protocol';
import type { Intent, Outgoing, OutgoingEvent, Signed } from './outgoing.ts';

class SigningFailed extends Error {}

export interface DeliveryDeps {
  readonly nativeAsset: string;
  readonly getSigner: (address: string) => Promise<AsyncSigner> | undefined;
  readonly toSign: (address: string) => Promise<ToSign>;
  readonly submit: (bytes: Uint8Array) => Promise<unknown>;
  readonly getOutcome: (signed: Signed) => Promise<TransactionOutcome | undefined>;
}

/**
 * One step of a transaction that is not accepted yet: signing it, or passing its bytes on.
 *
 * Bytes that may have arrived are looked up, and are sent again unchanged: they take effect once. Others are signed
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
  const signer = await deps.getSigner(account);
  if (signer === undefined) return { kind: 'refused', key, reason: `the key of ${account} is not in this browser` };
  const action = getAction(intent, deps.nativeAsset);
  const { body, blocks } = await deps.toSign(account);
  const bytes = await signAsync({ ...body, actions: [action] }, signer).catch((error: unknown) => {
    // Not a matter of the connection, so repeating it on its own would not help.
    throw new SigningFailed(`the browser did not sign: ${String(error)}`);
  });
  return { kind: 'signed', key, signed: { bytes, hash: txHashOf(bytes), blocks } };
}

async function pass(
  { key, isTried }: Outgoing,
  signed: Signed,
  { submit, getOutcome }: DeliveryDeps,
): Promise<OutgoingEvent> {
  const known = isTried ? await getOutcome(signed) : undefined;
  if (known !== undefined && known.state !== 'unclear') return getProgress(key, known);
  try {
    await submit(signed.bytes);
    return { kind: 'progress', key, state: 'accepted' };
  } catch (error) {
    if (error instanceof RollupRefused && error.code.startsWith('nonce-')) return { kind: 'outrun', key };
    throw error;
  }
}

export function getProgress(key: string, { state, reason }: TransactionOutcome): OutgoingEvent {
  switch (state) {
    case 'refused':
      return { kind: 'refused', key, reason: reason ?? 'no reason was given' };
    case 'expired':
      return { kind: 'refused', key, reason: 'it has expired: no block had it in time' };
    case 'unclear':
    case 'queued':
      return { kind: 'progress', key, state: 'accepted' };
    case 'sequenced':
      return { kind: 'progress', key, state: 'ordered' };
    default:
      return { kind: 'progress', key, state };
  }
}

function getAction(intent: Intent, nativeAsset: string): MessengerAction {
  const feeAsset = parseDenom(nativeAsset);
  if (intent.kind === 'text') {
    const [text, name] = [intent.text, intent.name].map(wellFormed) as [string, string];
    return { kind: 'sendText', text, name, feeAsset };
  }
  const paid = { to: parseAnyAddress(intent.to), amount: intent.amount, asset: parseDenom(intent.asset) };
  return intent.kind === 'transfer' ? { kind: 'transfer', ...paid, feeAsset } : { kind: 'withdraw', ...paid, memo: '' };
}

/** Half of a surrogate pair, which a page may be pasted, has no UTF-8 and is refused if it is signed. */
const wellFormed = (text: string) => text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
