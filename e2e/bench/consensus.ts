import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatAddress } from '@switchyard/protocol';
import { cometbft, configure, createCometNetwork } from '../support/comet.ts';
import { createNetwork, until } from '../support/network.ts';
import { ask } from '../support/submitting.ts';
import { type App, type Chain, commitTime, LANES, LENGTH, signers, submission, throughput } from './comet-load.ts';
import { fullBlock } from './full-block.ts';
import { median, type Row } from './statistics.ts';

export interface ConsensusOptions {
  readonly runs: number;
  readonly seconds: number;
  /** Stored before the restart that is measured. */
  readonly blocks: number;
  /** Names of the parts that run: `one`, `four`, `block`, `restart`. */
  readonly only: ReadonlySet<string>;
  readonly progress: (text: string) => void;
}

/** Settings of the tool for one machine: a pause after each block, in which transactions gather. */
const SETTINGS = {
  'rpc.max_request_batch_size': 100,
  'p2p.flush_throttle_timeout': '10ms',
  'p2p.send_rate': 20_480_000,
  'p2p.recv_rate': 20_480_000,
  'consensus.timeout_commit': '100ms',
  'consensus.skip_timeout_commit': false,
};

/** Beside CometBFT, where `node scripts/cometbft.mjs` puts both. */
const abciCli = join(dirname(cometbft ?? ''), 'abci-cli');

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
  const network = await createCometNetwork({
    validators,
    ...first,
    ...(app === 'apart' && {
      program: (socket: string) => [abciCli, 'kvstore', '--address', socket, '--log_level', 'error'],
    }),
  });
  try {
    const start = async () => {
      await Promise.all(
        network.nodes.map((node) => (app === 'kvstore' ? Promise.resolve(node.comet.start()) : node.start())),
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

interface Measured {
  readonly rates: number[];
  readonly times: number[];
}

const YARDSTICKS = { apart: 'kvstore in a process of its own', kvstore: 'kvstore inside CometBFT' } as const;

/** One validator, and several on this machine: each of these has a part of the cores only, and is compiled as much more slowly. */
const WARM_UP_SECONDS = { one: 8, several: 24 } as const;

/** Ours and kvstore in turns, each time on a new chain. */
async function sideBySide(validators: number, first: FirstState, options: ConsensusOptions): Promise<Row[]> {
  const { runs, seconds, progress } = options;
  const apps: readonly App[] = existsSync(abciCli) ? ['ours', 'apart', 'kvstore'] : ['ours', 'kvstore'];
  const measured = new Map(apps.map((app): [App, Measured] => [app, { rates: [], times: [] }]));
  for (let run = 0; run < runs; run += 1) {
    for (const [app, { rates, times }] of measured) {
      await withChain(app, { validators, first }, async (chain) => {
        const nonces: number[] = [];
        // Code that is compiled in its first run is not to be measured.
        await throughput(chain, nonces, validators === 1 ? WARM_UP_SECONDS.one : WARM_UP_SECONDS.several);
        times.push(await commitTime(chain, nonces));
        rates.push(await throughput(chain, nonces, seconds));
      });
      progress(`${validators} × ${app}: ${rates.at(-1)?.toFixed(0)} tx/s, commit ${times.at(-1)?.toFixed(0)} ms`);
    }
  }
  const who = validators === 1 ? 'one validator' : `${validators} validators`;
  const rowsOf = (app: App, name: string): Row[] => {
    const { rates, times } = measured.get(app) ?? { rates: [], times: [] };
    return [
      { name: `${who}, ${name}, ${LENGTH} bytes each`, unit: 'tx/s', goal: '', runs: rates },
      { name: `${who}, ${name}, broadcast to commit p50 at 200 tx/s`, unit: 'ms', goal: '', runs: times },
    ];
  };
  const ratios = (of: keyof Measured, app: App) =>
    (measured.get('ours')?.[of] ?? []).map((value, run) => value / (measured.get(app)?.[of][run] ?? Number.NaN));
  const yardsticks = Object.entries(YARDSTICKS).flatMap(([app, name]): Row[] => {
    if (!isYardstick(app) || !measured.has(app)) return [];
    return [
      ...rowsOf(app, name),
      { name: `${who}, ours ÷ ${name}`, unit: 'ratio', goal: '>= 0.7', runs: ratios('rates', app) },
      { name: `${who}, the same of the time to commit`, unit: 'ratio', goal: '<= 1.2', runs: ratios('times', app) },
    ];
  });
  return [...rowsOf('ours', 'ours'), ...yardsticks];
}

function isYardstick(name: string): name is keyof typeof YARDSTICKS {
  return Object.hasOwn(YARDSTICKS, name);
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
  const { cold, validated } = await fullBlock(first, { runs, next });
  progress(`full block: ${median(cold).toFixed(0)} ms, validated before ${median(validated).toFixed(0)} ms`);
  return [
    {
      name: 'FinalizeBlock + Commit of 1 MiB, validated as a proposal before',
      unit: 'ms',
      goal: '<= 150',
      runs: validated,
    },
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
