import {
  credit,
  executeActions,
  executeTransaction,
  type Overlay,
  type StateWriter,
  Steps,
} from '@switchyard/machine/browser';
import {
  type AccountId,
  type Deposit,
  fromHex,
  parseDenom,
  Rejected,
  sha256,
  type Timestamp,
  type TxHash,
  txHashOf,
} from '@switchyard/protocol';
import { nowRuns } from '#time-limit';
import type { BlockEntry, BlockInput } from '../execution/executor.ts';
import { runActivations } from './activations.ts';
import { asRefusal, mayDiffer } from './bugs.ts';
import type { BlockBug, BlockEvent, CreditedDeposit, EncodedEvent } from './commits.ts';
import { cutText } from './cut-text.ts';
import type { RollupTransaction, Rules } from './definition.ts';
import { EventBounds, encodeEvents, type TransactionEvents } from './event-rows.ts';
import { TransactionFees } from './fees.ts';
import { joined } from './joined.ts';
import { OwnRefusal } from './own-refusal.ts';
import { encodeReceipts, type Receipt } from './receipts.ts';
import { takeDue } from './scheduled.ts';

import { BlockSignatures, decodeTransaction } from './transaction.ts';
import { backDeposit } from './withdrawals.ts';

/** Why an entry of the block did nothing. */
export interface Refusal {
  readonly index: number;
  readonly hash: TxHash;
  readonly code: number;
  readonly message: string;
  /** Facts of an own refusal in their encoding; empty for others. */
  readonly facts: Uint8Array;
}

export interface RefusedDeposit {
  readonly deposit: Deposit;
  readonly message: string;
}

/** Result of a block. The state it left is in the overlay that it was given. */
export interface BlockOutcome {
  /** One for each transaction in the block, in order. */
  readonly receipts: readonly Receipt[];
  /** `receipts` in bytes. */
  readonly encodedReceipts: Uint8Array;
  /** Over receipts, deposits and events. */
  readonly receiptsHash: Uint8Array;
  /** The bytes of the executed transactions. */
  readonly executed: readonly Uint8Array[];
  /** The first ones of the block only; `receipts` has the codes of all. */
  readonly refusals: readonly Refusal[];
  readonly events: readonly BlockEvent[];
  /** Its events in bytes, if the definition has an encoding of them. */
  readonly encodedEvents: readonly TransactionEvents[];
  readonly credited: readonly CreditedDeposit[];
  readonly skipped: readonly RefusedDeposit[];
  /** Bugs that its handlers had. */
  readonly bugs: readonly BlockBug[];
}

export interface BlockContext {
  readonly number: bigint;
  readonly known: KnownTransactions;
}

/** Transactions that this node has decoded and verified before. It may know any or none: the result is the same. */
export type KnownTransactions = (hash: TxHash) => RollupTransaction | undefined;

const MAX_REFUSALS_RECORDED = 256;
const MAX_MESSAGE_LENGTH = 300;
const ACCOUNT = /^[0-9a-f]{40}$/;

/**
 * Runs a block: its deposits first, then its transactions. A refused one is recorded and uses up its nonce, if that was the
 * right one; only an error that other nodes may not have throws.
 */
export function executeBlock(
  definition: Rules,
  state: Overlay,
  { entries, timestamp }: BlockInput,
  context: BlockContext,
): BlockOutcome {
  runActivations(definition.activations, context.number, state);
  const deposits = executeDeposits(definition, state, entries);
  const transactions = executeTransactions(definition, state, entries, timestamp, context);
  const encodedReceipts = encodeReceipts(transactions.receipts);
  return {
    ...deposits,
    ...transactions,
    bugs: [...deposits.bugs, ...transactions.bugs],
    encodedReceipts,
    receiptsHash: sha256(
      joined([
        sha256(encodedReceipts),
        ...deposits.credited.map(encodeCredit),
        ...deposits.skipped.map(encodeSkip),
        ...(transactions.encodedEvents.length > 0 ? [encodeEvents(transactions.encodedEvents)] : []),
      ]),
    ),
  };
}

function executeDeposits(definition: Rules, state: Overlay, entries: readonly BlockEntry[]) {
  const credited: CreditedDeposit[] = [];
  const skipped: RefusedDeposit[] = [];
  const bugs: BlockBug[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'deposit') continue;
    const { deposit } = entry;
    const attempt = state.child();
    const refused = findRefusal(() => {
      credited.push({ deposit, account: creditDeposit(definition, attempt, deposit) });
      attempt.apply();
    });
    if (refused === undefined) continue;
    if (refused.reason === 'bug') bugs.push({ transaction: deposit.sourceTransaction, refused });
    const message = getMessage(refused);
    const account = refused.reason === 'bug' ? divertDeposit(definition, state.child(), deposit) : undefined;
    if (account === undefined) skipped.push({ deposit, message });
    else credited.push({ deposit, account, message });
  }
  return { credited, skipped, bugs };
}

/** Credits a deposit that a bug has hit to the account for failed ones. @returns undefined if there is none. */
function divertDeposit({ genesis }: Rules, state: Overlay, deposit: Deposit): AccountId | undefined {
  const { failedDeposits } = genesis;
  if (failedDeposits === undefined) return undefined;
  const overflow = findRefusal(() => {
    credit(state, failedDeposits, parseDenom(deposit.asset).id, deposit.amount);
    backDeposit(genesis, state, deposit);
    state.apply();
  });
  return overflow === undefined ? failedDeposits : undefined;
}

function creditDeposit({ genesis, onDeposit }: Rules, state: StateWriter, deposit: Deposit): AccountId {
  if (deposit.rollup !== genesis.rollup) {
    throw new Rejected('unauthorized', { field: 'rollup id', expected: genesis.rollup, got: deposit.rollup });
  }
  if (!genesis.bridgeAccounts.has(deposit.bridge.account)) {
    throw new Rejected('not-a-bridge', { account: deposit.bridge.account });
  }
  try {
    nowRuns('onDeposit of transaction', deposit.sourceTransaction);
    const account = onDeposit(deposit, state);
    if (!ACCOUNT.test(account)) throw new TypeError(`onDeposit returned ${typeof account}, expected the account`);
    backDeposit(genesis, state, deposit);
    return account;
  } catch (cause) {
    if (!mayDiffer(cause)) throw asRefusal(cause, { handler: 'onDeposit' });
    throw new Error(`deposit ${deposit.sourceAction} of transaction ${deposit.sourceTransaction}`, { cause });
  }
}

function executeTransactions(
  definition: Rules,
  state: Overlay,
  entries: readonly BlockEntry[],
  time: Timestamp,
  { number, known }: BlockContext,
) {
  const receipts: Receipt[] = [];
  const executed: Uint8Array[] = [];
  const refusals: Refusal[] = [];
  const events: BlockEvent[] = [];
  const bugs: BlockBug[] = [];
  const encodedEvents: TransactionEvents[] = [];
  const bounds = new EventBounds();
  const admit = ({ bytes: { length } }: EncodedEvent): void => bounds.take(length);
  const stepsOfBlock = definition.steps?.ofBlock ?? Number.MAX_SAFE_INTEGER;
  const ofBlock = new Steps(stepsOfBlock, exceededBlock);
  const signatures = new BlockSignatures();
  const { chainId, canonicalTransactions: canonical = false } = definition.genesis;
  const format = definition.transactionsAt?.(number) ?? definition.transactions;
  /** Runs a transaction, or an action that was scheduled and pays for no bytes, and keeps its outcome. */
  const run = (hash: TxHash, bytes: number, work: Work): void => {
    const fees = definition.fees && new TransactionFees(definition.fees, bytes);
    let signer: AccountId | undefined;
    const refused = findRefusal(() => {
      bounds.begin();
      const emitted = work(fees, (account) => {
        signer = account;
      });
      bounds.keep();
      if (signer === undefined) throw new Error('a transaction without a signer');
      for (const event of emitted) events.push({ event, signer, transaction: hash });
      const encoded = toBytes(emitted);
      if (encoded.length > 0) encodedEvents.push({ index: receipts.length, signer, events: encoded });
    });
    // Its actions are undone, their steps were taken all the same.
    if (refused !== undefined) fees?.settle(state);
    keepOutcome({ receipts, refusals, bugs }, { hash, signer }, refused);
  };
  const { actions: handlers, decodeScheduled } = definition;
  for (const entry of entries) {
    if (entry.kind !== 'sequencedData') continue;
    const { data } = entry;
    const hash = txHashOf(data);
    run(hash, data.length, (fees, signedBy) => {
      const seen = known(hash);
      // It may have been read by the rules of an earlier block.
      const tx =
        seen?.format === format ? seen : signatures.verified(decodeTransaction(definition, data, canonical, number));
      signedBy(tx.signer);
      const steps = () => findSteps(definition, tx, ofBlock, state, fees);
      const emitted = executeTransaction({ state, handlers, height: number, time, tx, chainId, fees, steps, admit });
      executed.push(data);
      return emitted;
    });
  }
  if (decodeScheduled !== undefined) {
    for (const { id, signer, action } of takeDue(state, { block: number, time, steps: stepsOfBlock })) {
      run(id, 0, (fees, signedBy) => {
        signedBy(signer);
        const tx = { hash: id, signer, actions: [decodeScheduled(action)] };
        fees?.enter(state, signer);
        const steps = () => fees && findSteps(definition, tx, undefined, state, fees);
        return executeActions({ state, handlers, height: number, time, tx, fees, steps, admit });
      });
    }
  }
  return { receipts, executed, refusals, events, encodedEvents, bugs };
}

/** Outcomes of the transactions of a block so far. */
interface Outcomes {
  readonly receipts: Receipt[];
  readonly refusals: Refusal[];
  readonly bugs: BlockBug[];
}

function keepOutcome(
  { receipts, refusals, bugs }: Outcomes,
  { hash, signer }: Pick<Receipt, 'hash' | 'signer'>,
  refused: Rejected | undefined,
): void {
  if (refused !== undefined && refusals.length < MAX_REFUSALS_RECORDED) {
    const facts = refused instanceof OwnRefusal ? refused.encoded : new Uint8Array();
    refusals.push({ index: receipts.length, hash, code: refused.code, message: getMessage(refused), facts });
  }
  if (refused?.reason === 'bug') bugs.push({ transaction: hash, refused });
  receipts.push({ hash, code: refused?.code ?? 0, signer });
}

function toBytes(events: readonly EncodedEvent[]): Uint8Array {
  const [only] = events;
  return only !== undefined && events.length === 1 ? only.bytes : joined(events.map(({ bytes }) => bytes));
}

/** @param signedBy Called once the signer is known. @returns its events. */
type Work = (fees: TransactionFees | undefined, signedBy: (account: AccountId) => void) => readonly EncodedEvent[];

function findSteps(
  { steps }: Rules,
  { actions, signer }: Pick<RollupTransaction, 'actions' | 'signer'>,
  ofBlock: Steps | undefined,
  state: Overlay,
  fees: TransactionFees | undefined,
): Steps | undefined {
  if (steps === undefined) return undefined;
  const most = actions.reduce((found, action) => Math.max(found, steps.ofAction(action)), 0);
  if (fees === undefined) return new Steps(most, exceededTransaction, ofBlock);
  const affordable = fees.affordable(state, signer);
  const reason = affordable < most ? exceededBalance : exceededTransaction;
  return fees.countBy(new Steps(Math.min(affordable, most), reason, ofBlock));
}

const exceeded = (field: string) => (limit: number) => new Rejected('limit-reached', { field, limit });
const exceededBlock = exceeded('steps of the block');
const exceededTransaction = exceeded('steps of the transaction');
const exceededBalance = exceeded('steps that the balance pays for');

/** An error that other nodes may not have goes up. */
function findRefusal(work: () => void): Rejected | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return asRefusal(error);
  }
}

function getMessage({ message }: Rejected): string {
  return cutText(message, MAX_MESSAGE_LENGTH);
}

const CREDITED = Uint8Array.of(1);
const SKIPPED = Uint8Array.of(0);

function encodeCredit({ deposit, account }: CreditedDeposit): Uint8Array {
  return sha256(CREDITED, depositFacts(deposit), fromHex(account), fromHex(parseDenom(deposit.asset).id));
}

function encodeSkip({ deposit }: RefusedDeposit): Uint8Array {
  return sha256(SKIPPED, depositFacts(deposit));
}

/** Source transaction (32 bytes), source action (8), amount (16), bridge (20), rollup id (32). */
function depositFacts(deposit: Deposit): Uint8Array {
  const facts = new Uint8Array(108);
  const view = new DataView(facts.buffer);
  facts.set(fromHex(deposit.sourceTransaction));
  view.setBigUint64(32, deposit.sourceAction);
  view.setBigUint64(40, deposit.amount >> 64n);
  view.setBigUint64(48, deposit.amount & 0xffff_ffff_ffff_ffffn);
  facts.set(fromHex(deposit.bridge.account), 56);
  facts.set(fromHex(deposit.rollup), 76);
  return facts;
}
