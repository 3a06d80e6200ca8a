import { executeTransaction, type Overlay, type StateWriter } from '@switchyard/machine';
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
import type { BlockEntry, BlockInput } from '../execution/executor.ts';
import { runActivations } from './activations.ts';
import type { BlockEvent, CreditedDeposit } from './commits.ts';
import { cutText } from './cut-text.ts';
import type { RollupAction, RollupDefinition, RollupTransaction } from './definition.ts';
import { encodeReceipts, type Receipt } from './outcomes.ts';
import { BlockSignatures, decodeTransaction } from './transaction.ts';
import { backDeposit } from './withdrawals.ts';

/** Why an entry of the block did nothing. */
export interface Refusal {
  readonly index: number;
  readonly hash: TxHash;
  readonly code: number;
  readonly message: string;
}

export interface RefusedDeposit {
  readonly deposit: Deposit;
  readonly message: string;
}

/** Result of a block. The state it left is in the overlay that it was given. */
export interface BlockOutcome<E> {
  /** One for each transaction in the block, in order. */
  readonly receipts: readonly Receipt[];
  /** `receipts` in bytes. */
  readonly encodedReceipts: Uint8Array;
  /** Over receipts and deposits. */
  readonly receiptsHash: Uint8Array;
  /** The bytes of the executed transactions. */
  readonly executed: readonly Uint8Array[];
  /** The first ones of the block only; `receipts` has the codes of all. */
  readonly refusals: readonly Refusal[];
  readonly events: readonly BlockEvent<E>[];
  readonly credited: readonly CreditedDeposit[];
  readonly skipped: readonly RefusedDeposit[];
}

export interface BlockContext<A> {
  readonly number: bigint;
  readonly known: KnownTransactions<A>;
}

/** Transactions that this node has decoded and verified before. It may know any or none: the result is the same. */
export type KnownTransactions<A> = (hash: TxHash) => RollupTransaction<A> | undefined;

const MAX_REFUSALS_RECORDED = 256;
const MAX_MESSAGE_LENGTH = 300;

/**
 * Runs a block: its deposits first, then its transactions. A refused one is recorded and leaves no trace in the
 * state; only a bug throws.
 */
export function executeBlock<A extends RollupAction, E>(
  definition: RollupDefinition<A, E>,
  state: Overlay,
  { entries, timestamp }: BlockInput,
  context: BlockContext<A>,
): BlockOutcome<E> {
  runActivations(definition.activations, context.number, state);
  const deposits = executeDeposits(definition, state, entries);
  const transactions = executeTransactions(definition, state, entries, timestamp, context);
  const encodedReceipts = encodeReceipts(transactions.receipts);
  return {
    ...deposits,
    ...transactions,
    encodedReceipts,
    receiptsHash: sha256(
      Buffer.concat([
        sha256(encodedReceipts),
        ...deposits.credited.map(encodeCredit),
        ...deposits.skipped.map(encodeSkip),
      ]),
    ),
  };
}

function executeDeposits<A extends RollupAction, E>(
  definition: RollupDefinition<A, E>,
  state: Overlay,
  entries: readonly BlockEntry[],
) {
  const credited: CreditedDeposit[] = [];
  const skipped: RefusedDeposit[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'deposit') continue;
    const { deposit } = entry;
    const attempt = state.child();
    const refused = refusalOf(() => {
      credited.push({ deposit, account: creditDeposit(definition, attempt, deposit) });
      attempt.apply();
    });
    if (refused !== undefined) skipped.push({ deposit, message: messageOf(refused) });
  }
  return { credited, skipped };
}

function creditDeposit<A extends RollupAction, E>(
  { genesis, onDeposit }: RollupDefinition<A, E>,
  state: StateWriter,
  deposit: Deposit,
): AccountId {
  if (deposit.rollup !== genesis.rollup) {
    throw new Rejected('unauthorized', { field: 'rollup id', expected: genesis.rollup, got: deposit.rollup });
  }
  if (!genesis.bridgeAccounts.has(deposit.bridge.account)) {
    throw new Rejected('not-a-bridge', { account: deposit.bridge.account });
  }
  try {
    const account = onDeposit(deposit, state);
    backDeposit(genesis, state, deposit);
    return account;
  } catch (cause) {
    if (cause instanceof Rejected) throw cause;
    throw new Error(`deposit ${deposit.sourceAction} of transaction ${deposit.sourceTransaction}`, { cause });
  }
}

function executeTransactions<A extends RollupAction, E>(
  definition: RollupDefinition<A, E>,
  state: Overlay,
  entries: readonly BlockEntry[],
  time: Timestamp,
  { number, known }: BlockContext<A>,
) {
  const receipts: Receipt[] = [];
  const executed: Uint8Array[] = [];
  const refusals: Refusal[] = [];
  const events: BlockEvent<E>[] = [];
  const signatures = new BlockSignatures();
  const { chainId, canonicalTransactions: canonical = false } = definition.genesis;
  for (const entry of entries) {
    if (entry.kind !== 'sequencedData') continue;
    const { data } = entry;
    const hash = txHashOf(data);
    const refused = refusalOf(() => {
      const tx = known(hash) ?? signatures.verified(decodeTransaction(definition, data, canonical, number));
      for (const event of executeTransaction({
        state,
        handlers: definition.actions,
        tx,
        chainId,
        height: number,
        time,
      })) {
        events.push({ event, signer: tx.signer, transaction: hash });
      }
      executed.push(data);
    });
    if (refused !== undefined && refusals.length < MAX_REFUSALS_RECORDED) {
      refusals.push({ index: receipts.length, hash, code: refused.code, message: messageOf(refused) });
    }
    receipts.push({ hash, code: refused?.code ?? 0 });
  }
  return { receipts, executed, refusals, events };
}

/** Anything but a refusal is a bug, and goes up. */
function refusalOf(work: () => void): Rejected | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Rejected) return error;
    throw error;
  }
}

function messageOf({ message }: Rejected): string {
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
