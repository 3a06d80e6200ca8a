import { createMemoryStore, type Store } from '@switchyard/machine';
import { type BlockMetadata, type Deposit, sha256Hex, type Timestamp } from '@switchyard/protocol';
import { type Clock, createMetrics, type Logger, type Retention, silentLogger } from '@switchyard/service';
import { type AssembledNode, assembleNode, NODE_BOUNDS, type NodeBounds } from '../app/assemble.ts';
import type { RollupDefinition } from '../app/definition.ts';
import type { SignatureVerifier } from '../app/signatures/verifier.ts';
import type { BlockEntry, BlockInput } from '../execution/executor.ts';
import { FakeComposer } from './fake-composer.ts';

/** Parts of a node in memory that a test replaces, and its bounds. */
export interface TestNodeOptions {
  readonly store?: Store;
  readonly composer?: FakeComposer;
  readonly bounds?: Partial<NodeBounds>;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly verifier?: SignatureVerifier;
  readonly retention?: Retention;
  readonly handlerLimitMs?: number;
}

/** A whole node in memory: HTTP by `app.request`, a composer that is faked, and blocks on demand. */
export interface TestNode extends AssembledNode {
  readonly composer: FakeComposer;
  readonly store: Store;
  /** Makes a block of the composer's queue, with more entries behind, and commits it according to the options. */
  block(options?: TestBlock): Promise<BlockMetadata>;
  get(path: string): Promise<{ readonly status: number; readonly body: unknown; readonly text: string }>;
  post(path: string, body: Uint8Array | string): Promise<{ readonly status: number; readonly body: unknown }>;
  stop(): Promise<void>;
}

/** Contents of a block in addition to the submissions of the composer. */
export interface TestBlock {
  readonly data?: readonly Uint8Array[];
  readonly deposits?: readonly Deposit[];
  readonly timestamp?: Timestamp;
  /** Hash of a real sequencer block, for proofs. */
  readonly sequencerBlockHash?: string;
  /** False does not advance the firm commitment. */
  readonly firm?: boolean;
}

/**
 * A whole node in memory, by a definition with its genesis. Nothing of it opens a port.
 * @example
 * ```ts
 * const node = await testNode(toRollup(counter, genesisText));
 * await node.block();
 * const { status } = await node.get('/readyz');
 * await node.stop();
 * ```
 */
export async function testNode(definition: RollupDefinition, options: TestNodeOptions = {}): Promise<TestNode> {
  const {
    store = createMemoryStore(),
    composer = new FakeComposer(),
    log = silentLogger,
    clock,
    verifier,
    retention,
    handlerLimitMs,
  } = options;
  const stopping = new AbortController();
  const bounds = { ...NODE_BOUNDS, ...options.bounds };
  const assembled = await assembleNode(definition, bounds, {
    store,
    collector: composer,
    log,
    metrics: createMetrics('test_'),
    signal: stopping.signal,
    ...(clock === undefined ? {} : { clock }),
    ...(verifier === undefined ? {} : { verifier }),
    ...(retention === undefined ? {} : { retention }),
    handlerLimitMs,
  });
  const working = assembled.work();
  if (composer.mode === 'up') await until(() => assembled.forwarder.ready);
  const { id } = await assembled.host.createSession();

  const answer = async (response: Response) => {
    const text = await response.text();
    return { status: response.status, text, body: parseJson(text) };
  };
  return {
    ...assembled,
    composer,
    store,
    async block({ data = [], deposits = [], timestamp, sequencerBlockHash, firm = true } = {}) {
      const { soft } = assembled.chain.view;
      const number = soft + 1n;
      const sequenced = composer.sequence(definition.genesis.sequencerGenesisBlockHeight + number);
      const input = testInput(Number(number), [
        ...[...sequenced, ...data].map((bytes) => ({ kind: 'sequencedData' as const, data: bytes })),
        ...deposits.map((deposit) => ({ kind: 'deposit' as const, deposit })),
      ]);
      const given = { ...(timestamp && { timestamp }), ...(sequencerBlockHash && { sequencerBlockHash }) };
      const inputs = [{ ...input, ...given }];
      const { blocks } = await assembled.host.executeBatch(id, assembled.chain.view.block.hash, inputs, { firm });
      const [block] = blocks;
      if (block === undefined) throw new Error('no block');
      return block;
    },
    get: async (path) => answer(await assembled.app.request(path)),
    post: async (path, body) => answer(await assembled.app.request(path, { method: 'POST', body: getBody(body) })),
    async stop() {
      stopping.abort(new Error('the test is over'));
      await working;
    },
  };
}

/**
 * The input of a block, different for every number.
 * @example
 * ```ts
 * const input = testInput(1, []);
 * ```
 */
export function testInput(number: number, entries: readonly BlockEntry[]): BlockInput {
  return {
    entries,
    timestamp: { seconds: BigInt(1_700_000_000 + number), nanos: 0 },
    sequencerBlockHash: sha256Hex(Buffer.from(`sequencer block ${number}`)),
  };
}

/**
 * Lets everything run until the condition holds; the number of turns is the deadline.
 * @example
 * ```ts
 * const node = await testNode(toRollup(counter, genesisText));
 * await until(() => node.composer.queued.length === 0);
 * ```
 */
export async function until(condition: () => boolean, turns = 10_000): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    if (condition()) return;
    await new Promise(setImmediate);
  }
  throw new Error(`not within ${turns} turns: ${condition}`);
}

function getBody(body: Uint8Array | string): ArrayBuffer | string {
  // A copy of its own: a view of a larger buffer would be sent whole.
  return typeof body === 'string' ? body : (Uint8Array.from(body).buffer as ArrayBuffer);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
