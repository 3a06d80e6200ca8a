import { decodeBlock, merkleProof, merkleRoot, sha256 } from '@switchyard/protocol';
import { internalError, turn } from '@switchyard/service';
import type { Chain } from '../../chain.ts';
import type { TxPlace } from '../../store/block-store.ts';
import { decodeResults } from '../../store/results.ts';
import { txKeys } from '../events.ts';
import { type Methods, method, type Node } from '../method.ts';
import { answerBudget, getPage, isDescending, toPerPage } from '../paging.ts';
import { flag, hash, optionalCount, words } from '../params.ts';
import { type Condition, exactly, matches } from '../query.ts';
import { base64, hex } from '../render.ts';
import { heightsIn, parsedConditions } from './blocks.ts';

/** Pool listings end here, regardless of the requested number. */
const MAX_LISTED_BYTES = 8 * 1024 * 1024;

/** A transaction as it stands in a block. */
interface StoredTx extends TxPlace {
  readonly tx: Uint8Array;
  /** JSON of its result. */
  readonly result: string;
}

/** Transactions of one search: how many it may find, and how many results it may read to filter them. */
const MAX_FOUND = 100_000;
const MAX_READ = 10_000;

/** Methods about transactions in blocks and in the pool. */
export function txMethods({ chain, pool }: Node): Methods {
  return {
    tx: method(
      { hash, prove: flag },
      async (args) => {
        const found = findPlace(chain, args.hash);
        if (found === undefined) throw internalError(`tx (${hex(args.hash)}) not found`);
        return renderTx(chain, await reader(chain)(found), args.prove);
      },
      { large: true },
    ),

    tx_search: method(
      { query: words, prove: flag, page: optionalCount, per_page: optionalCount, order_by: words },
      async ({ query, prove, page, per_page, order_by }) => {
        const found = await search(chain, query);
        if (isDescending(order_by, false)) found.reverse();
        const spend = answerBudget();
        const read = reader(chain);
        const txs: string[] = [];
        for (const place of getPage(found, page, per_page)) {
          const each = await read(place);
          spend(each.tx.length + each.result.length);
          txs.push(renderTx(chain, each, prove));
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
        for (const tx of pool.transactions(toPerPage(limit))) {
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

function findPlace(chain: Chain, txHash: Uint8Array): TxPlace | undefined {
  const place = txHash.length === 32 ? chain.store.findTx(txHash) : undefined;
  // The store may be one block ahead of publication.
  return place !== undefined && chain.has(place.height) ? place : undefined;
}

function renderTx(chain: Chain, { height, index, tx, result }: StoredTx, prove: boolean): string {
  const proof = prove ? `,"proof":${JSON.stringify(toProof(chain, height, index))}` : '';
  return `{"hash":"${hex(sha256(tx))}","height":"${height}","index":${index},"tx_result":${result},"tx":"${base64(tx)}"${proof}}`;
}

/** That the transaction is under the data hash of its block. */
function toProof(chain: Chain, height: bigint, index: number): object {
  const bytes = chain.store.block(height);
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

/** Ascending. Transactions are found by their hash, or by heights; further conditions filter these. */
async function search(chain: Chain, text: string): Promise<TxPlace[]> {
  const conditions = parsedConditions(text);
  const byHash = exactly(conditions, 'tx.hash');
  if (byHash === undefined && !conditions.some(({ key, operand }) => key === 'tx.height' && operand.kind !== 'none'))
    throw internalError('this node searches transactions by tx.hash or tx.height: the query must say which');
  const candidates =
    byHash === undefined ? placesAt(chain, conditions) : [findPlace(chain, Buffer.from(byHash, 'hex'))];
  const places = candidates.filter((each) => each !== undefined);
  if (conditions.every(({ key }) => key === 'tx.height' || key === 'tm.event')) return places;
  if (places.length > MAX_READ)
    throw internalError(`a search may read ${MAX_READ} transactions, this one ${places.length}: narrow its heights`);
  const read = reader(chain);
  const found: TxPlace[] = [];
  for (const place of places) {
    const { tx, height, result } = await read(place);
    if (matches(conditions, txKeys(hex(sha256(tx)), String(height), result))) found.push(place);
  }
  return found;
}

function placesAt(chain: Chain, conditions: readonly Condition[]): TxPlace[] {
  const places: TxPlace[] = [];
  for (const height of heightsIn(chain, conditions, { key: 'tx.height', event: 'Tx' })) {
    const count = chain.store.meta(height)?.txCount ?? 0;
    for (let index = 0; index < count; index += 1) places.push({ height, index });
    if (places.length > MAX_FOUND)
      throw internalError(`a search may find ${MAX_FOUND} transactions: narrow its heights`);
  }
  return places;
}

/** Reads transactions, those of one block together: the same bytes may be in several. */
function reader(chain: Chain): (place: TxPlace) => Promise<StoredTx> {
  let last: { readonly height: bigint; readonly txs: readonly StoredTx[] } | undefined;
  return async ({ height, index }) => {
    if (last?.height !== height) last = { height, txs: await txsAt(chain, height) };
    const found = last.txs[index];
    if (found === undefined) throw internalError(`block ${height} is gone`);
    return found;
  };
}

async function txsAt(chain: Chain, height: bigint): Promise<readonly StoredTx[]> {
  // A search reads many blocks: others get their turn in between.
  await turn();
  const [block, results] = [chain.store.block(height), chain.store.results(height)];
  if (block === undefined || results === undefined) return [];
  const outcomes = decodeResults(results).txs;
  return decodeBlock(block).txs.map((tx, index) => ({ height, index, tx, result: outcomes[index] ?? '{"events":[]}' }));
}
