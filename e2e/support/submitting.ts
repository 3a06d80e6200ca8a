import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { signText, signTransfer } from '@switchyard/messenger/testing';
import { createSigner, formatAddress, fromHex, type Signer, txHashOf } from '@switchyard/protocol';

export const ASSET = 'nria';
/** Public test keys of the development accounts. */
export const ALICE = createSigner(fromHex('2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'));
export const BOB = createSigner(fromHex('b70fd3b99cab2d98dbd73602deb026b9cdc9bb7b85d35f0bbb81b17c78923dd0'));
export const getAddress = (signer: Signer): string => formatAddress(signer.account);
export const newSigner = (): Signer => createSigner(new Uint8Array(randomBytes(32)));

/** An answer of a rollup node. */
export interface Answer {
  readonly status: number;
  /** The parsed JSON body; tests look at single members of it. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape
  readonly body: any;
}

export async function ask(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) });
  return { status: response.status, body: await response.json().catch(() => undefined) };
}

/**
 * The body of an existing document. Asks again while the server refuses for the rate of its client's address, as a careful
 * client does. @throws Error for any other status than 200, with the body.
 */
export async function read(url: string): Promise<Answer['body']> {
  for (;;) {
    const { status, body } = await ask(url);
    if (status === 200) return body;
    if (status !== 429) throw new Error(`${url}: ${status} ${JSON.stringify(body)}`);
    await sleep(100);
  }
}

export const post = (url: string, bytes: Uint8Array): Promise<Answer> =>
  ask(url, { method: 'POST', body: new Uint8Array(bytes) });

export async function getNonce(rollupUrl: string, signer: Signer): Promise<number> {
  return Number((await ask(`${rollupUrl}/get_account_nonce/${getAddress(signer)}`)).body);
}

export async function balanceOf(rollupUrl: string, signer: Signer, asset = ASSET): Promise<bigint> {
  return BigInt((await ask(`${rollupUrl}/get_account_balance/${getAddress(signer)}/${asset}`)).body);
}

export interface Written {
  readonly hash: string;
  readonly text: string;
}

/**
 * Writes texts one after another, as a careful client does: the same bytes again until the node acknowledges them, through
 * refused connections, lost answers and limits of its address. @returns the acknowledged texts, when `until` resolves.
 */
export async function writeTexts(
  rollupUrl: string,
  signer: Signer,
  { chainId, name, until }: { chainId: string; name: string; until: () => boolean },
): Promise<Written[]> {
  const written: Written[] = [];
  let nonce = await getNonce(rollupUrl, signer);
  while (!until()) {
    const text = `${name} ${nonce}`;
    const bytes = signText({ nonce, chainId, text, from: name, feeAsset: ASSET }, signer);
    const hash = txHashOf(bytes);
    for (;;) {
      const answer = await post(`${rollupUrl}/v1/transactions`, bytes).catch(() => undefined);
      if (answer?.status === 202) break;
      // Taken before, by a call whose answer was lost.
      if (answer?.status === 409) {
        const known = await ask(`${rollupUrl}/v1/transactions/${hash}`).catch(() => undefined);
        if (known?.status === 200) break;
      } else if (answer !== undefined && answer.status !== 503 && answer.status !== 429) {
        throw new Error(`text ${nonce} of ${name}: ${JSON.stringify(answer)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    written.push({ hash, text });
    nonce += 1;
  }
  return written;
}

/** The texts that a messenger shows, sorted. */
export async function getTexts(rollupUrl: string): Promise<string[]> {
  const texts: string[] = [];
  for (;;) {
    const { body } = await ask(`${rollupUrl}/v1/texts?after=${texts.length}&limit=1000`);
    if (body.texts.length === 0) return texts.sort();
    texts.push(...body.texts.map(({ message }: { message: string }) => message));
  }
}

/** Gives new accounts money of alice's. */
export async function fund(rollupUrl: string, chainId: string, signers: readonly Signer[]): Promise<void> {
  let nonce = await getNonce(rollupUrl, ALICE);
  let last = '';
  for (const signer of signers) {
    const to = getAddress(signer);
    const bytes = signTransfer({ nonce, chainId, to, amount: 100_000n, asset: ASSET, feeAsset: ASSET }, ALICE);
    const answer = await post(`${rollupUrl}/v1/transactions`, bytes);
    if (answer.status !== 202) throw new Error(JSON.stringify(answer));
    last = txHashOf(bytes);
    nonce += 1;
  }
  const done = await ask(`${rollupUrl}/v1/transactions/${last}?wait=executed&timeoutMs=9000`);
  if (done.body?.state !== 'executed' && done.body?.state !== 'firm') throw new Error(JSON.stringify(done));
}
