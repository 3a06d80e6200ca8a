import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigner, formatAddress, parseDenom, rollupIdFromName, signTransaction } from '@switchyard/protocol';
import { cometbft, configure, createCometNetwork } from '../support/comet.ts';
import { createNetwork, until } from '../support/network.ts';
import { ask } from '../support/submitting.ts';
import { fullBlock } from './full-block.ts';
import { median, quantile, type Row } from './statistics.ts';

export interface ConsensusOptions {
  readonly runs: number;
  readonly seconds: number;
  /** Stored before the restart that is measured. */
  readonly blocks: number;
  /** Of `one`, `four`, `block`, `restart`. */
  readonly only: ReadonlySet<string>;
  readonly progress: (text: string) => void;
}

type App = 'ours' | 'kvstore';

const CHAIN = 'comet-test-1';
/**
 * One lane for each account. CometBFT gathers what it writes to an application's socket for up to 20 ms, and a lane waits for
 * the judgement of one transaction after another: a few lanes would measure that pause.
 */
const LANES = 256;
const BATCH = 8;
const DATA_BYTES = 256;
/** Sent and in no block yet: below the 5,000 that CometBFT and our application hold, so that nothing is refused. */
const IN_FLIGHT = 4_000;
/** Signed before the clock starts; a run ends early when all are used. */
const PREPARED_PER_SECOND = { ours: 4_000, kvstore: 12_000 } as const;
const SINGLES = 20;

const signers = Array.from({ length: LANES }, () => createSigner(new Uint8Array(randomBytes(32))));
/** Of a local network. */
const NATIVE = parseDenom('ntia');
const rollup = rollupIdFromName('bench');

/** The next transaction of an account of this chain, some hundred bytes. */
function submission(nonces: number[], account: number): Uint8Array {
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

const LENGTH = submission([], 0).length;

let pairs = 0;
/** `key=value`, as long as a submission. */
function pair(): Uint8Array {
  pairs += 1;
  const key = `key${pairs}=`;
  return Buffer.from(key + randomBytes(LENGTH).toString('hex').slice(key.length, LENGTH));
}

/** As the tool sets them on one machine: a pause after each block, in which transactions gather. */
const SETTINGS = {
  'rpc.max_request_batch_size': 100,
  'p2p.flush_throttle_timeout': '10ms',
  'p2p.send_rate': 20_480_000,
  'p2p.recv_rate': 20_480_000,
  'consensus.timeout_commit': '100ms',
  'consensus.skip_timeout_commit': false,
};

/** The first state of a local network, with our accounts in it. */
async function firstState() {
  const network = await createNetwork({ instance: 'bench' });
  try {
    const file = join(network.home, network.instance, 'config', 'genesis.json');
    const { app_state: appState, consensus_params: params } = JSON.parse(readFileSync(file, 'utf8'));
    for (const { account } of signers) {
      appState.accounts.push({ address: { bech32m: formatAddress(account) }, balance: { lo: '1000000000000000' } });
    }
    return { appState, consensusParams: { block: params.block } };
  } finally {
    await network.dispose();
  }
}

type FirstState = Awaited<ReturnType<typeof firstState>>;

interface Chain {
  readonly app: App;
  readonly rpcs: readonly string[];
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Validators with one of the two applications, all else the same, disposed of after `use`. */
async function withChain<T>(
  app: App,
  {
    validators,
    first,
    settings = {},
  }: { validators: number; first: FirstState; settings?: Record<string, string | boolean> },
  use: (chain: Chain) => Promise<T>,
): Promise<T> {
  const network = await createCometNetwork({ validators, ...first });
  try {
    const start = async () => {
      await Promise.all(
        network.nodes.map((node) => (app === 'ours' ? node.start() : Promise.resolve(node.comet.start()))),
      );
    };
    for (const { home } of network.nodes) {
      configure(join(home, 'comet'), {
        ...SETTINGS,
        ...settings,
        ...(app === 'kvstore' && { proxy_app: 'kvstore' }),
      });
    }
    await start();
    /** CometBFT first: without its application it would take long to end. */
    const stop = async () => {
      for (const { comet, app: ours } of network.nodes) {
        await comet.stop();
        await ours.stop();
      }
    };
    await until('the first blocks', async () => ((await network.nodes[0]?.height()) ?? 0n) >= 2n || undefined, 60_000);
    return await use({ app, rpcs: network.nodes.map(({ rpc }) => rpc), start, stop });
  } finally {
    await network.dispose();
  }
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

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Transactions per second, from the first broadcast to the block with the last. */
async function throughput(chain: Chain, nonces: number[], seconds: number): Promise<number> {
  const perLane = Math.ceil((seconds * PREPARED_PER_SECOND[chain.app]) / LANES);
  const prepared = Array.from({ length: LANES }, (_, lane) =>
    Array.from({ length: perLane }, () => (chain.app === 'ours' ? submission(nonces, lane) : pair())),
  );
  const included = new Included(chain);
  await included.look();
  const before = included.count;
  let sent = 0;
  let sending = true;
  const start = performance.now();
  const lanes = prepared.map(async (txs, lane) => {
    const url = chain.rpcs[lane % chain.rpcs.length] ?? '';
    for (let at = 0; at < txs.length && performance.now() - start < seconds * 1_000; ) {
      if (sent - (included.count - before) + BATCH > IN_FLIGHT) {
        await pause(5);
        continue;
      }
      const batch = txs.slice(at, at + BATCH);
      at += batch.length;
      sent += batch.length;
      await rpc(url, 'broadcast_tx_sync', batch);
    }
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
 * in a chain that waits with kvstore, whose state stays as it is, and in one that makes empty blocks with ours.
 */
async function commitTime(chain: Chain, nonces: number[]): Promise<number> {
  const url = chain.rpcs[0] ?? '';
  const next = (account: number) => (chain.app === 'ours' ? submission(nonces, account) : pair());
  let over = false;
  const others = (async () => {
    while (!over) {
      await rpc(
        url,
        'broadcast_tx_sync',
        Array.from({ length: 10 }, (_, index) => next(SINGLES + index)),
      );
      await pause(50);
    }
  })();
  const singles = (async () => {
    const seen: number[] = [];
    for (let index = 0; index < SINGLES; index += 1) {
      await pause(Math.random() * 200);
      const tx = next(index);
      const start = performance.now();
      await rpc(url, 'broadcast_tx_commit', [tx]);
      seen.push(performance.now() - start);
    }
    return quantile(seen, 0.5);
  })().finally(() => {
    over = true;
  });
  const [value] = await Promise.all([singles, others]);
  return value;
}

interface Measured {
  readonly rates: number[];
  readonly times: number[];
}

/** Ours and kvstore in turns, each time on a new chain. */
async function sideBySide(validators: number, first: FirstState, options: ConsensusOptions): Promise<Row[]> {
  const { runs, seconds, progress } = options;
  const measured: Record<App, Measured> = { ours: { rates: [], times: [] }, kvstore: { rates: [], times: [] } };
  for (let run = 0; run < runs; run += 1) {
    for (const app of ['ours', 'kvstore'] as const) {
      const { rates, times } = measured[app];
      await withChain(app, { validators, first }, async (chain) => {
        const nonces: number[] = [];
        times.push(await commitTime(chain, nonces));
        rates.push(await throughput(chain, nonces, seconds));
      });
      progress(`${validators} × ${app}: ${rates.at(-1)?.toFixed(0)} tx/s, commit ${times.at(-1)?.toFixed(0)} ms`);
    }
  }
  const ratios = (of: keyof Measured) =>
    measured.ours[of].map((value, run) => value / (measured.kvstore[of][run] ?? Number.NaN));
  const who = validators === 1 ? 'one validator' : `${validators} validators`;
  return [
    { name: `${who}, ours, ${LENGTH} bytes each`, unit: 'tx/s', goal: '', runs: measured.ours.rates },
    { name: `${who}, kvstore, the same`, unit: 'tx/s', goal: '', runs: measured.kvstore.rates },
    { name: `${who}, ours ÷ kvstore`, unit: 'ratio', goal: '>= 0.7', runs: ratios('rates') },
    { name: `${who}, broadcast to commit p50 at 200 tx/s, ours`, unit: 'ms', goal: '', runs: measured.ours.times },
    { name: `${who}, the same, kvstore`, unit: 'ms', goal: '', runs: measured.kvstore.times },
    { name: `${who}, the same, ours ÷ kvstore`, unit: 'ratio', goal: '<= 1.2', runs: ratios('times') },
  ];
}

/** Both processes end and start again, until the next block. */
async function restart(first: FirstState, { runs, blocks, progress }: ConsensusOptions): Promise<Row> {
  const fast = {
    'consensus.skip_timeout_commit': true,
    'consensus.timeout_commit': '0s',
    'consensus.create_empty_blocks_interval': '0s',
  };
  return withChain('ours', { validators: 1, first, settings: fast }, async (chain) => {
    const url = `${chain.rpcs[0]}/status`;
    const height = async () => Number((await ask(url)).body.result.sync_info.latest_block_height);
    progress(`restart: making ${blocks} blocks`);
    await until(`${blocks} blocks`, async () => ((await height()) >= blocks ? true : undefined), blocks * 100 + 60_000);
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const before = await height();
      await chain.stop();
      const start = performance.now();
      await chain.start();
      await until('the next block', async () => ((await height()) > before + 1 ? true : undefined), 120_000);
      times.push((performance.now() - start) / 1_000);
      progress(`restart: ${times.at(-1)?.toFixed(2)} s`);
    }
    return {
      name: `start with ${blocks} blocks, to the next block`,
      unit: 's',
      goal: '<= 10',
      runs: times,
    };
  });
}

async function wholeBlocks(first: FirstState, { runs, progress }: ConsensusOptions): Promise<Row[]> {
  const nonces: number[] = [];
  const next = (index: number) => submission(nonces, index % LANES);
  const { cold, judged } = await fullBlock(first, { runs, next });
  progress(`full block: ${median(cold).toFixed(0)} ms, judged before ${median(judged).toFixed(0)} ms`);
  return [
    { name: 'FinalizeBlock + Commit of 1 MiB, judged as a proposal before', unit: 'ms', goal: '<= 150', runs: judged },
    { name: 'the same, not seen before, as in a replay', unit: 'ms', goal: '', runs: cold },
  ];
}

/** All measures, one after another; `undefined` without a CometBFT. */
export async function consensusRows(options: ConsensusOptions): Promise<Row[] | undefined> {
  if (cometbft === undefined) return undefined;
  const first = await firstState();
  const rows: Row[] = [];
  const { only } = options;
  if (only.has('one')) rows.push(...(await sideBySide(1, first, options)));
  if (only.has('four')) rows.push(...(await sideBySide(4, first, options)));
  if (only.has('block')) rows.push(...(await wholeBlocks(first, options)));
  if (only.has('restart')) rows.push(await restart(first, options));
  return rows;
}
