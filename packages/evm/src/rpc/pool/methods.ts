import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, checksummed, getQuantity, hexToBytes, quantity } from '@switchyard/protocol/ethereum';
import { JsonRpcError, Places } from '@switchyard/service';
import type { Read } from '@switchyard/service/input';
import type { RefusedEntry } from '../../chain/chain.ts';
import { serverError } from '../../json/errors.ts';
import { receiptJson } from '../../json/format.ts';
import { transactionFields, transactionJson } from '../../json/format-transaction.ts';
import { address, blockReference, data, hash, quantity64, readParams } from '../../json/params.ts';
import { committedStateBlock, locate } from '../../json/resolve.ts';
import { checkHex } from '../../pool/check.ts';
import type { PoolTransaction, TransactionStatus } from '../../pool/pool.ts';
import type { RpcDeps, RpcMethods } from '../deps.ts';
import { marked } from '../marks.ts';

/** Transactions of each kind that one answer holds, the earliest first. */
const MAX_LISTED = 5_000;
/** Bytes of transactions that one answer holds; transactions that came later are left out too. */
const MAX_LISTED_BYTES = 16 * 1_048_576;

type ByNonce<T> = Readonly<Record<string, T>>;

/** Sending, and sent transactions that are in no block yet. */
export function poolMethods(deps: Pick<RpcDeps, 'chain' | 'pool' | 'clock'>): RpcMethods {
  const { chain, pool } = deps;
  const sendSync = sendAndWait(deps);
  return {
    // Each waits for the composer's disk, and the pool keeps the order in which they come.
    ...marked(
      { isBegunTogether: true },
      { eth_sendRawTransaction: (params) => pool.send(readParams(params, [rawTransaction])[0]) },
    ),

    eth_sendRawTransactionSync(params, { from }) {
      const [raw, timeoutMs] = readParams(params, [rawTransaction], [quantity64]);
      return sendSync(from.peer, raw, timeoutMs);
    },

    txpool_status() {
      const { sent, held } = pool.counts;
      return { pending: quantity(sent), queued: quantity(held) };
    },

    txpool_content: () => toContent(pool.content(MAX_LISTED), (each) => transactionJson(each, undefined)),
    txpool_inspect: () => toContent(pool.content(MAX_LISTED), inspected),

    txpool_contentFrom(params) {
      const [sender] = readParams(params, [address]);
      const all = pool.ofSender(sender);
      const fits = byteBudget();
      const find = (state: PoolTransaction['state']) =>
        byNonce(all.filter((each) => each.state === state && fits(each)).slice(0, MAX_LISTED), (each) =>
          transactionJson(each, undefined),
        );
      return { pending: find('sent'), queued: find('held') };
    },

    async switchyard_transactionStatus(params) {
      return statusJson(await pool.status(readParams(params, [hash])[0]));
    },

    switchyard_getRefusals(params) {
      const [block] = readParams(params, [blockReference]);
      return chain.refusedIn(committedStateBlock(chain, block)).map(refusedJson);
    },
  };
}

/** The digits of a text that is too long, or of a type that is not taken, are not looked at. */
const rawTransaction: Read<Uint8Array> = (input) => {
  const { value } = input;
  if (typeof value !== 'string' || !value.startsWith('0x')) return hexToBytes(data(input));
  checkHex(value);
  const bytes = Buffer.from(value.slice(2), 'hex');
  // It ends at the first invalid pair of digits.
  if (2 * bytes.length !== value.length - 2) return hexToBytes(data(input));
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
};

type Content = ReadonlyMap<Address, readonly PoolTransaction[]>;

function toContent<T>(
  { pending, queued }: { readonly pending: Content; readonly queued: Content },
  show: (transaction: PoolTransaction) => T,
): { readonly pending: Readonly<Record<string, ByNonce<T>>>; readonly queued: Readonly<Record<string, ByNonce<T>>> } {
  const fits = byteBudget();
  const listed = (content: Content) =>
    Object.fromEntries([...content].map(([sender, list]) => [checksummed(sender), byNonce(list.filter(fits), show)]));
  return { pending: listed(pending), queued: listed(queued) };
}

/** Whether a transaction fits into an answer behind the ones checked before. */
function byteBudget(): (transaction: PoolTransaction) => boolean {
  let left = MAX_LISTED_BYTES;
  return ({ raw }) => {
    left -= raw.length;
    return left >= 0;
  };
}

/** Nonces are decimal here, as go-ethereum has them. */
function byNonce<T>(list: readonly PoolTransaction[], show: (transaction: PoolTransaction) => T): ByNonce<T> {
  return Object.fromEntries(list.map((each) => [each.nonce.toString(), show(each)]));
}

/** One line for people, in go-ethereum's form. */
function inspected({ raw }: PoolTransaction): string {
  const { to, value, gas, gasPrice, maxFeePerGas } = transactionFields(raw);
  const number = (bytes: Uint8Array) => BigInt(getQuantity(bytes));
  const recipient = to.length === 0 ? 'contract creation' : checksummed(bytesToHex(to));
  const price = number(gasPrice ?? maxFeePerGas ?? new Uint8Array());
  return `${recipient}: ${number(value)} wei + ${number(gas)} gas × ${price} wei`;
}

/** Numbers as all of Ethereum's methods have them. */
function statusJson(status: TransactionStatus): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(status).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'bigint' || typeof value === 'number' ? quantity(value) : value,
    ]),
  );
}

function refusedJson({ entry, kind, hash: id, from, code, reason }: RefusedEntry): Record<string, unknown> {
  return { entry: quantity(entry), kind, hash: id, from: from ?? null, code, reason };
}

type Deps = Pick<RpcDeps, 'chain' | 'pool' | 'clock'>;

const DEFAULT_MS = 5_000;
const MAX_MS = 25_000;
const MAX_WAITING = 1_000;
/** EIP-7966: it was sent, and no block has it yet. */
const NOT_YET = 4;

/**
 * Sends transactions and answers with their receipts (EIP-7966).
 *
 * @returns a function of the client's address, raw bytes and a timeout in milliseconds, of which longer ones are cut to 25 seconds. It throws
 * `JsonRpcError` with code 4 and the hash as data if no block had the transaction in time.
 */
function sendAndWait(deps: Deps): (peer: string, raw: Uint8Array, timeoutMs?: bigint) => Promise<unknown> {
  const places = new Places(MAX_WAITING);
  return async (peer, raw, timeoutMs = BigInt(DEFAULT_MS)) => {
    const leave = places.take(peer);
    if (leave === undefined) throw serverError('too many callers wait for receipts; send with eth_sendRawTransaction');
    const ms = timeoutMs > 0n && timeoutMs < BigInt(MAX_MS) ? Number(timeoutMs) : MAX_MS;
    try {
      const hash = await deps.pool.send(raw);
      return getReceipt(deps, hash) ?? (await committed(deps, hash, ms));
    } finally {
      leave();
    }
  };
}

function committed(deps: Deps, hash: Hash, ms: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      stop();
      cancel();
    };
    const stop = deps.chain.onCommit(() => {
      const receipt = getReceipt(deps, hash);
      if (receipt === undefined) return;
      end();
      resolve(receipt);
    });
    const cancel = deps.clock.after(ms, () => {
      end();
      reject(new JsonRpcError(NOT_YET, `the transaction was sent and is in no block after ${ms} ms`, hash));
    });
  });
}

function getReceipt({ chain }: Deps, hash: Hash): unknown {
  const found = locate(chain, hash);
  return found && receiptJson(found.block, chain.receipts(found.block.header.number) ?? [], found.index);
}
