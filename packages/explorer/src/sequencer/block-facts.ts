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

/** Facts that the index keeps of a block. */
export type BlockFacts = ReturnType<typeof blockFacts>;

/** Reads a block and its results. Signatures are not checked: the block was decided by validators who did check them. */
export function blockFacts({ id, header, txs, lastCommit }: NodeBlock, results: readonly TxExecution[]) {
  if (results.length !== txs.length) {
    throw new Error(`block ${header.height}: expected ${txs.length} results, got ${results.length}`);
  }
  const transactions: TransactionFacts[] = [];
  const submissions: ReturnType<typeof toSubmission>[] = [];
  const deposits: ReturnType<typeof toDeposit>[] = [];
  const withdrawals: ReturnType<typeof toWithdrawal>[] = [];
  const bridges: ReturnType<typeof bridgeOf>[] = [];
  for (const [position, bytes] of txs.entries()) {
    const result = results[position];
    if (position < INJECTED_ENTRIES || result === undefined) continue;
    const transaction = decoded(bytes);
    transactions.push(transactionFacts(position, bytes, transaction, result));
    // A refused transaction left nothing for rollups.
    if (transaction === undefined || result.code !== 0) continue;
    for (const [index, action] of transaction.actions.entries()) {
      if (action.kind === 'rollupDataSubmission') submissions.push(toSubmission(action, position));
      else if (action.kind === 'initBridgeAccount') bridges.push(bridgeOf(action, transaction));
      else if (action.kind === 'bridgeUnlock' || action.kind === 'bridgeTransfer')
        withdrawals.push(toWithdrawal(action, index, transaction));
    }
    for (const event of result.events) if (event.type === 'tx.deposit') deposits.push(toDeposit(event, transaction));
  }
  return {
    height: Number(header.height),
    hash: toHex(id.hash),
    parentHash: toHex(header.lastBlockId.hash),
    // Milliseconds since the Unix epoch.
    time: timestampToMillis(header.time),
    proposer: accountIdFromBytes(header.proposerAddress),
    size: txs.reduce((sum, { length }) => sum + length, 0),
    transactions,
    // For each rollup in the order in which it gets them.
    submissions,
    deposits,
    withdrawals,
    bridges,
    // Commit of the block before.
    lastCommit:
      lastCommit.height === 0n
        ? undefined
        : {
            height: Number(lastCommit.height),
            round: lastCommit.round,
            // For each validator in the order of the set whether it voted for the block.
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
  const common = {
    position,
    hash: transaction?.hash ?? txHashOf(bytes),
    code,
    reason: log,
    size: bytes.length,
  };
  if (transaction === undefined) {
    return { ...common, signer: undefined, nonce: 0, actionCount: 0, kinds: [], actions: [], fees: [], touched: [] };
  }
  const { signer, nonce, actions } = transaction;
  return {
    ...common,
    signer,
    nonce,
    actionCount: actions.length,
    kinds: getKinds(actions),
    actions: actions.slice(0, MAX_STORED_ACTIONS).map(actionJson),
    fees: getFees(events, actions),
    touched: [...touchedBy(actions, signer)],
  };
}

/* A bundle has hundreds of actions of one kind, which touch no account: these two make no list of them. */

function getKinds(actions: readonly Action[]): string[] {
  const kinds = new Set<string>();
  for (const { kind } of actions) kinds.add(kind);
  return [...kinds];
}

function touchedBy(actions: readonly Action[], signer: AccountId): Set<AccountId> {
  const touched = new Set([signer]);
  for (const action of actions) for (const account of touchedAccounts(action)) touched.add(account);
  return touched;
}

/** Events name an asset by its hash, although the transaction most often has its name. */
function getFees(events: readonly TxEvent[], actions: readonly Action[]): Fee[] {
  const paid = events.filter(({ type }) => type === 'tx.fees');
  const sums = sumFees([
    paid.map((event) => ({ asset: attribute(event, 'asset'), amount: attribute(event, 'feeAmount') })),
  ]);
  return sums.map(({ asset, amount }) => {
    const named = actions.find((action) => 'feeAsset' in action && `ibc/${action.feeAsset.id}` === asset);
    return { asset: named !== undefined && 'feeAsset' in named ? named.feeAsset.text : asset, amount };
  });
}

/** @param transaction Position of the transaction that carried it. */
function toSubmission({ rollup, data }: ActionOf<'rollupDataSubmission'>, transaction: number) {
  return { rollup, hash: txHashOf(data), size: data.length, transaction };
}

function bridgeOf({ rollup, asset }: ActionOf<'initBridgeAccount'>, transaction: SequencerTransaction) {
  return { account: transaction.signer, rollup, asset: asset.text, transaction: transaction.hash };
}

/** Payment of a bridge account for its rollup. @param index Its position in the transaction. */
function toWithdrawal(
  action: ActionOf<'bridgeUnlock' | 'bridgeTransfer'>,
  index: number,
  { hash }: SequencerTransaction,
) {
  return {
    kind: action.kind,
    transaction: hash,
    action: index,
    bridge: action.bridge.account,
    recipient: action.to.account,
    amount: String(action.amount),
    memo: action.kind === 'bridgeUnlock' ? action.memo : '',
    // On the other rollup.
    destination: action.kind === 'bridgeTransfer' ? action.destination : '',
    rollupBlock: String(action.rollupBlockNumber),
    event: action.withdrawalEvent,
  };
}

function toDeposit(event: TxEvent, { signer }: SequencerTransaction) {
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
