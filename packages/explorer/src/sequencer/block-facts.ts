import type { NodeBlock, TxEvent, TxExecution } from '@switchyard/client';
import {
  type AccountId,
  type Action,
  type ActionOf,
  accountIdFromBytes,
  decodeTransaction,
  type Json,
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
import { actionJson, MAX_STORED_ACTIONS } from './action-json.ts';
import { type Fee, sumFees } from './fees.ts';

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
  /** Fees by asset, in the order in which they were paid. */
  readonly fees: readonly Fee[];
  readonly touched: readonly AccountId[];
}

export interface SubmissionFacts {
  readonly rollup: RollupId;
  readonly hash: TxHash;
  readonly size: number;
  /** Position of the transaction that carried it. */
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
  /** Signer of the transaction. */
  readonly sender: AccountId;
}

/** Payment of a bridge account for its rollup. */
export interface WithdrawalFacts {
  readonly kind: 'bridgeUnlock' | 'bridgeTransfer';
  readonly transaction: TxHash;
  /** Its position in the transaction. */
  readonly action: number;
  readonly bridge: AccountId;
  readonly recipient: AccountId;
  readonly amount: string;
  readonly memo: string;
  /** Destination of a transfer on the other rollup. */
  readonly destination: string;
  readonly rollupBlock: string;
  readonly event: string;
}

export interface BridgeFacts {
  readonly account: AccountId;
  readonly rollup: RollupId;
  readonly asset: string;
  readonly transaction: TxHash;
}

/** Facts that the index keeps of a block. */
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
  readonly withdrawals: readonly WithdrawalFacts[];
  readonly bridges: readonly BridgeFacts[];
  /** Commit of the block before. */
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
  const withdrawals: WithdrawalFacts[] = [];
  const bridges: BridgeFacts[] = [];
  for (const [position, bytes] of txs.entries()) {
    const result = results[position];
    if (position < INJECTED_ENTRIES || result === undefined) continue;
    const transaction = decoded(bytes);
    transactions.push(transactionFacts(position, bytes, transaction, result));
    // A refused transaction left nothing for rollups.
    if (transaction === undefined || result.code !== 0) continue;
    for (const [index, action] of transaction.actions.entries()) {
      if (action.kind === 'rollupDataSubmission') submissions.push(submissionOf(action, position));
      else if (action.kind === 'initBridgeAccount') bridges.push(bridgeOf(action, transaction));
      else if (action.kind === 'bridgeUnlock' || action.kind === 'bridgeTransfer')
        withdrawals.push(withdrawalOf(action, index, transaction));
    }
    for (const event of result.events) if (event.type === 'tx.deposit') deposits.push(depositOf(event, transaction));
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
    withdrawals,
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
    kinds: kindsOf(actions),
    actions: actions.slice(0, MAX_STORED_ACTIONS).map(actionJson),
    fees: feesOf(events, actions),
    touched: [...touchedBy(actions, signer)],
  };
}

/* A bundle has hundreds of actions of one kind, which touch no account: these two make no list of them. */

function kindsOf(actions: readonly Action[]): string[] {
  const kinds = new Set<string>();
  for (const { kind } of actions) kinds.add(kind);
  return [...kinds];
}

function touchedBy(actions: readonly Action[], signer: AccountId): Set<AccountId> {
  const touched = new Set([signer]);
  for (const action of actions) for (const account of touchedAccounts(action)) touched.add(account);
  return touched;
}

/** Events name an asset by its hash, where the transaction most often has its name. */
function feesOf(events: readonly TxEvent[], actions: readonly Action[]): Fee[] {
  const paid = events.filter(({ type }) => type === 'tx.fees');
  const sums = sumFees([
    paid.map((event) => ({ asset: attribute(event, 'asset'), amount: attribute(event, 'feeAmount') })),
  ]);
  return sums.map(({ asset, amount }) => {
    const named = actions.find((action) => 'feeAsset' in action && `ibc/${action.feeAsset.id}` === asset);
    return { asset: named !== undefined && 'feeAsset' in named ? named.feeAsset.text : asset, amount };
  });
}

function submissionOf({ rollup, data }: ActionOf<'rollupDataSubmission'>, transaction: number): SubmissionFacts {
  return { rollup, hash: txHashOf(data), size: data.length, transaction };
}

function bridgeOf({ rollup, asset }: ActionOf<'initBridgeAccount'>, transaction: SequencerTransaction): BridgeFacts {
  return { account: transaction.signer, rollup, asset: asset.text, transaction: transaction.hash };
}

function withdrawalOf(
  action: ActionOf<'bridgeUnlock' | 'bridgeTransfer'>,
  index: number,
  { hash }: SequencerTransaction,
): WithdrawalFacts {
  return {
    kind: action.kind,
    transaction: hash,
    action: index,
    bridge: action.bridge.account,
    recipient: action.to.account,
    amount: String(action.amount),
    memo: action.kind === 'bridgeUnlock' ? action.memo : '',
    destination: action.kind === 'bridgeTransfer' ? action.destination : '',
    rollupBlock: String(action.rollupBlockNumber),
    event: action.withdrawalEvent,
  };
}

function depositOf(event: TxEvent, { signer }: SequencerTransaction): DepositFacts {
  return {
    rollup: Buffer.from(attribute(event, 'rollupId'), 'base64url').toString('hex') as RollupId,
    transaction: attribute(event, 'sourceTransactionId') as TxHash,
    action: Number(attribute(event, 'sourceActionIndex')),
    bridge: parseAnyAddress(attribute(event, 'bridgeAddress')).account,
    asset: attribute(event, 'asset'),
    amount: attribute(event, 'amount'),
    destination: attribute(event, 'destinationChainAddress'),
    sender: signer,
  };
}

function attribute({ type, attributes }: TxEvent, name: string): string {
  const found = attributes.find(({ key }) => key === name);
  if (found === undefined) throw new Error(`event ${type}: expected the attribute ${name}`);
  return found.value;
}
