import { decodeBlock, decodeSignedHeader, renderBlockId, renderCommit, renderHeader } from '@switchyard/protocol';
import { internalError, turn } from '@switchyard/service';
import type { Chain } from '../../chain.ts';
import { decodeResults } from '../../store/results.ts';
import { type Methods, method } from '../method.ts';
import { answerBudget, getHeight, getPage, isDescending } from '../paging.ts';
import { hash, height, optionalCount, optionalHeight, words } from '../params.ts';
import { type Condition, MAX_QUERY_LENGTH, matches, parseQuery } from '../query.ts';
import { NO_BLOCK_ANSWER, renderBlock } from '../render.ts';

/** The number that CometBFT shows at once. */
const MAX_METAS = 20n;
/** Heights that a search may look at. */
const MAX_SEARCHED = 100_000n;

/** Methods about blocks, which are final once seen. */
export function blockMethods(chain: Chain): Methods {
  const large = { large: true };
  const headerAt = (at: bigint | undefined) => {
    const stored = at === undefined ? undefined : chain.signedHeader(at);
    return stored === undefined ? undefined : decodeSignedHeader(stored);
  };
  const headerAnswer = (at: bigint | undefined) => {
    const found = headerAt(at);
    return JSON.stringify({ header: found === undefined ? null : renderHeader(found.header) });
  };

  return {
    block: method({ height: optionalHeight }, ({ height: at }) => blockAnswer(chain, getHeight(chain, at)), large),
    block_by_hash: method({ hash }, (args) => blockAnswer(chain, chain.findHeight(args.hash)), large),

    header: method({ height: optionalHeight }, ({ height: at }) => headerAnswer(getHeight(chain, at))),
    header_by_hash: method({ hash }, (args) => headerAnswer(chain.findHeight(args.hash))),

    commit: method({ height: optionalHeight }, ({ height: wanted }) => {
      const at = getHeight(chain, wanted);
      const found = headerAt(at);
      if (found === undefined) return 'null';
      return JSON.stringify({
        signed_header: { header: renderHeader(found.header), commit: renderCommit(found.commit) },
        // In the next block: no other commit for this one can come to count.
        canonical: at !== chain.height,
      });
    }),

    block_results: method(
      { height: optionalHeight },
      ({ height: wanted }) => {
        const at = getHeight(chain, wanted);
        const stored = chain.has(at) ? chain.store.results(at) : undefined;
        if (stored === undefined) throw internalError(`could not find results for height #${at}`);
        const { txs, block } = decodeResults(stored);
        const results = txs.length === 0 ? 'null' : `[${txs.join(',')}]`;
        return `{"height":"${at}","txs_results":${results},${block.slice(1)}`;
      },
      large,
    ),

    blockchain: method({ minHeight: height, maxHeight: height }, ({ minHeight, maxHeight }) => {
      const { min, max } = toRange(chain, minHeight, maxHeight);
      const metas: object[] = [];
      for (let at = max; at >= min && chain.has(at); at -= 1n) {
        const meta = chain.store.meta(at);
        if (meta === undefined) break;
        const { header, commit } = decodeSignedHeader(meta.signedHeader);
        metas.push({
          block_id: renderBlockId(commit.blockId),
          block_size: String(meta.blockBytes),
          header: renderHeader(header),
          num_txs: String(meta.txCount),
        });
      }
      return JSON.stringify({ last_height: String(chain.height), block_metas: metas });
    }),

    block_search: method(
      { query: words, page: optionalCount, per_page: optionalCount, order_by: words },
      async ({ query, page, per_page, order_by }) => {
        const found = searchHeights(chain, query);
        if (isDescending(order_by, true)) found.reverse();
        const spend = answerBudget();
        const blocks: string[] = [];
        for (const at of getPage(found, page, per_page)) {
          spend(chain.store.meta(at)?.blockBytes ?? 0);
          blocks.push(blockAnswer(chain, at));
          // The blocks may be large: others get their turn in between.
          await turn();
        }
        return `{"blocks":[${blocks.join(',')}],"total_count":"${found.length}"}`;
      },
      large,
    ),
  };
}

function blockAnswer(chain: Chain, at: bigint | undefined): string {
  const found = at !== undefined && chain.has(at) ? chain.store.block(at) : undefined;
  const stored = at === undefined ? undefined : chain.signedHeader(at);
  if (found === undefined || stored === undefined) return JSON.stringify(NO_BLOCK_ANSWER);
  const { commit } = decodeSignedHeader(stored);
  return JSON.stringify({ block_id: renderBlockId(commit.blockId), block: renderBlock(decodeBlock(found)) });
}

/** CometBFT's rules for `blockchain`: a missing bound means the whole chain, and of that the newest twenty. */
function toRange(chain: Chain, minHeight: bigint, maxHeight: bigint): { readonly min: bigint; readonly max: bigint } {
  if (minHeight < 0n || maxHeight < 0n) throw internalError('heights must be non-negative');
  const max = maxHeight === 0n || maxHeight > chain.height ? chain.height : maxHeight;
  const atLeast = [minHeight === 0n ? 1n : minHeight, chain.first, max - MAX_METAS + 1n];
  const min = atLeast.reduce((a, b) => (a > b ? a : b));
  if (min > max) throw internalError(`min height ${min} can't be greater than max height ${max}`);
  return { min, max };
}

/** Ascending. Blocks are found by height only. */
function searchHeights(chain: Chain, text: string): bigint[] {
  const conditions = parsedConditions(text);
  if (conditions.some(({ key }) => key !== 'block.height' && key !== 'tm.event')) {
    throw internalError('this node searches blocks by block.height only');
  }
  return heightsIn(chain, conditions, { key: 'block.height', event: 'NewBlock' });
}

/**
 * Ascending heights for which the conditions on their key and on the event hold.
 *
 * @throws {JsonRpcError} if that would have to look at very many.
 */
export function heightsIn(
  chain: Chain,
  conditions: readonly Condition[],
  { key, event }: { readonly key: string; readonly event: string },
): bigint[] {
  const own = conditions.filter((each) => each.key === key || each.key === 'tm.event');
  const { low, high } = toBounds(chain, own, key);
  if (high - low >= MAX_SEARCHED)
    throw internalError(`a search may cover ${MAX_SEARCHED} heights, this one covers ${high - low + 1n}`);
  const found: bigint[] = [];
  for (let at = low; at <= high; at += 1n) {
    const keys = new Map([
      ['tm.event', [event]],
      [key, [String(at)]],
    ]);
    if (chain.has(at) && matches(own, keys)) found.push(at);
  }
  return found;
}

/** Heights outside of which no condition holds. */
function toBounds(chain: Chain, conditions: readonly Condition[], wanted: string) {
  let { first: low, height: high } = chain;
  for (const { key, operator, operand } of conditions) {
    if (key !== wanted || operand.kind !== 'number' || !Number.isSafeInteger(Math.ceil(operand.number))) continue;
    const number = BigInt(Math.floor(operand.number));
    if (operator === '=' || operator === '>' || operator === '>=') low = number > low ? number : low;
    if (operator === '=' || operator === '<' || operator === '<=') high = number < high ? number : high;
  }
  return { low, high };
}

export function parsedConditions(text: string): readonly Condition[] {
  if (text.length > MAX_QUERY_LENGTH) throw internalError('maximum query length exceeded');
  try {
    return parseQuery(text).conditions;
  } catch (error) {
    throw internalError(`failed to parse query: ${error instanceof Error ? error.message : String(error)}`);
  }
}
