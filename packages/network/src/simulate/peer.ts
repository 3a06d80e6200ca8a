import { type SequencerClient, sequencerClient } from '@switchyard/client';
import {
  decodeFilteredBlock,
  encodeFilteredBlock,
  filteredBlockToWire,
  type RollupId,
  rollupIdFromBytes,
} from '@switchyard/protocol';
import { ownSequencer, sequencerService } from '@switchyard/protocol/gen';
import { type Links, linkedPost, serveGrpc, sleep } from '@switchyard/service';
import type { Chance } from './chance.ts';

/** Name of the node for links. */
export const PEER = 'peer';

/** Kinds of lies: a height far above the truth, changed bytes, data left out or put in, blocks and commits of before, and none of the newest. */
export const LIES = ['height', 'damage', 'forgery', 'old', 'stall'] as const;
export type Lie = (typeof LIES)[number];

/** Addresses of a node, by RPC and gRPC. */
export interface Addresses {
  readonly rpcUrl: string;
  readonly grpcUrl: string;
}

export interface PeerOptions {
  readonly links: Links;
  readonly own: Addresses;
  readonly sequencer: Addresses;
  readonly chance: Chance;
}

interface Pushed {
  readonly block: Uint8Array;
  readonly signedHeader: Uint8Array;
}

const FAR = 1_000_000n;
const LOOK_MS = 200;
const NO_ROLLUP = new Uint8Array(32);
const MAX_BYTES = 16 * 1_048_576;

/** A node of the sequencer that another one runs: it passes on the real answers, unless it lies. It has no key to sign with. */
export class Peer {
  lie: Lie | undefined;
  readonly #options: PeerOptions;
  readonly #node: SequencerClient;
  /** Newest height that it has passed on. */
  #newest = 0n;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#node = sequencerClient({ ...options.sequencer, links: options.links });
  }

  async serve(): Promise<void> {
    const { links, own, sequencer } = this.#options;
    const post = linkedPost(links);
    links.addRpc(own.rpcUrl, {
      maxBodyBytes: MAX_BYTES,
      answer: async (body, signal) => {
        const { bytes } = await post(sequencer.rpcUrl, this.#asked(body), { signal, maxBytes: MAX_BYTES });
        return this.#answer(bytes);
      },
    });
    const { port, hostname: host } = new URL(own.grpcUrl);
    const services = [ownSequencer.NodeService, sequencerService.SequencerService] as const;
    const [node, blocks] = services;
    await serveGrpc({
      ...{ listen: { host, port: Number(port) }, name: 'the peer', links, services },
      routes: (router) => {
        router.service(node, {
          streamFilteredBlocks: ({ fromHeight, rollupId }, { signal }) =>
            this.#stream(fromHeight, getRollup(rollupId), signal),
        });
        router.service(blocks, {
          getFilteredSequencerBlock: async ({ height, rollupIds: [rollupId] }, { signal }) => {
            const block = encodeFilteredBlock(await this.#node.filteredBlock(height, getRollup(rollupId), signal));
            const shown = this.#block({ block, signedHeader: block });
            return filteredBlockToWire(decodeFilteredBlock(shown.block));
          },
        });
      },
    });
  }

  async *#stream(from: bigint, rollup: RollupId, signal: AbortSignal) {
    let before: Pushed | undefined;
    for await (const { blocks, latest } of this.#node.streamFilteredBlocks(from, rollup, signal)) {
      while (this.lie === 'stall') await sleep(LOOK_MS, signal);
      this.#newest = latest;
      yield {
        blocks: blocks.map((each) => this.#block(each, before)),
        latestHeight: this.lie === 'height' ? latest + FAR : latest,
      };
      before = blocks.at(-1) ?? before;
    }
  }

  #block(real: Pushed, before = real): Pushed {
    const { block, signedHeader } = real;
    switch (this.lie) {
      case 'old':
        return before;
      case 'damage':
        return this.#options.chance.happens(0.5)
          ? { block: this.#damaged(block), signedHeader }
          : { block, signedHeader: this.#damaged(signedHeader) };
      case 'forgery':
        return { block: this.#forged(block), signedHeader };
      default:
        return real;
    }
  }

  #damaged(bytes: Uint8Array): Uint8Array {
    const { chance } = this.#options;
    const damaged = Uint8Array.from(bytes);
    const at = chance.integer(0, damaged.length - 1);
    damaged[at] = (damaged[at] ?? 0) ^ chance.integer(1, 255);
    return damaged;
  }

  /** Leaves the rollup's data out, or has its last entry twice. */
  #forged(bytes: Uint8Array): Uint8Array {
    const block = decodeFilteredBlock(bytes);
    const rollups = this.#options.chance.happens(0.5)
      ? []
      : block.rollups.map((each) => ({
          ...each,
          transactions: [...each.transactions, ...each.transactions.slice(-1)],
        }));
    return encodeFilteredBlock({ ...block, rollups });
  }

  /** Requests an earlier block in place of the intended one. */
  #asked(body: string): string {
    if (this.lie !== 'old') return body;
    return body.replace(/"height":"(\d+)"/, (_, height: string) => `"height":"${Math.max(1, Number(height) - 1)}"`);
  }

  #answer(bytes: Uint8Array): string {
    const text = Buffer.from(this.lie === 'damage' ? this.#damaged(bytes) : bytes).toString('latin1');
    const claimed = this.#claimed();
    return claimed === undefined ? text : text.replace(/(?<="(?:last|latest)_block_height":")\d+/g, String(claimed));
  }

  #claimed(): bigint | undefined {
    if (this.lie === 'height') return this.#newest + FAR;
    return this.lie === 'stall' ? this.#newest : undefined;
  }
}

const getRollup = (id: { readonly inner: Uint8Array } | undefined): RollupId =>
  rollupIdFromBytes(id?.inner ?? NO_ROLLUP);
