/** Reads whole blocks from a sequencer in order of height, and verifies each against its commit and the block before it. */
import {
  BlockVerifier,
  type Endpoint,
  type Endpoints,
  ProvenHeights,
  type SequencerClient,
  watchEndpoints,
} from '@switchyard/client';
import {
  type FilteredBlock,
  Rejected,
  rollupIdFromName,
  type SequencerBlock,
  type SignedHeader,
  type Validator,
} from '@switchyard/protocol';
import { anySignal, backoffMs, type Clock, errorLine, type Logger, sleep } from '@switchyard/service';
import type { ProvenBlock } from './postable.ts';
import type { Progress } from './progress.ts';

/** Part of a sequencer client that the relayer needs. Nothing is verified. */
export type SequencerSource = Pick<
  SequencerClient,
  'genesisChainId' | 'latestHeight' | 'sequencerBlock' | 'commit' | 'validators' | 'streamFilteredBlocks'
>;

export interface ReaderOptions {
  readonly chainId: string;
  readonly from: bigint;
  /** Hash of the block before that, in hex, if it is known. */
  readonly lastBlockHash: string | undefined;
  readonly pollIntervalMs: number;
}

export interface ReaderDeps {
  readonly endpoints: Endpoints<SequencerSource>;
  /** Takes the next block, once it has room. */
  accept(block: ProvenBlock): Promise<void>;
  /** No block is taken at the moment. */
  isHeldUp(): boolean;
  readonly progress: Pick<Progress, 'reportHeight' | 'reportSequencerTrouble'>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const PEER_BACKOFF = { initialMs: 100, maxMs: 5_000 };
const IN_FLIGHT = 16;
/** Longest wait for a block that the node pushes. */
const PUSH_WAIT_MS = 10_000;
/** Blocks filtered to a rollup that no one has carry no data, only the news that they exist. */
const NO_ROLLUP = rollupIdFromName('');

type Fetched = readonly [SequencerBlock, SignedHeader];

/** The configured nodes are of another chain, which no time changes. */
export class WrongChain extends Error {
  override readonly name = 'WrongChain';
}

/**
 * Runs until the signal aborts, and then rejects with its reason. All other failures are retried: a sequencer that is
 * away or shows unverifiable blocks may be repaired while this waits.
 *
 * @throws {WrongChain}
 */
export async function readBlocks(options: ReaderOptions, deps: ReaderDeps): Promise<never> {
  const { endpoints, log, clock, random, signal } = deps;
  const reading = new Reading(options, deps);
  const isSeveral = endpoints.all.length > 1;
  if (isSeveral) {
    const proofs = new ProvenHeights<Endpoint<SequencerSource>>({ chainId: options.chainId, clock });
    void watchEndpoints(reading, {
      ...{ endpoints, clock, signal },
      latest: (client, cut) => client.latestHeight(cut),
      prove: (endpoint, claimed, cut) => proofs.prove(endpoint, endpoint.client, claimed, cut),
    });
  }
  for (let attempts = 0; ; ) {
    const { next } = reading;
    const endpoint = endpoints.current;
    const { term } = endpoints;
    try {
      await reading.read(endpoint, isSeveral ? anySignal(signal, term) : signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WrongChain) throw error;
      if (reading.next > next) attempts = 0;
      // The other one begins at the end of this one.
      if (term.aborted) continue;
      attempts += 1;
      const reason = errorLine(error);
      if (error instanceof Rejected) {
        if (attempts === 1) log.error({ url: endpoint.url, height: reading.next, reason }, 'a block does not verify');
        endpoints.reportFault(endpoint, reason);
      } else endpoints.reportFailure(endpoint, reason);
      if (endpoints.current === endpoint)
        deps.progress.reportSequencerTrouble(`${endpoint.url}, block ${reading.next}: ${reason}`);
      if (attempts < endpoints.all.length && endpoints.current !== endpoint) continue;
      await sleep(backoffMs(attempts, PEER_BACKOFF, random), signal, clock);
    }
  }
}

class Reading {
  readonly #options: ReaderOptions;
  readonly #deps: ReaderDeps;
  readonly #verifier: BlockVerifier;
  /** Nodes whose chain is the right one, and those of another. */
  readonly #ours = new Set<Endpoint<SequencerSource>>();
  readonly #strangers = new Set<Endpoint<SequencerSource>>();
  #next: bigint;
  #validators: readonly Validator[] | undefined;

  constructor(options: ReaderOptions, deps: ReaderDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#next = options.from;
    this.#verifier = new BlockVerifier({
      ...{ chainId: options.chainId, lastBlockHash: options.lastBlockHash, checkpointSettings: '' },
      // Without a checkpoint nothing is skipped, and so no age is measured.
      ...{ trustingPeriodMs: 0, now: () => 0 },
      source: () => deps.endpoints.current.client,
    });
  }

  get next(): bigint {
    return this.#next;
  }

  get isHeldUp(): boolean {
    return this.#deps.isHeldUp();
  }

  /** Reads from one node until that fails. */
  async read(endpoint: Endpoint<SequencerSource>, signal: AbortSignal): Promise<never> {
    const { endpoints, clock, progress } = this.#deps;
    const { pollIntervalMs } = this.#options;
    const { client } = endpoint;
    await this.#requireChain(endpoint, signal);
    for (let before = -1n, latest = 0n; ; before = latest) {
      latest = await client.latestHeight(signal);
      // How far it is counts when it is proved, which `watchEndpoints` sees to.
      endpoints.reportHeight(endpoint);
      progress.reportHeight(latest);
      const inFlight: Promise<Fetched>[] = [];
      for (let height = this.#next; this.#next <= latest; ) {
        for (; height <= latest && inFlight.length < IN_FLIGHT; height++) {
          const fetched = Promise.all([client.sequencerBlock(height, signal), client.commit(height, signal)]);
          // Its error is handled when its turn comes; until then the rejection must not count as unhandled.
          fetched.catch(() => undefined);
          inFlight.push(fetched);
        }
        const oldest = inFlight.shift();
        if (oldest !== undefined) await this.#accept(...(await oldest), signal);
      }
      this.#deps.progress.reportSequencerTrouble(undefined);
      if (latest > before) await sleep(pollIntervalMs, signal, clock);
      else await this.#above(latest, client, signal);
    }
  }

  /** Waits for the next block of a quiet sequencer: until the node pushes it, or for a while if it does not push. */
  async #above(latest: bigint, client: SequencerSource, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const over = new AbortController();
    const cancel = clock.after(PUSH_WAIT_MS, () => over.abort());
    try {
      const blocks = client.streamFilteredBlocks(latest + 1n, NO_ROLLUP, anySignal(signal, over.signal));
      for await (const pushed of blocks) if (pushed.latest > latest) return;
    } catch {
      signal.throwIfAborted();
      if (!over.signal.aborted) await sleep(this.#options.pollIntervalMs, signal, clock);
    } finally {
      cancel();
    }
  }

  async #accept(block: SequencerBlock, signed: SignedHeader, signal: AbortSignal): Promise<void> {
    const ids = block.rollups.map(({ rollup }) => rollup);
    const whole: FilteredBlock = { ...block, allRollupIds: ids };
    const validators = await this.#verifier.verify(this.#next, whole, signed, ids, signal);
    await this.#deps.accept({ block, signed, validators, isNewSet: validators !== this.#validators });
    this.#deps.progress.reportSequencerTrouble(undefined);
    this.#validators = validators;
    this.#next += 1n;
  }

  async #requireChain(endpoint: Endpoint<SequencerSource>, signal: AbortSignal): Promise<void> {
    if (this.#ours.has(endpoint)) return;
    const got = await endpoint.client.genesisChainId(signal);
    if (got === this.#options.chainId) return void this.#ours.add(endpoint);
    const { endpoints } = this.#deps;
    const problem = `the sequencer at ${endpoint.url} is of another chain: expected ${this.#options.chainId}, got ${got}`;
    if (this.#strangers.add(endpoint).size === endpoints.all.length) throw new WrongChain(problem);
    throw new Rejected('malformed', { problem });
  }
}
