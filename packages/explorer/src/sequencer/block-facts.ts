import type { NodeBlock, TxEvent, TxExecution } from '@switchyard/client';
import {
  type AccountId,
  accountIdFromBytes,
  decodeTransaction,
  parseAnyAddress,
  Rejected,
  type RollupId,
  type SequencerTransaction,
  type TxHash,
  timestampToMillis,
  toHex,
  touchedAccounts,
  txHashOf,
} from '@switchyard/protocol';
import { actionJson, type Json, MAX_STORED_ACTIONS } from './action-json.ts';

/** The first entries of a block are the roots over its rollup data. */
const INJECTED_ENTRIES = 2;

export interface TransactionFacts {
  readonly position: number;
  readonly hash: TxHash;
  /** Absent for an entry that is no transaction, which no honest set of validators lets into a block. */
  readonly signer: AccountId | undefined;
  readonly nonce: number;
  /** 0: it was executed. */
  readonly code: number;
  readonly reason: string;
  readonly size: number;
  readonly actionCount: number;
  readonly kinds: readonly string[];
  /** The first of them. */
  readonly actions: readonly Json[];
  /** By asset, in the order in which they were paid. */
  readonly fees: readonly { readonly asset: string; readonly amount: string }[];
  readonly touched: readonly AccountId[];
}

export interface SubmissionFacts {
  readonly rollup: RollupId;
  readonly hash: TxHash;
  readonly size: number;
  /** Of the transaction that carried it. */
  readonly transaction: number;
}

export interface DepositFacts {
  readonly rollup: RollupId;
  readonly transaction: TxHash;
  readonly action: number;
  readonly bridge: AccountId;
  readonly asset: string;
  readonly amount: string;
  readonly destination: string;
}

export interface BridgeFacts {
  readonly account: AccountId;
  readonly rollup: RollupId;
  readonly asset: string;
  readonly transaction: TxHash;
}

/** What the index keeps of a block. */
export interface BlockFacts {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly proposer: AccountId;
  readonly size: number;
  readonly transactions: readonly TransactionFacts[];
  /** For each rollup in the order in which it gets them. */
  readonly submissions: readonly SubmissionFacts[];
  readonly deposits: readonly DepositFacts[];
  readonly bridges: readonly BridgeFacts[];
  /** Of the block before. */
  readonly lastCommit: CommitFacts | undefined;
}

export interface CommitFacts {
  readonly height: number;
  readonly round: number;
  /** For each validator in the order of the set whether it voted for the block. */
  readonly signed: readonly boolean[];
}

/** Reads a block and its results. Signatures are not checked: the block was decided by those who did. */
export function blockFacts({ id, header, txs, lastCommit }: NodeBlock, results: readonly TxExecution[]): BlockFacts {
  if (results.length !== txs.length) {
    throw new Error(`block ${header.height}: expected ${txs.length} results, got ${results.length}`);
  }
  const transactions: TransactionFacts[] = [];
  const submissions: SubmissionFacts[] = [];
  const deposits: DepositFacts[] = [];
  const bridges: BridgeFacts[] = [];
  for (const [position, bytes] of txs.entries()) {
    const result = results[position];
    if (position < INJECTED_ENTRIES || result === undefined) continue;
    const transaction = decoded(bytes);
    transactions.push(transactionFacts(position, bytes, transaction, result));
    // What was refused left nothing for rollups.
    if (transaction === undefined || result.code !== 0) continue;
    submissions.push(...submissionsOf(transaction, position));
    bridges.push(...bridgesOf(transaction));
    deposits.push(...result.events.filter(({ type }) => type === 'tx.deposit').map(depositOf));
  }
  return {
    height: Number(header.height),
    hash: toHex(id.hash),
    parentHash: toHex(header.lastBlockId.hash),
    time: timestampToMillis(header.time),
    proposer: accountIdFromBytes(header.proposerAddress),
    size: txs.reduce((sum, { length }) => sum + length, 0),
    transactions,
    submissions,
    deposits,
    bridges,
    lastCommit:
      lastCommit.height === 0n
        ? undefined
        : {
            height: Number(lastCommit.height),
            round: lastCommit.round,
            signed: lastCommit.signatures.map(({ flag }) => flag === 'commit'),
          },
  };
}

function decoded(bytes: Uint8Array): SequencerTransaction | undefined {
  try {
    return decodeTransaction(bytes, () => true);
  } catch (error) {
    if (error instanceof Rejected) return undefined;
    throw error;
  }
}

function transactionFacts(
  position: number,
  bytes: Uint8Array,
  transaction: SequencerTransaction | undefined,
  { code, log, events }: TxExecution,
): TransactionFacts {
  const common = { position, hash: transaction?.hash ?? txHashOf(bytes), code, reason: log, size: bytes.length };
  if (transaction === undefined) {
    return { ...common, signer: undefined, nonce: 0, actionCount: 0, kinds: [], actions: [], fees: [], touched: [] };
  }
  const { signer, nonce, actions } = transaction;
  return {
    ...common,
    signer,
    nonce,
    actionCount: actions.length,
    kinds: [...new Set(actions.map(({ kind }) => kind))],
    actions: actions.slice(0, MAX_STORED_ACTIONS).map(actionJson),
    fees: feesOf(events),
    touched: [...new Set([signer, ...actions.flatMap(touchedAccounts)])],
  };
}

function feesOf(events: readonly TxEvent[]): { asset: string; amount: string }[] {
  const sums = new Map<string, bigint>();
  for (const event of events) {
    if (event.type !== 'tx.fees') continue;
    const asset = attribute(event, 'asset');
    sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(attribute(event, 'feeAmount')));
  }
  return [...sums].map(([asset, amount]) => ({ asset, amount: String(amount) }));
}

function submissionsOf({ actions }: SequencerTransaction, transaction: number): SubmissionFacts[] {
  return actions.flatMap((action) =>
    action.kind === 'rollupDataSubmission'
      ? [{ rollup: action.rollup, hash: txHashOf(action.data), size: action.data.length, transaction }]
      : [],
  );
}

function bridgesOf({ actions, signer, hash }: SequencerTransaction): BridgeFacts[] {
  return actions.flatMap((action) =>
    action.kind === 'initBridgeAccount'
      ? [{ account: signer, rollup: action.rollup, asset: action.asset.text, transaction: hash }]
      : [],
  );
}

function depositOf(event: TxEvent): DepositFacts {
  return {
    rollup: Buffer.from(attribute(event, 'rollupId'), 'base64url').toString('hex') as RollupId,
    transaction: attribute(event, 'sourceTransactionId') as TxHash,
    action: Number(attribute(event, 'sourceActionIndex')),
    bridge: parseAnyAddress(attribute(event, 'bridgeAddress')).account,
    asset: attribute(event, 'asset'),
    amount: attribute(event, 'amount'),
    destination: attribute(event, 'destinationChainAddress'),
  };
}

function attribute({ type, attributes }: TxEvent, name: string): string {
  const found = attributes.find(({ key }) => key === name);
  if (found === undefined) throw new Error(`event ${type}: expected the attribute ${name}`);
  return found.value;
}
