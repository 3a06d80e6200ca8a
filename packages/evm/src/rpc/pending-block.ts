import type { Hash, Header } from '@switchyard/evm-machine/types';
import { quantity } from '@switchyard/protocol/ethereum';
import { NO_BLOOM } from '../blocks/header.ts';
import { headerJson } from '../json/format.ts';
import { transactionJson } from '../json/format-transaction.ts';
import { latestHeader } from '../json/resolve.ts';
import type { PoolTransaction } from '../pool/pool.ts';
import { nextBaseFee } from '../rules/rules.ts';
import type { RpcDeps } from './deps.ts';

type PendingDeps = Pick<RpcDeps, 'chain' | 'pool' | 'wall' | 'next'>;

/** Transactions of the pending block, and bytes of them. */
const MAX_TRANSACTIONS = 1_000;
const MAX_BYTES = 4 * 1_048_576;

const UNKNOWN: Hash = `0x${'0'.repeat(64)}`;

/**
 * The block that would follow if it held the waiting transactions. Its transactions are not executed before they are ordered, so
 * that roots and gas used are zero; hash, nonce and recipient of the fees are null, as in go-ethereum.
 */
export function pendingBlockJson(deps: PendingDeps, full: boolean): Record<string, unknown> {
  const transactions = pendingTransactions(deps);
  return {
    ...pendingHeaderJson(deps),
    size: quantity(transactions.reduce((sum, { raw }) => sum + raw.byteLength, 0)),
    transactions: transactions.map((each) => (full ? transactionJson(each, undefined) : each.hash)),
    uncles: [],
    withdrawals: [],
  };
}

export function pendingHeaderJson({ chain, wall, next }: Omit<PendingDeps, 'pool'>): Record<string, unknown> {
  const { hash, header } = latestHeader(chain);
  const { prevRandao: mixHash = header.mixHash, ...given } = next?.() ?? {};
  const now = BigInt(Math.floor(wall.unixMs() / 1_000));
  const pending: Header = {
    ...header,
    parentHash: hash,
    number: header.number + 1n,
    timestamp: now > header.timestamp ? now : header.timestamp + 1n,
    baseFeePerGas: header.baseFeePerGas === undefined ? undefined : nextBaseFee(header),
    ...given,
    mixHash,
    gasUsed: 0n,
    stateRoot: UNKNOWN,
    transactionsRoot: UNKNOWN,
    receiptsRoot: UNKNOWN,
    logsBloom: NO_BLOOM,
    withdrawalsRoot: header.withdrawalsRoot === undefined ? undefined : UNKNOWN,
    parentBeaconBlockRoot: header.parentBeaconBlockRoot === undefined ? undefined : UNKNOWN,
    blockAccessListHash: header.blockAccessListHash === undefined ? undefined : UNKNOWN,
    slotNumber: header.slotNumber === undefined ? undefined : header.slotNumber + 1n,
  };
  return { ...headerJson(UNKNOWN, pending), hash: null, nonce: null, miner: null };
}

/** Transactions that wait to be ordered, in the order in which they were sent, as far as one answer holds them. */
export function pendingTransactions({ pool }: Pick<PendingDeps, 'pool'>): readonly PoolTransaction[] {
  let bytes = 0;
  return pool.pending(MAX_TRANSACTIONS).filter(({ raw }) => {
    bytes += raw.byteLength;
    return bytes <= MAX_BYTES;
  });
}
