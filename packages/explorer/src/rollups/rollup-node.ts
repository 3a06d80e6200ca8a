import { ApiRefused, type HttpApiOptions, httpApi } from '@switchyard/client/http-api';
import { type RollupId, rollupIdFromName, txHashFromHex } from '@switchyard/protocol';
import type { Input } from '@switchyard/service/input';
import { type Offers, toOffers } from './offers.ts';

export interface RollupHead {
  readonly name: string;
  readonly id: RollupId;
  readonly chainId: string;
  readonly soft: number;
  readonly firm: number | undefined;
  /** Height of the layer if that was found; undefined if firm does not mean that, or it is not stated. */
  readonly firmLayerHeight?: number | undefined;
  /** The first block after block 0 that the node keeps. */
  readonly lowest: number;
}

export const SKIPPED_PAGE = 1_000;
const BLOCKS_PAGE = 100;
const MAX_REFUSALS = 1_000_000;
const HASH = /^[0-9a-f]{64}$/;

export type RollupNode = ReturnType<typeof rollupNode>;

/** Reads the chain of a node, for any rollup of the framework. */
export function rollupNode(url: string, fetch?: HttpApiOptions['fetch']) {
  const ask = httpApi('rollup', { url, maxAnswerBytes: 64 * 1_048_576, fetch });
  const init = (signal: AbortSignal) => ({ signal });
  const block = async (number: number, signal: AbortSignal) => toBlock(await ask(`/v1/blocks/${number}`, init(signal)));
  return {
    url,

    async head(signal: AbortSignal): Promise<RollupHead> {
      const answer = await ask('/v1/status', init(signal));
      const name = answer.at('rollup').text();
      return {
        name,
        id: rollupIdFromName(name),
        chainId: answer.at('chainId').text(),
        soft: answer.at('soft').at('number').integer(),
        firm: answer.at('firm').optional((firm) => firm.at('number').integer()),
        firmLayerHeight: answer.at('firmLayerHeight').optional((each) => each.integer()),
        lowest: answer.at('lowestBlock').optional((each) => each.integer()) ?? 1,
      };
    },

    /** Consecutive blocks from a number on, as many as one page has: one request, and one for each that refused something. */
    async blocks(from: number, most: number, signal: AbortSignal): Promise<RollupBlock[]> {
      const limit = Math.min(most, BLOCKS_PAGE);
      const answer = await ask(`/v1/blocks?after=${from - 1}&limit=${limit}`, init(signal));
      const blocks = answer.at('blocks').list(BLOCKS_PAGE).map(toBlock).reverse();
      for (const [index, { number, refused }] of blocks.entries()) {
        if (refused > 0) blocks[index] = await block(number, signal);
      }
      return blocks;
    },

    block,
    findHash: async (number: number, signal: AbortSignal) => (await block(number, signal)).hash,

    /** Oldest first. */
    async skippedDeposits(after: number | undefined, signal: AbortSignal) {
      const query = `limit=${SKIPPED_PAGE}${after === undefined ? '' : `&after=${after}`}`;
      const answer = await ask(`/v1/deposits/skipped?${query}`, init(signal));
      return answer.at('deposits').list(SKIPPED_PAGE).map(skippedDeposit);
    },

    /** Content of a transaction of this rollup; undefined for a node of a version that cannot tell. */
    async decode(bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
      const body = new Uint8Array(bytes);
      const headers = { 'content-type': 'application/octet-stream' };
      try {
        return (await ask('/v1/transactions:decode', { method: 'POST', headers, body, signal })).value;
      } catch (error) {
        if (error instanceof ApiRefused && error.status === 404) return undefined;
        throw error;
      }
    },

    /** Undefined for a node without a document. */
    async offers(signal: AbortSignal): Promise<Offers | undefined> {
      try {
        return toOffers(await ask('/v1/openapi.json', init(signal)));
      } catch (error) {
        if (error instanceof ApiRefused && error.status === 404) return undefined;
        throw error;
      }
    },

    /** Anything else that its API answers to a GET. */
    async get(path: string, signal: AbortSignal): Promise<unknown> {
      return (await ask(path, init(signal))).value;
    },
  };
}

/** The refusals are there if the block was requested on its own. */
function toBlock(answer: Input) {
  return {
    number: answer.at('number').integer(),
    hash: hash(answer.at('hash')),
    parentHash: hash(answer.at('parentHash')),
    // Milliseconds since the Unix epoch.
    time: time(answer.at('time')),
    sequencerBlockHash: hash(answer.at('sequencerBlockHash')),
    executed: answer.at('executed').integer(),
    refused: answer.at('refused').integer(),
    deposits: answer.at('deposits').integer(),
    skippedDeposits: answer.at('skippedDeposits').integer(),
    refusals: answer.at('refusals').list(MAX_REFUSALS).map(refusal),
  };
}
export type RollupBlock = ReturnType<typeof toBlock>;

function skippedDeposit(answer: Input) {
  return {
    id: answer.at('id').integer(),
    block: answer.at('block').integer(),
    transaction: answer.at('sourceTransaction').parsed(txHashFromHex, 'a hash'),
    action: answer.at('sourceAction').integer(),
    reason: answer.at('reason').text(),
  };
}
export type SkippedDeposit = ReturnType<typeof skippedDeposit>;

function refusal(answer: Input) {
  return {
    index: answer.at('index').integer(),
    hash: answer.at('hash').parsed(txHashFromHex, 'a hash'),
    code: answer.at('code').integer(),
    reason: answer.at('message').text(),
  };
}

function hash(input: Input): string {
  const text = input.text();
  return HASH.test(text) ? text : input.fail('a hash');
}

function time(input: Input): number {
  const at = Date.parse(input.text());
  return Number.isNaN(at) ? input.fail('a time') : at;
}
