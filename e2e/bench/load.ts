import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { signText, signTransfer } from '@switchyard/messenger/client';
import { createSigner, formatAddress, fromHex, type Signer } from '@switchyard/protocol';

/** The development account that pays for everything: a public test key. */
const ALICE = createSigner(fromHex('2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'));
const ASSET = 'nria';

export interface Account {
  readonly signer: Signer;
  readonly address: string;
  nonce: number;
}

/** HTTP to one rollup node over connections that stay open. */
export class Node {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(readonly url: string) {}

  /** @returns status and body; the body is at most a few MiB. */
  call(method: string, path: string, body?: Uint8Array): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const headers =
        body === undefined ? {} : { 'content-type': 'application/octet-stream', 'content-length': body.length };
      const outgoing = request(`${this.url}${path}`, { method, agent: this.#agent, headers }, (incoming) => {
        const chunks: Uint8Array[] = [];
        incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
        incoming.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  async json(path: string): Promise<Record<string, unknown>> {
    const { status, text } = await this.call('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    // An object by the API's contract; the fields that are used are converted where they are used.
    return JSON.parse(text) as Record<string, unknown>;
  }

  close(): void {
    this.#agent.destroy();
  }
}

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

/** Submits in order, again and again while the node reports a full queue. @returns how many were refused. */
export async function submitBatch(node: Node, transactions: readonly Uint8Array[]): Promise<number> {
  const body = frame(transactions);
  for (;;) {
    const { status, text } = await node.call('POST', '/v1/transactions:batch', body);
    if (status === 200) {
      const refused = (JSON.parse(text) as { refused?: readonly unknown[] }).refused ?? [];
      if (refused.length > 0) throw new Error(`refused: ${JSON.stringify(refused.slice(0, 3))}`);
      return refused.length;
    }
    if (status !== 503 && status !== 429) throw new Error(`batch: ${status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** New accounts with money enough for a million texts each, paid by alice. */
export async function fundedAccounts(node: Node, chainId: string, count: number): Promise<Account[]> {
  const accounts = Array.from({ length: count }, () => {
    const signer = createSigner(new Uint8Array(randomBytes(32)));
    return { signer, address: formatAddress(signer.account), nonce: 0 };
  });
  let { text } = await node.call('GET', `/get_account_nonce/${formatAddress(ALICE.account)}`);
  text = text.replaceAll('"', '');
  const transfers = accounts.map(({ address }, index) =>
    signTransfer(
      { nonce: Number(text) + index, chainId, to: address, amount: 1_000_000n, asset: ASSET, feeAsset: ASSET },
      ALICE,
    ),
  );
  await submitBatch(node, transfers);
  for (;;) {
    const { text: balance } = await node.call('GET', `/get_account_balance/${accounts.at(-1)?.address}/${ASSET}`);
    if (balance !== '"0"') return accounts;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
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
