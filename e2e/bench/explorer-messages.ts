import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillIndex, type RollupBlock, type RollupNode, TestChain } from '@switchyard/explorer/testing';
import { type Action, formatAddress, parseDenom, rollupIdFromName, sha256Hex, txHashOf } from '@switchyard/protocol';
import { alice } from '@switchyard/protocol/testing';
import { type Page, slowest } from './explorer-pages.ts';
import { NOTHING, withDirectory, withExplorer } from './explorer-process.ts';
import type { Row } from './statistics.ts';

export interface MessagePagesOptions {
  readonly messages: number;
  /** Directory of the index, which is kept for the next run; a new one for each, if absent. */
  readonly index: string | undefined;
  readonly progress: (text: string) => void;
}

const NAME = 'bench';
const ROLLUP = rollupIdFromName(NAME);
const BUNDLE_MESSAGES = 100;
const BLOCK_BUNDLES = 10;
const BLOCK_MESSAGES = BUNDLE_MESSAGES * BLOCK_BUNDLES;
const MAX_FILL_MS = 1_800_000;

/** About as long as a signed text. */
const dataOf = (message: number) => Buffer.from(`message ${message} `.padEnd(200, '.'));

/** A sequencer whose blocks are all of one rollup's messages. */
function chainOf(messages: number): TestChain {
  const chain = new TestChain(NAME);
  const feeAsset = parseDenom('nria');
  for (let message = 0; message < messages; ) {
    const bundles = Array.from({ length: BLOCK_BUNDLES }, () => ({
      actions: Array.from(
        { length: BUNDLE_MESSAGES },
        (): Action => ({ kind: 'rollupDataSubmission', rollup: ROLLUP, data: dataOf(message++), feeAsset }),
      ),
    }));
    chain.add(...bundles);
  }
  return chain;
}

/** A rollup that executed them. */
function rollupOf(chain: TestChain): RollupNode {
  const hashOf = (number: number) => sha256Hex(Buffer.from(`rollup block ${number}`));
  const blockAt = (number: number): RollupBlock => ({
    ...{ number, hash: hashOf(number), parentHash: hashOf(number - 1), time: 1_700_000_000_000 + number * 1_000 },
    ...{ sequencerBlockHash: chain.hashAt(number), executed: BLOCK_MESSAGES, refused: 0, deposits: 0 },
    ...{ skippedDeposits: 0, refusals: [] },
  });
  return {
    url: NOTHING,
    head: async () => {
      return { name: NAME, id: ROLLUP, chainId: NAME, soft: chain.height, firm: chain.height, lowest: 1 };
    },
    block: async (number) => blockAt(number),
    blocks: async (from, most) => Array.from({ length: Math.min(most, 64) }, (_, index) => blockAt(from + index)),
    skippedDeposits: async () => [],
    get: async () => undefined,
    hashOf: async (number) => hashOf(number),
    offers: async () => undefined,
    decode: async () => undefined,
  };
}

function pagesOf(chain: TestChain, bundles: readonly string[]): ReadonlyMap<string, Page> {
  const messages = chain.height * BLOCK_MESSAGES;
  const scattered = (number: number, count: number) => 1 + ((number * 7_919) % (count - 1));
  const height = (number: number) => scattered(number, chain.height);
  const hash = (number: number) => txHashOf(dataOf(scattered(number, messages)));
  const account = formatAddress(alice.account);
  return new Map<string, Page>([
    ['blocks', () => '/blocks?limit=100'],
    ['a block', (number) => `/blocks/${height(number)}`],
    ['transactions of a block', (number) => `/blocks/${height(number)}/transactions?limit=100`],
    ['sequencer transactions', (number) => `/transactions?limit=100&cursor=${height(number)}-5`],
    ['a sequencer transaction', (number) => `/transactions/${bundles[scattered(number, bundles.length)]}`],
    [
      'transactions of an account',
      (number) => `/accounts/${account}/transactions?limit=100&cursor=${height(number)}-5`,
    ],
    ['validators', () => '/validators'],
    ['rollups', () => '/rollups'],
    ['blocks of a rollup', (number) => `/rollups/${NAME}/blocks?limit=100&cursor=${height(number)}`],
    ['newest messages', () => `/rollups/${NAME}/transactions?limit=100`],
    ['older messages', (number) => `/rollups/${NAME}/transactions?limit=100&cursor=${height(number)}-500`],
    ['a message', (number) => `/rollups/${NAME}/transactions/${hash(number)}`],
    ['trace of a message', (number) => `/trace/${hash(number)}`],
    ['search for a message', (number) => `/search?q=${hash(number)}`],
    ['charts', () => '/charts?blocks=10000'],
  ]);
}

/** How fast the explorer answers from a large index of messages. */
export async function messagePageRows({ messages, index, progress }: MessagePagesOptions): Promise<Row[]> {
  if (index === undefined) return withDirectory((directory) => rows(directory, messages, progress));
  const directory = join(index, 'messages');
  mkdirSync(directory, { recursive: true });
  return rows(directory, messages, progress);
}

async function rows(directory: string, messages: number, progress: (text: string) => void): Promise<Row[]> {
  progress(`making ${messages} messages`);
  const chain = chainOf(messages);
  const filled = join(directory, `bench-${messages}`);
  if (!existsSync(filled)) {
    const start = performance.now();
    await fillIndex(directory, chain, rollupOf(chain), MAX_FILL_MS);
    progress(`indexed in ${((performance.now() - start) / 1_000).toFixed(0)} s, in this process`);
    writeFileSync(filled, '');
  }
  const bundles = chain.transactionsAt(Math.ceil(chain.height / 2));
  const env = {
    // The measured part needs no nodes.
    SVC_EXPLORER_ROLLUP_URLS: NOTHING,
    SVC_EXPLORER_SEQUENCER_ABCI_ENDPOINT: NOTHING,
    SVC_EXPLORER_SEQUENCER_GRPC_ENDPOINT: NOTHING,
  };
  return withExplorer({ directory, env }, async (explorer) => {
    const { rollups } = await explorer.node.json('/v1/status');
    const [known] = rollups as readonly { readonly number: number }[];
    if (known?.number !== chain.height)
      throw new Error(`expected block ${chain.height}, got ${JSON.stringify(rollups)}`);
    const worst = await slowest(explorer, '/v1', pagesOf(chain, bundles), progress);
    const of = `with ${messages} messages`;
    const bytes = explorer.indexBytes() / messages;
    return [
      { name: `slowest page ${of}, p99 of 8 readers`, unit: 'ms', goal: '<= 100', runs: [worst] },
      { name: `resident memory ${of}`, unit: 'MiB', goal: '<= 300', runs: [explorer.usage().residentMiB] },
      { name: 'index for each message', unit: 'bytes', goal: '', runs: [bytes] },
    ];
  });
}
