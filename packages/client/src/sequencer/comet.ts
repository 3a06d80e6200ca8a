import {
  type BlockId,
  base64FromJson,
  blockIdFromJson,
  type CometHeader,
  type Commit,
  cometHeaderFromJson,
  commitFromJson,
  type SignedHeader,
  signedHeaderFromJson,
  type TxHash,
  toHex,
  txHashFromHex,
  txHashOf,
  type Validator,
  validatorFromJson,
} from '@switchyard/protocol';
import { AnswerTooLong, type JsonRpcBatchClient, JsonRpcError } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import { type TxEvent, txEvent } from './comet-json.ts';

export interface NodeStatus {
  readonly chainId: string;
  readonly moniker: string;
  readonly version: string;
  readonly latestHeight: bigint;
  /** Lower-case hex; empty before the first block. */
  readonly latestHash: string;
  /** RFC 3339. */
  readonly latestTime: string;
  /** The lowest block that the node still has; absent if it does not report that. */
  readonly earliestHeight?: bigint;
  readonly catchingUp: boolean;
}

/** The node's answer to a broadcast transaction. Code 0: it is in the mempool. */
export interface CheckResult {
  readonly code: number;
  readonly log: string;
  readonly hash: TxHash;
}

/** A transaction in a block. Code 0: it was executed. */
export interface TxResult extends CheckResult {
  readonly height: bigint;
  /** Position among the entries of the block. */
  readonly index: number;
  readonly events: readonly TxEvent[];
}

/** Outcome of a transaction in its block: a `TxResult` without its place. */
export type TxExecution = Pick<TxResult, 'code' | 'log' | 'events'>;

export interface NodeBlock {
  readonly id: BlockId;
  readonly header: CometHeader;
  readonly txs: readonly Uint8Array[];
  readonly lastCommit: Commit;
}

export interface ExecutedBlock {
  readonly block: NodeBlock;
  /** Results in the order of the block's transactions. */
  readonly results: readonly TxExecution[];
}

/** A query that the application refused. Codes are the sequencer's. */
export class QueryFailed extends Error {
  override readonly name = 'QueryFailed';

  constructor(
    readonly path: string,
    readonly code: number,
    log: string,
  ) {
    super(`the sequencer refused the query ${path}: ${log} (code ${code})`);
  }
}

/** The code for a transaction that waits in the node's mempool already. */
const ALREADY_PRESENT = 14;

const MAX_VALIDATORS = 10_000;
const PAGE = 100;

export type CometClient = ReturnType<typeof cometClient>;

/** The RPC of a CometBFT 0.38 node, or of an engine that answers like one. Heights left out mean the newest. */
export function cometClient(rpc: JsonRpcBatchClient) {
  const ask = async (method: string, params: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Input> =>
    new Input(await rpc.call(method, params, signal), method);
  const at = (height: bigint | undefined) => (height === undefined ? {} : { height: String(height) });

  return {
    async status(signal?: AbortSignal): Promise<NodeStatus> {
      const answer = await ask('status', {}, signal);
      const node = answer.at('node_info');
      const sync = answer.at('sync_info');
      const status = {
        chainId: node.at('network').text(),
        moniker: node.at('moniker').text(),
        version: node.at('version').text(),
        latestHeight: sync.at('latest_block_height').big(),
        latestHash: sync.at('latest_block_hash').text().toLowerCase(),
        latestTime: sync.at('latest_block_time').text(),
        catchingUp: sync.at('catching_up').bool(),
      };
      const earliestHeight = sync.at('earliest_block_height').optional((height) => height.big());
      return earliestHeight === undefined ? status : { ...status, earliestHeight };
    },

    async genesisChainId(signal?: AbortSignal): Promise<string> {
      return (await ask('genesis', {}, signal)).at('genesis').at('chain_id').text();
    },

    /** The application's height, which answers queries. */
    async latestHeight(signal?: AbortSignal): Promise<bigint> {
      const response = (await ask('abci_info', {}, signal)).at('response');
      return response.at('last_block_height').optional((height) => height.big()) ?? 0n;
    },

    /** @throws {QueryFailed} if the application answers with a code other than 0. */
    async query(path: string, { data, height, signal }: QueryOptions = {}) {
      const params = { path, data: data === undefined ? '' : toHex(data), ...at(height), prove: false };
      const response = (await ask('abci_query', params, signal)).at('response');
      const code = response.at('code').optional((each) => each.integer()) ?? 0;
      if (code !== 0) throw new QueryFailed(path, code, getReason(response));
      return {
        height: response.at('height').optional((each) => each.big()) ?? 0n,
        value: response.at('value').optional(base64FromJson) ?? new Uint8Array(0),
      };
    },

    async broadcastSync(bytes: Uint8Array, signal?: AbortSignal): Promise<CheckResult> {
      try {
        const answer = await ask('broadcast_tx_sync', { tx: toBase64(bytes) }, signal);
        return {
          code: answer.at('code').integer(),
          log: answer.at('log').text(),
          hash: answer.at('hash').parsed(txHashFromHex, 'a hash'),
        };
      } catch (error) {
        // CometBFT has no code for bytes that it holds already, only this text.
        if (!(error instanceof JsonRpcError && /tx already exists in cache/.test(error.message))) throw error;
        return { code: ALREADY_PRESENT, log: 'already present in the mempool', hash: txHashOf(bytes) };
      }
    },

    /**
     * @returns undefined for a transaction that is not in the node's index. It may still be in a block: the index lags, and
     * entries missing when the node is killed stay missing. `findInBlocks` is certain.
     */
    async tx(hash: TxHash, signal?: AbortSignal): Promise<TxResult | undefined> {
      try {
        const params = { hash: Buffer.from(hash, 'hex').toString('base64'), prove: false };
        const answer = await ask('tx', params, signal);
        return {
          hash: answer.at('hash').parsed(txHashFromHex, 'a hash'),
          height: answer.at('height').big(),
          index: answer.at('index').integer(),
          ...txExecution(answer.at('tx_result')),
        };
      } catch (error) {
        // An index without the transaction is reported in the message here too.
        if (error instanceof JsonRpcError && /not found/.test(error.message)) return undefined;
        throw error;
      }
    },

    async block(height?: bigint, signal?: AbortSignal): Promise<NodeBlock> {
      return nodeBlock(await ask('block', at(height), signal));
    },

    /** Results in the order of the block's transactions. */
    async blockResults(height: bigint, signal?: AbortSignal): Promise<TxExecution[]> {
      return blockResults(await ask('block_results', at(height), signal));
    },

    /** Some blocks and the outcomes of their transactions, in one request: nodes take at least ten calls in one. */
    async executedBlocks(heights: readonly bigint[], signal?: AbortSignal): Promise<ExecutedBlock[]> {
      const methods = ['block', 'block_results'] as const;
      const calls = heights.flatMap((height) => methods.map((method) => ({ method, params: at(height) })));
      const answers = await rpc.batch(calls, signal).catch((error: unknown) => {
        // More than the node answers at once.
        if (error instanceof JsonRpcError || error instanceof AnswerTooLong) return [];
        throw error;
      });
      const input = async (index: number): Promise<Input> => {
        const { method, params } = calls[index] ?? { method: 'block', params: {} };
        const answer = answers[index];
        if (answer === undefined || answer instanceof JsonRpcError) return ask(method, params, signal);
        return new Input(answer, method);
      };
      return Promise.all(
        heights.map(async (_, index) => ({
          block: nodeBlock(await input(2 * index)),
          results: blockResults(await input(2 * index + 1)),
        })),
      );
    },

    async commit(height?: bigint, signal?: AbortSignal): Promise<SignedHeader> {
      return signedHeaderFromJson((await ask('commit', at(height), signal)).at('signed_header'));
    },

    /** The whole set, in the node's order, however many pages it takes. */
    async validators(height?: bigint, signal?: AbortSignal): Promise<readonly Validator[]> {
      const set: Validator[] = [];
      for (let page = 1; ; page += 1) {
        const answer = await ask('validators', { ...at(height), page: String(page), per_page: String(PAGE) }, signal);
        const total = Number(answer.at('total').big());
        if (total > MAX_VALIDATORS) answer.at('total').fail(`at most ${MAX_VALIDATORS}`);
        const more = answer.at('validators').list(PAGE).map(validatorFromJson);
        set.push(...more);
        if (set.length >= total) return set;
        if (more.length === 0) answer.at('validators').fail(`the rest of ${total} validators`);
      }
    },
  };
}

function nodeBlock(answer: Input): NodeBlock {
  const block = answer.at('block');
  return {
    id: blockIdFromJson(answer.at('block_id')),
    header: cometHeaderFromJson(block.at('header')),
    txs: block.at('data').at('txs').list().map(base64FromJson),
    lastCommit: commitFromJson(block.at('last_commit')),
  };
}

function blockResults(answer: Input): TxExecution[] {
  return answer.at('txs_results').list().map(txExecution);
}

function txExecution(result: Input): TxExecution {
  return {
    code: result.at('code').optional((code) => code.integer()) ?? 0,
    log: result.at('log').optional((log) => log.text()) ?? '',
    events: result.at('events').list().map(txEvent),
  };
}

export interface QueryOptions {
  readonly data?: Uint8Array;
  /** The newest, if absent or 0. */
  readonly height?: bigint;
  readonly signal?: AbortSignal | undefined;
}

function getReason(response: Input): string {
  const texts = ['info', 'log'].map((name) => response.at(name).optional((text) => text.text()) ?? '');
  return [...new Set(texts)].filter((text) => text !== '').join(': ') || 'no reason given';
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
