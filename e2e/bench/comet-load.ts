import { randomBytes } from 'node:crypto';
import { createSigner, parseDenom, rollupIdFromName, signTransaction } from '@switchyard/protocol';
import { quantile } from '../support/statistics.ts';
import { ask } from '../support/submitting.ts';
import { pause } from './load.ts';

/** `kvstore` is CometBFT's own application, in a process of its own as ours is. */
export type App = 'ours' | 'kvstore';

const CHAIN = 'comet-test-1';
/**
 * One lane for each account. CometBFT gathers what it writes to an application's socket for up to 20 ms, and a lane waits for
 * the checks of one transaction after another: a few lanes would measure that pause.
 */
export const LANES = 256;
const BATCH = 8;
const DATA_BYTES = 256;
/**
 * Sent and in no block yet. CometBFT shows a block before it takes its transactions out of the mempool, so that twice as
 * many can be there, of 5,000 that it holds; transactions that find it full are lost.
 */
const IN_FLIGHT = 2_000;
/**
 * Signed before the clock starts; a run ends early when all are used. Several validators share this machine, and include
 * a third of it.
 */
const PREPARED_PER_SECOND = { ours: 5_000, kvstore: 12_000 } as const;
const PREPARED_AMONG_SEVERAL = { ours: 2_000, kvstore: 4_000 } as const;
/** Transactions whose time is taken, one after another by this many senders: the moment of each in the pause between blocks is chance. */
const SINGLES = 20;
const SENDERS = 4;

export const signers = Array.from({ length: LANES }, () => createSigner(new Uint8Array(randomBytes(32))));
/** Native asset of a local network. */
const NATIVE = parseDenom('ntia');
const rollup = rollupIdFromName('bench');

/** The next transaction of an account of this chain, some hundred bytes. */
export function submission(nonces: number[], account: number): Uint8Array {
  const signer = signers[account];
  if (signer === undefined) throw new Error(`no account ${account}`);
  const nonce = nonces[account] ?? 0;
  nonces[account] = nonce + 1;
  const data = new Uint8Array(randomBytes(DATA_BYTES));
  return signTransaction(
    { nonce, chainId: CHAIN, actions: [{ kind: 'rollupDataSubmission', rollup, data, feeAsset: NATIVE }] },
    signer,
  );
}

export const LENGTH = submission([], 0).length;

let pairs = 0;
/** `key=value`, as long as a submission. */
function pair(): Uint8Array {
  pairs += 1;
  const key = `key${pairs}=`;
  return Buffer.from(key + randomBytes(LENGTH).toString('hex').slice(key.length, LENGTH));
}

/** A running network of CometBFT. */
export interface Chain {
  readonly app: App;
  readonly rpcs: readonly string[];
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface RpcAnswer {
  readonly error?: { readonly message: string; readonly data?: string };
  // biome-ignore lint/suspicious/noExplicitAny: CometBFT's, read member by member
  readonly result?: any;
}

async function rpc(url: string, method: string, txs: readonly Uint8Array[]): Promise<RpcAnswer[]> {
  const calls = txs.map((tx, id) => ({
    jsonrpc: '2.0',
    id,
    method,
    params: { tx: Buffer.from(tx).toString('base64') },
  }));
  const { body } = await ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  });
  const answers: RpcAnswer[] = [body].flat();
  const bad = answers.find(({ error, result }) =>
    [error?.message, result?.code, result?.check_tx?.code, result?.tx_result?.code].some((problem) => Boolean(problem)),
  );
  if (bad !== undefined || answers.length !== txs.length) throw new Error(`${method}: ${JSON.stringify(bad)}`);
  return answers;
}

/** Counts the transactions in blocks, from the blocks' heads. */
class Included {
  readonly #url: string;
  /** Entries that the application itself puts into every block. */
  readonly #own: number;
  #height = 0;
  count = 0;

  constructor(chain: Chain) {
    this.#url = chain.rpcs[0] ?? '';
    this.#own = chain.app === 'ours' ? 2 : 0;
  }

  async look(): Promise<void> {
    for (;;) {
      const from = this.#height + 1;
      const { body } = await ask(`${this.#url}/blockchain?minHeight=${from}&maxHeight=${from + 19}`);
      const heads: { header: { height: string }; num_txs: string }[] = body.result?.block_metas ?? [];
      if (heads.length === 0) return;
      for (const { num_txs: txs } of heads) this.count += Number(txs) - this.#own;
      this.#height = Math.max(...heads.map(({ header }) => Number(header.height)));
    }
  }
}

/** Transactions per second, from the first broadcast to the block with the last. */
export async function throughput(chain: Chain, nonces: number[], seconds: number): Promise<number> {
  const perSecond = chain.rpcs.length === 1 ? PREPARED_PER_SECOND : PREPARED_AMONG_SEVERAL;
  const perLane = Math.ceil((seconds * perSecond[chain.app]) / LANES);
  const prepared: Uint8Array[][] = [];
  for (let lane = 0; lane < LANES; lane += 1) {
    prepared.push(Array.from({ length: perLane }, () => (chain.app === 'ours' ? submission(nonces, lane) : pair())));
    // CometBFT ends connections that are idle, which must be noticed before the next request.
    await pause(0);
  }
  const included = new Included(chain);
  await included.look();
  const before = included.count;
  let sent = 0;
  let sending = true;
  const start = performance.now();
  const lanes = prepared.map(async (txs, lane) => {
    const url = chain.rpcs[lane % chain.rpcs.length] ?? '';
    let at = 0;
    while (at < txs.length && performance.now() - start < seconds * 1_000) {
      if (sent - (included.count - before) + BATCH > IN_FLIGHT) {
        await pause(5);
        continue;
      }
      const batch = txs.slice(at, at + BATCH);
      at += batch.length;
      sent += batch.length;
      await rpc(url, 'broadcast_tx_sync', batch);
    }
    // Transactions that were prepared and not sent leave no gap.
    if (chain.app === 'ours') nonces[lane] = (nonces[lane] ?? 0) - (txs.length - at);
  });
  const watching = (async () => {
    const late = () => performance.now() - start > (seconds + 60) * 1_000;
    while (sending || included.count - before < sent) {
      if (late()) throw new Error(`${sent} sent, ${included.count - before} in blocks after a minute more`);
      await pause(50);
      await included.look();
    }
  })();
  await Promise.all([
    watching,
    Promise.all(lanes).finally(() => {
      sending = false;
    }),
  ]);
  return (sent * 1_000) / (performance.now() - start);
}

/**
 * Milliseconds from the broadcast of one transaction to its commit, p50, while others come in steadily. Alone it would be
 * in a chain that waits with kvstore, whose state stays unchanged, and in a chain that makes empty blocks with ours.
 */
export async function commitTime(chain: Chain, nonces: number[]): Promise<number> {
  const url = chain.rpcs[0] ?? '';
  const next = (account: number) => (chain.app === 'ours' ? submission(nonces, account) : pair());
  let over = false;
  const others = (async () => {
    while (!over) {
      await rpc(
        url,
        'broadcast_tx_sync',
        Array.from({ length: 10 }, (_, index) => next(SENDERS + index)),
      );
      await pause(50);
    }
  })();
  const seen: number[] = [];
  const sender = async (account: number) => {
    for (let sent = 0; sent < SINGLES; sent += 1) {
      await pause(Math.random() * 200);
      const tx = next(account);
      const start = performance.now();
      await rpc(url, 'broadcast_tx_commit', [tx]);
      seen.push(performance.now() - start);
    }
  };
  const singles = Promise.all(Array.from({ length: SENDERS }, (_, account) => sender(account))).finally(() => {
    over = true;
  });
  await Promise.all([singles, others]);
  return quantile(seen, 0.5);
}
