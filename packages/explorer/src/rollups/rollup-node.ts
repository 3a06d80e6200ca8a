import { httpApi } from '@switchyard/client/http-api';
import { type RollupId, rollupIdFromName, type TxHash, txHashFromHex } from '@switchyard/protocol';
import type { Input } from '@switchyard/service/input';

export interface RollupHead {
  readonly name: string;
  readonly id: RollupId;
  readonly chainId: string;
  readonly soft: number;
  readonly firm: number | undefined;
  /** The first block after block 0 that the node keeps. */
  readonly lowest: number;
}

export interface RollupBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly sequencerBlockHash: string;
  readonly executed: number;
  readonly refused: number;
  readonly deposits: number;
  readonly skippedDeposits: number;
  readonly refusals: readonly Refusal[];
}

export interface Refusal {
  readonly index: number;
  readonly hash: TxHash;
  readonly code: number;
  readonly reason: string;
}

export interface SkippedDeposit {
  readonly id: number;
  readonly block: number;
  readonly transaction: TxHash;
  readonly action: number;
  readonly reason: string;
}

export const SKIPPED_PAGE = 1_000;
const MAX_REFUSALS = 1_000_000;
const HASH = /^[0-9a-f]{64}$/;

export type RollupNode = ReturnType<typeof rollupNode>;

/** What a node of any rollup of the framework shows of its chain. */
export function rollupNode(url: string) {
  const ask = httpApi('rollup', { url, maxAnswerBytes: 64 * 1_048_576 });
  const init = (signal: AbortSignal) => ({ signal });
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
        lowest: answer.at('lowestBlock').optional((each) => each.integer()) ?? 1,
      };
    },

    async block(number: number, signal: AbortSignal): Promise<RollupBlock> {
      const answer = await ask(`/v1/blocks/${number}`, init(signal));
      return {
        number: answer.at('number').integer(),
        hash: hash(answer.at('hash')),
        parentHash: hash(answer.at('parentHash')),
        time: time(answer.at('time')),
        sequencerBlockHash: hash(answer.at('sequencerBlockHash')),
        executed: answer.at('executed').integer(),
        refused: answer.at('refused').integer(),
        deposits: answer.at('deposits').integer(),
        skippedDeposits: answer.at('skippedDeposits').integer(),
        refusals: answer
          .at('refusals')
          .list(MAX_REFUSALS)
          .map((each) => ({
            index: each.at('index').integer(),
            hash: each.at('hash').parsed(txHashFromHex, 'a hash'),
            code: each.at('code').integer(),
            reason: each.at('message').text(),
          })),
      };
    },

    /** Oldest first. */
    async skippedDeposits(after: number | undefined, signal: AbortSignal): Promise<SkippedDeposit[]> {
      const query = `limit=${SKIPPED_PAGE}${after === undefined ? '' : `&after=${after}`}`;
      const answer = await ask(`/v1/deposits/skipped?${query}`, init(signal));
      return answer
        .at('deposits')
        .list(SKIPPED_PAGE)
        .map((each) => ({
          id: each.at('id').integer(),
          block: each.at('block').integer(),
          transaction: each.at('sourceTransaction').parsed(txHashFromHex, 'a hash'),
          action: each.at('sourceAction').integer(),
          reason: each.at('reason').text(),
        }));
    },

    /** Anything else that its API answers to a GET. */
    async get(path: string, signal: AbortSignal): Promise<unknown> {
      return (await ask(path, init(signal))).value;
    },
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
