import { signText, signTransfer } from '@switchyard/messenger/testing';
import { createSigner, formatAddress, type Signer, txHashOf } from '@switchyard/protocol';
import { type Random, seededKey } from '@switchyard/service/testing';
import type { HttpAnswer, HttpClient } from '../../support/http-client.ts';
import { ALICE, ASSET } from '../../support/submitting.ts';
import type { ClientLog } from '../record.ts';
import type { Answer, Sender, Signed } from './lane.ts';

const GIVEN = 1_000_000n;
/** The others are transfers. */
const TEXT_SHARE = 0.8;

export interface MessengerLoad {
  readonly http: HttpClient;
  readonly seed: string;
  readonly lanes: number;
  readonly log: Pick<ClientLog, 'write'>;
  readonly random: Random;
}

/** New accounts with money of alice's, written into the log. Called before any fault. */
export async function messengerSenders({ http, seed, lanes, log, random }: MessengerLoad): Promise<Sender[]> {
  // An object by the API's contract.
  const { chainId } = (await http.json('/v1/status')) as { chainId: string };
  const signers = Array.from({ length: lanes }, (_, index) => createSigner(seededKey(seed, `messenger/${index}`)));
  const first = Number(await http.json(`/get_account_nonce/${formatAddress(ALICE.account)}`));
  let last = '';
  for (const [index, signer] of signers.entries()) {
    const to = formatAddress(signer.account);
    const terms = { nonce: first + index, chainId, to, amount: GIVEN, asset: ASSET, feeAsset: ASSET };
    const bytes = signTransfer(terms, ALICE);
    const { status, text } = await http.call({ method: 'POST', path: '/v1/transactions', body: bytes });
    if (status !== 202) throw new Error(`funding: ${status} ${text}`);
    last = txHashOf(bytes);
  }
  const done = await http.json(`/v1/transactions/${last}?wait=executed&timeoutMs=10000`);
  if (!/executed|firm/.test((done as { state: string }).state)) throw new Error(`funding: ${JSON.stringify(done)}`);
  for (const signer of signers) {
    log.write({ kind: 'account', address: formatAddress(signer.account), asset: ASSET, amount: String(GIVEN) });
  }
  const addresses = signers.map(({ account }) => formatAddress(account));
  return signers.map((signer) => makeSender(signer, { http, chainId, random, addresses }));
}

interface Terms {
  readonly http: HttpClient;
  readonly chainId: string;
  readonly random: Random;
  readonly addresses: readonly string[];
}

function makeSender(signer: Signer, { http, chainId, random, addresses }: Terms): Sender {
  const from = formatAddress(signer.account);
  return {
    from,
    sign(nonce) {
      const common = { nonce, chainId, feeAsset: ASSET };
      if (random.chance(TEXT_SHARE)) {
        const text = `${from.slice(-6)} sends number ${nonce} of a conversation`;
        return toSigned(http, signText({ ...common, text, from: 'chaos' }, signer), { kind: 'text', text });
      }
      const to = random.pick(addresses);
      const amount = BigInt(random.between(1, 20));
      const bytes = signTransfer({ ...common, to, amount, asset: ASSET }, signer);
      return toSigned(http, bytes, { kind: 'transfer', to, asset: ASSET, amount: String(amount) });
    },
  };
}

function toSigned(http: HttpClient, bytes: Uint8Array, intent: Signed['intent']): Signed {
  return {
    id: txHashOf(bytes),
    intent,
    async send({ cut }) {
      try {
        return makeAnswer(await http.call({ method: 'POST', path: '/v1/transactions', body: bytes, cut }));
      } catch (error) {
        return { outcome: 'unknown', follow: 'again', detail: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** Interprets an answer of a rollup's intake for the client. */
export function makeAnswer({ status, text }: HttpAnswer): Answer {
  if (status === 202) return { outcome: 'acknowledged', follow: 'next' };
  const detail = `${status} ${text.slice(0, 200)}`;
  const code = codeIn(text);
  // The account is used by this lane alone, so the nonce was used by this transaction, by a call that was not answered.
  if (code === 'nonce-too-low') return { outcome: 'unknown', follow: 'next', detail };
  if (code === 'outcome-unknown') return { outcome: 'unknown', follow: 'again', detail };
  if (status >= 500 || status === 429) return { outcome: 'unavailable', follow: 'again', detail };
  return { outcome: 'refused', follow: 'again', detail };
}

function codeIn(text: string): string | undefined {
  try {
    // Read as an object of the API; anything else has no code.
    return (JSON.parse(text) as { error?: { code?: string } }).error?.code;
  } catch {
    return undefined;
  }
}
