import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServedTestChain, serveTestChain, type TestChain, testChain } from '@switchyard/evm/testing';
import { httpApp, RateLimit, silentLogger, systemClock, wallClock } from '@switchyard/service';
import { serveApi } from '@switchyard/service/api';
import { eventually } from '@switchyard/service/testing';
import { RollupIndexer } from '../rollups/rollup-indexer.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import type { IndexStore } from '../store/store.ts';
import { mustBeDescribed } from '../testing/described.ts';
import { etherscanApi } from './etherscan/api.ts';
import { type EvmNode, evmNode } from './evm-node.ts';
import { evmReader } from './evm-reader.ts';
import { evmRoutes } from './http/routes.ts';
import { type Contracts, createContracts } from './open-contracts.ts';
import { CONTRACTS } from './verify/tables.ts';

/** Compiled program: threads and processes cannot run our sources. */
export const COMPILE_PROGRAM = new URL('../../dist/evm/verify/compile-child.js', import.meta.url);

import { TokenWatch } from './tokens/token-watch.ts';

/** Soon enough for `indexed`, and seldom enough to leave the processor to compilers. */
const POLL_MS = 20;

/** An EVM node in this process with the index and the API of an explorer over it. */
export interface EvmExplorer {
  readonly chain: TestChain;
  readonly store: IndexStore;
  readonly indexer: RollupIndexer;
  readonly node: EvmNode;
  readonly contracts: Contracts;
  readonly tokens: TokenWatch;
  /** Resolves when all of the chain is in the index. */
  indexed(): Promise<void>;
  /** Resolves when every token that moved was queried. */
  asked(): Promise<void>;
  /** Answer of the API below `/v1/rollups/test-evm/evm`. @throws {Error} for anything but 200. */
  // Answers are compared verbatim.
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  api(path: string): Promise<any>;
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** Ends the node, so that nothing answers at its address. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

interface EvmExplorerOptions {
  readonly chain?: TestChain;
  readonly store?: IndexStore;
  readonly served?: ServedTestChain;
}

export async function evmExplorer(options: EvmExplorerOptions = {}): Promise<EvmExplorer> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
  const chain = options.chain ?? (await testChain());
  const served = options.served ?? (await serveTestChain(chain));
  const store = options.store ?? new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
  const node = evmNode(served.url);
  const deps = { store, clock: systemClock, wall: wallClock, random: () => 0, log: silentLogger, pollMs: POLL_MS };
  const indexer = new RollupIndexer({ ...deps, reader: evmReader(node, store) });
  const tokens = new TokenWatch({ ...deps, node, indexer });
  const over = new AbortController();
  const work = indexer.run(over.signal);
  const app = httpApp(silentLogger);
  const kept = new EmbeddedStore({ directory, schema: CONTRACTS, log: silentLogger, wall: wallClock });
  const limits = { program: COMPILE_PROGRAM };
  const contracts = createContracts(kept, undefined, { ...deps, signal: over.signal, limits });
  const layer = { of: async () => new Map() };
  const context = {
    store,
    evm: [{ indexer, node }],
    contracts,
    layer,
    log: silentLogger,
    signal: over.signal,
  };
  const table = evmRoutes(context);
  serveApi(app, { title: 'test', version: '0', description: '' }, table);
  const rate = new RateLimit({ perSecond: 1_000_000, burst: 1_000_000, maxClients: 10 });
  etherscanApi(app, context, { rate, clock: systemClock });
  const ask = async (path: string, init?: RequestInit) => app.request(path, init);
  return {
    chain,
    store,
    indexer,
    node,
    contracts,
    tokens,
    ask,
    async indexed() {
      await eventually(() => {
        const { number, problem } = indexer.state();
        return number === Number(chain.chain.heads.latest) && problem === undefined;
      }, 30_000);
    },
    async asked() {
      while ((await tokens.round(over.signal)) > 0);
    },
    async api(path) {
      const whole = `/v1/rollups/test-evm/evm${path}`;
      const response = await ask(whole);
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      const body = await response.json();
      mustBeDescribed(table, whole, response.status, body);
      return body;
    },
    disconnect: () => served.close(),
    async close() {
      over.abort(new Error('the test is over'));
      await work;
      await contracts.verifier.idle();
      await kept.close();
      if (options.served === undefined) await served.close();
      if (options.store === undefined) await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Contracts of `testdata/tokens.sol`. */
export interface Compiled {
  /** Code that creates it. @param args Words of its constructor. */
  creation(...args: readonly (bigint | string)[]): Uint8Array;
  /** Input of a call. @param signature Such as `mint(address,uint256)`. */
  call(signature: string, ...args: readonly (bigint | string)[]): Uint8Array;
}

/** The tokens, in compiled form: `tokens.test.ts` compares them with the compiler's output for their source. */
export const TOKENS = join(import.meta.dirname, '..', '..', 'testdata', 'tokens.json');

export function compiledTokens(): Readonly<Record<string, Compiled>> {
  return Object.fromEntries(
    Object.entries<Artifact>(JSON.parse(readFileSync(TOKENS, 'utf8'))).map(([name, { evm }]) => [
      name,
      {
        creation: (...args) => bytes(evm.bytecode.object, args),
        call: (signature, ...args) => bytes(evm.methodIdentifiers[signature] ?? 'no such function', args),
      },
    ]),
  );
}

interface Artifact {
  readonly evm: { readonly bytecode: { readonly object: string }; readonly methodIdentifiers: Record<string, string> };
}

const bytes = (start: string, args: readonly (bigint | string)[]): Uint8Array =>
  Buffer.from(`${start}${args.map((each) => BigInt(each).toString(16).padStart(64, '0')).join('')}`, 'hex');
