import { decodeBlock, merkleProof, merkleRoot, sha256 } from '@switchyard/protocol';
import { internalError } from '@switchyard/service';
import type { Chain } from '../../chain.ts';
import { decodeResults } from '../../store/results.ts';
import { txKeys } from '../events.ts';
import { type Methods, method } from '../method.ts';
import type { Node } from '../node.ts';
import { answerBudget, isDescending, pageOf, perPageOf } from '../paging.ts';
import { flag, hash, optionalCount, words } from '../params.ts';
import { exactly, matches } from '../query.ts';
import { base64, hex } from '../render.ts';
import { parsedConditions } from './blocks.ts';

/** Pool listings end here, however many were asked for. */
const MAX_LISTED_BYTES = 8 * 1024 * 1024;

interface FoundTx {
  readonly hash: string;
  readonly height: bigint;
  readonly index: number;
  readonly tx: Uint8Array;
  /** JSON. */
  readonly result: string;
}

/** Methods about transactions in blocks and in the pool. */
export function txMethods({ chain, pool }: Node): Methods {
  return {
    tx: method(
      { hash, prove: flag },
      async (args) => {
        const found = await findTx(chain, args.hash);
        if (found === undefined) throw internalError(`tx (${hex(args.hash)}) not found`);
        return renderTx(chain, found, args.prove);
      },
      { large: true },
    ),

    tx_search: method(
      { query: words, prove: flag, page: optionalCount, per_page: optionalCount, order_by: words },
      async ({ query, prove, page, per_page, order_by }) => {
        const found = await search(chain, query);
        if (isDescending(order_by, false)) found.reverse();
        const spend = answerBudget();
        const txs: string[] = [];
        for (const each of pageOf(found, page, per_page)) {
          spend(each.tx.length + each.result.length);
          txs.push(await renderTx(chain, each, prove));
        }
        return `{"txs":[${txs.join(',')}],"total_count":"${found.length}"}`;
      },
      { large: true },
    ),

    unconfirmed_txs: method(
      { limit: optionalCount },
      ({ limit }) => {
        const txs: string[] = [];
        let bytes = 0;
        for (const tx of pool.transactions(perPageOf(limit))) {
          bytes += tx.length;
          if (bytes > MAX_LISTED_BYTES) break;
          txs.push(base64(tx));
        }
        return poolAnswer(pool, txs.length, txs);
      },
      { large: true },
    ),

    num_unconfirmed_txs: method({}, () => poolAnswer(pool, pool.count, null)),
  };
}

function poolAnswer(pool: Node['pool'], count: number, txs: readonly string[] | null): string {
  return JSON.stringify({
    n_txs: String(count),
    total: String(pool.count),
    total_bytes: String(pool.bytes),
    txs,
  });
}

async function findTx(chain: Chain, txHash: Uint8Array): Promise<FoundTx | undefined> {
  const place = txHash.length === 32 ? chain.store.findTx(txHash) : undefined;
  // The store may be one block ahead of what may be published.
  if (place === undefined || !chain.has(place.height)) return undefined;
  return { hash: hex(txHash), ...(await chain.store.readTx(place)) };
}

async function renderTx(
  chain: Chain,
  { hash: txHash, height, index, tx, result }: FoundTx,
  prove: boolean,
): Promise<string> {
  const proof = prove ? `,"proof":${JSON.stringify(await proofOf(chain, height, index))}` : '';
  return `{"hash":"${txHash}","height":"${height}","index":${index},"tx_result":${result},"tx":"${base64(tx)}"${proof}}`;
}

/** That the transaction is under the data hash of its block. */
async function proofOf(chain: Chain, height: bigint, index: number): Promise<object> {
  const bytes = await chain.store.block(height);
  if (bytes === undefined) throw internalError(`block ${height} is gone`);
  const { txs } = decodeBlock(bytes);
  const hashes = txs.map((tx) => sha256(tx));
  const { path } = merkleProof(hashes, index);
  return {
    root_hash: hex(merkleRoot(hashes)),
    data: base64(txs[index] ?? new Uint8Array()),
    proof: {
      total: String(hashes.length),
      index: String(index),
      leaf_hash: base64(sha256(Uint8Array.of(0), hashes[index] ?? new Uint8Array())),
      aunts: path.map(base64),
    },
  };
}

/** Ascending. Something must narrow the search to one transaction or one block; further conditions filter that. */
async function search(chain: Chain, text: string): Promise<FoundTx[]> {
  const conditions = parsedConditions(text);
  const [byHash, byHeight] = [exactly(conditions, 'tx.hash'), exactly(conditions, 'tx.height')];
  if (byHash === undefined && byHeight === undefined) {
    throw internalError('this node searches transactions by tx.hash or tx.height: the query must say which');
  }
  const candidates = byHash !== undefined ? await onlyTx(chain, byHash) : await txsAt(chain, byHeight ?? '');
  return candidates.filter((found) => matches(conditions, txKeys(found.hash, String(found.height), found.result)));
}

async function onlyTx(chain: Chain, digits: string): Promise<FoundTx[]> {
  const found = await findTx(chain, Buffer.from(digits, 'hex'));
  return found === undefined ? [] : [found];
}

async function txsAt(chain: Chain, digits: string): Promise<FoundTx[]> {
  const height = /^\d{1,18}$/.test(digits) ? BigInt(digits) : 0n;
  if (!chain.has(height)) return [];
  const [block, results] = await Promise.all([chain.store.block(height), chain.store.results(height)]);
  if (block === undefined || results === undefined) return [];
  const outcomes = decodeResults(results).txs;
  return decodeBlock(block).txs.map((tx, index) => ({
    hash: hex(sha256(tx)),
    height,
    index,
    tx,
    result: outcomes[index] ?? '{"events":[]}',
  }));
}
