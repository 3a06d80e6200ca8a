/** A relayer between a sequencer and a layer, both in memory. */
import { brotliDecompressSync } from 'node:zlib';
import { Endpoints } from '@switchyard/client';
import { FakeSequencer } from '@switchyard/client/testing';
import type { DaWriter } from '@switchyard/da';
import {
  decodePostedMetadata,
  decodePostedRollupData,
  decodeRollupData,
  type PostedMetadata,
  type RollupId,
  rollupIdFromName,
} from '@switchyard/protocol';
import { rollupNamespace, sequencerNamespace } from '@switchyard/protocol/celestia';
import { type Clock, createMetrics, wallClock } from '@switchyard/service';
import { eventually, memoryLogger } from '@switchyard/service/testing';
import { type Posted, postedBlocks } from '../posted.ts';
import { Progress } from '../progress.ts';
import type { SequencerSource } from '../reader.ts';
import { type RelayerOptions, relay } from '../relayer.ts';
import { decodeState, encodeState } from '../state.ts';
import type { StateStore } from '../store.ts';
import type { MemoryLayer } from './layer.ts';

export const ROLLUP = rollupIdFromName('one');
export const OTHER = rollupIdFromName('two');
export const CHAIN = 'test-chain';

/** Every pause is over at the next turn, so that no task waits and each gets a turn. */
export function impatientClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    after(ms, fire) {
      const turn = setImmediate(() => {
        now += ms;
        fire();
      });
      return () => clearImmediate(turn);
    },
  };
}

/** Counts the calls of one run of a process, and kills it at one of them: its later work has no effect any more. */
export class Killer {
  readonly #at: number;
  readonly #when: 'before' | 'after';
  readonly #kill: () => void;
  #calls = 0;
  #isDead = false;

  constructor(at: number, when: 'before' | 'after', kill: () => void) {
    this.#at = at;
    this.#when = when;
    this.#kill = kill;
  }

  async call<T>(work: () => Promise<T>): Promise<T> {
    const isLast = ++this.#calls === this.#at;
    if (isLast && this.#when === 'before') this.#die();
    if (this.#isDead) throw new Error('killed');
    const result = await work();
    if (isLast) this.#die();
    if (this.#isDead) throw new Error('killed');
    return result;
  }

  writer(writer: DaWriter): DaWriter {
    return {
      chainId: (signal) => writer.chainId(signal),
      balance: (signal) => writer.balance(signal),
      prepare: (blobs, signal) => this.call(() => writer.prepare(blobs, signal)),
      getBlobs: (prepared) => writer.getBlobs(prepared),
      submit: (prepared, signal) => this.call(() => writer.submit(prepared, signal)),
      outcome: (prepared, signal) => this.call(() => writer.outcome(prepared, signal)),
    };
  }

  store(store: StateStore): StateStore {
    return {
      read: () => store.read(),
      write: (state, posted) => this.call(() => store.write(state, posted)),
      posted: (from, to) => store.posted(from, to),
      close: () => store.close(),
    };
  }

  #die(): void {
    this.#isDead = true;
    this.#kill();
  }
}

/** A store that survives a kill. */
export class MemoryStore implements StateStore {
  #bytes: Uint8Array | undefined;
  readonly #posted: Posted[] = [];

  read() {
    return this.#bytes && decodeState(this.#bytes);
  }

  async write(...[state, posted = []]: Parameters<StateStore['write']>): Promise<void> {
    this.#bytes = encodeState(state);
    this.#posted.push(...posted);
  }

  posted = (from: bigint, to: bigint) => postedBlocks(this.#posted, from, to);

  close = async () => undefined;
}

export const OPTIONS: RelayerOptions = {
  sequencerChainId: CHAIN,
  daChainId: 'layer',
  startHeight: 1n,
  pollIntervalMs: 10,
  batchMs: 50,
  maxBatchBytes: 1_000_000,
  inFlight: 4,
  onlyRollups: new Set(),
};

interface StartOptions {
  readonly clock?: Clock;
  /** In the place of a store in memory. */
  readonly keptIn?: StateStore;
  readonly store?: MemoryStore;
  /** At which of its calls to layer and store it is killed. */
  readonly kill?: { readonly at: number; readonly when: 'before' | 'after' };
}

export function startRelayer(
  sequencers: SequencerSource | readonly SequencerSource[],
  layer: Pick<MemoryLayer, 'writer'>,
  {
    store = new MemoryStore(),
    keptIn,
    kill,
    clock = impatientClock(),
    ...options
  }: Partial<RelayerOptions> & StartOptions = {},
) {
  const { log, lines } = memoryLogger();
  const metrics = createMetrics('switchyard_relayer_');
  const progress = new Progress({ log, metrics, clock, lowBalance: 100n });
  const stop = new AbortController();
  const nodes = [sequencers].flat().map((client, index) => ({ url: `http://sequencer-${index + 1}`, client }));
  const endpoints = new Endpoints(nodes, { maxLag: 5n, badForMs: 60_000, clock, log });
  const killer = kill && new Killer(kill.at, kill.when, () => stop.abort(new Error('killed')));
  const writer = killer?.writer(layer.writer()) ?? layer.writer();
  const ended = relay(
    { ...OPTIONS, ...options },
    {
      endpoints,
      writer,
      store: keptIn ?? killer?.store(store) ?? store,
      progress,
      log,
      clock,
      wall: wallClock,
      random: () => 0.5,
      signal: stop.signal,
    },
  ).catch((error: unknown) => error);
  return {
    ...{ store, progress, metrics, lines, ended },
    /** All blocks up to this height are posted. */
    reaches: (height: bigint) => eventually(() => ((store.read()?.next.height ?? 0n) > height ? true : undefined)),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await ended;
    },
  };
}

/** Metadata of all blobs, in the order of the layer. */
export const getPostedMetadata = (layer: MemoryLayer): readonly PostedMetadata[] =>
  layer.getBlobs(sequencerNamespace(CHAIN)).flatMap((data) => decodePostedMetadata(brotliDecompressSync(data)));

/** Texts of a rollup, by the hash of their block. */
export const getPostedTexts = (layer: MemoryLayer, rollup: RollupId) =>
  layer
    .getBlobs(rollupNamespace(rollup))
    .flatMap((data) => decodePostedRollupData(brotliDecompressSync(data)))
    .filter((entry) => entry.rollup === rollup)
    .map(({ transactions }) => transactions.map(toText));

function toText(bytes: Uint8Array): string {
  const data = decodeRollupData(bytes);
  return data.kind === 'sequencedData' ? new TextDecoder().decode(data.data) : '?';
}

export function getChain(blocks: number): FakeSequencer {
  const sequencer = new FakeSequencer(CHAIN);
  for (let height = 1; height <= blocks; height++) sequencer.produce(ROLLUP, `text ${height}`);
  return sequencer;
}
