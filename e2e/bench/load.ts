import { get } from 'node:http';
import { signText, signTransfer } from '@switchyard/messenger/testing';
import type { Signer } from '@switchyard/protocol';
import { HttpClient } from '../support/http-client.ts';
import type { Network } from '../support/network.ts';
import { ALICE, ASSET, balanceOf, getAddress, getNonce, newSigner } from '../support/submitting.ts';

export interface Account {
  readonly signer: Signer;
  nonce: number;
}

/** A client that waits for as long as a node under load may take. */
export const patient = (url: string): HttpClient => new HttpClient(url, { timeoutMs: 600_000 });

/** The body of a batch: each transaction behind its length, 4 bytes, big-endian. */
export function frame(transactions: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.allocUnsafe(transactions.reduce((sum, bytes) => sum + 4 + bytes.length, 0));
  let at = 0;
  for (const bytes of transactions) {
    at = body.writeUInt32BE(bytes.length, at);
    body.set(bytes, at);
    at += bytes.length;
  }
  return body;
}

/** Submits in order, again and again while the node reports a full queue. */
export async function submitBatch(node: HttpClient, transactions: readonly Uint8Array[]): Promise<void> {
  const body = frame(transactions);
  for (;;) {
    const { status, text } = await node.call({ method: 'POST', path: '/v1/transactions:batch', body });
    if (status === 200) {
      const refused = (JSON.parse(text) as { refused?: readonly unknown[] }).refused ?? [];
      if (refused.length > 0) throw new Error(`refused: ${JSON.stringify(refused.slice(0, 3))}`);
      return;
    }
    if (status !== 503 && status !== 429) throw new Error(`batch: ${status} ${text}`);
    await pause(20);
  }
}

export interface MessengerStatus {
  readonly chainId: string;
  readonly texts: number | string;
  readonly sequencerHeight: number | string;
}

/** An object by the API's contract; its members are converted on use. */
export const getStatus = async (node: HttpClient) => (await node.json('/v1/status')) as MessengerStatus;

/** New accounts with money enough for a million texts each, paid by alice. */
export async function fundedAccounts(node: HttpClient, chainId: string, count: number): Promise<Account[]> {
  const accounts = Array.from({ length: count }, () => ({ signer: newSigner(), nonce: 0 }));
  const first = await getNonce(node.url, ALICE);
  const money = { chainId, amount: 1_000_000n, asset: ASSET, feeAsset: ASSET };
  const transfers = accounts.map(({ signer }, index) =>
    signTransfer({ nonce: first + index, to: getAddress(signer), ...money }, ALICE),
  );
  await submitBatch(node, transfers);
  const last = accounts.at(-1)?.signer ?? ALICE;
  while ((await balanceOf(node.url, last)) === 0n) await pause(20);
  return accounts;
}

let counter = 0;

/** The next text of an account: about 50 bytes of text, as people write in a chat. */
export function nextText(account: Account, chainId: string): Uint8Array {
  counter += 1;
  const text = `message ${counter} of a conversation of ordinary length`;
  const signed = signText({ nonce: account.nonce, chainId, text, from: 'bench', feeAsset: ASSET }, account.signer);
  account.nonce += 1;
  return signed;
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Follows a stream of events, of which `take` gets one or several whole ones at a time. @returns how to end it. */
export function follow(url: string, take: (events: string) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const outgoing = get(url, { agent: false, headers: { accept: 'text/event-stream' } }, (incoming) => {
      if (incoming.statusCode !== 200) reject(new Error(`${url}: ${incoming.statusCode}`));
      let rest = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        const text = rest + chunk;
        const end = text.lastIndexOf('\n\n') + 2;
        rest = end < 2 ? text : text.slice(end);
        if (end >= 2) take(text.slice(0, end));
      });
      incoming.on('error', () => undefined);
      resolve(() => outgoing.destroy());
    });
    outgoing.on('error', reject);
  });
}

const ACCOUNTS = 100;
/** Accounts are divided among lanes; a lane sends one batch after another, so an account's nonces arrive in order. */
const LANES = 8;
const ROUNDS_PER_BATCH = 8;

export interface SustainOptions {
  readonly seconds: number;
  /** Stop once this many sequencer blocks exist. */
  readonly untilBlocks?: number;
  /** Hold back to this rate instead of going as fast as the stack takes it. */
  readonly textsPerSecond?: number;
}

/** Submits texts for a time and waits until the last is executed. The rate counts from the first submission to the last execution. */
export async function sustain(
  network: Network,
  { seconds, untilBlocks, textsPerSecond }: SustainOptions,
): Promise<{ texts: number; elapsed: number; textsPerSecond: number }> {
  const node = patient(network.url('rollup'));
  try {
    const { chainId } = await getStatus(node);
    const accounts = await fundedAccounts(node, chainId, ACCOUNTS);
    const texts = async () => Number((await getStatus(node)).texts);
    const before = await texts();
    const start = performance.now();
    const elapsedMs = () => performance.now() - start;
    let sent = 0;
    let done = false;
    const lane = async (mine: readonly Account[]) => {
      const [rounds, senders] = textsPerSecond === undefined ? [ROUNDS_PER_BATCH, mine] : [1, mine.slice(0, 1)];
      while (!done && elapsedMs() < seconds * 1_000) {
        const batch: Uint8Array[] = [];
        for (let round = 0; round < rounds; round += 1)
          for (const account of senders) batch.push(nextText(account, chainId));
        await submitBatch(node, batch);
        sent += batch.length;
        const wait = textsPerSecond === undefined ? 0 : (sent / textsPerSecond) * 1_000 - elapsedMs();
        if (wait > 0) await pause(wait);
      }
    };
    const watch = async () => {
      while (untilBlocks !== undefined && !done) {
        done = Number((await getStatus(node)).sequencerHeight) >= untilBlocks;
        await pause(200);
      }
    };
    const lanes = Array.from({ length: LANES }, (_, index) =>
      lane(accounts.filter((_each, at) => at % LANES === index)),
    );
    await Promise.all([...lanes, watch()]);
    while ((await texts()) - before < sent) await pause(10);
    const elapsed = elapsedMs() / 1_000;
    const executed = (await texts()) - before;
    if (executed !== sent) throw new Error(`sent ${sent} texts, executed ${executed}`);
    return { texts: sent, elapsed, textsPerSecond: sent / elapsed };
  } finally {
    node.close();
  }
}
