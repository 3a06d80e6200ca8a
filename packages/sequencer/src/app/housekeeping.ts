import type { StateReader } from '@switchyard/machine';
import {
  type AccountId,
  Rejected,
  type SequencerTransaction,
  type TxHash,
  touchedAccounts,
} from '@switchyard/protocol';
import type { Charge } from '../mempool/entry.ts';
import type { Mempool } from '../mempool/mempool.ts';
import { toLedger } from './admission.ts';
import { getCharges } from './fees.ts';
import { type Executed, INJECTED_ENTRIES } from './proposal.ts';
import type { RecentResults } from './results.ts';
import { sudo } from './tables/authority.ts';
import type { BlockResult, DecidedBlock } from './types.ts';

interface Committed {
  readonly block: DecidedBlock;
  readonly executed: Executed;
  readonly result: BlockResult;
}

interface Deps {
  readonly mempool: Mempool;
  readonly results: RecentResults;
  /** The state after the block. */
  readonly state: StateReader;
}

/** Brings waiting and remembered transactions up to a block that has just been committed. */
export function tidyMempool({ block, executed, result }: Committed, { mempool, results, state }: Deps): void {
  const included: TxHash[] = [];
  const touched = new Set<AccountId>();
  for (const [index, outcome] of executed.outcomes.entries()) {
    if ('refused' in outcome) continue;
    const txResult = result.txResults[index + INJECTED_ENTRIES];
    if (txResult !== undefined) results.add(outcome.tx.hash, block.height, txResult);
    included.push(outcome.tx.hash);
    for (const account of iterateAccounts(outcome.tx)) touched.add(account);
  }
  // The fees went there.
  const receiver = sudo.get(state);
  if (receiver !== undefined && included.length > 0) touched.add(receiver);
  const recost = executed.feesChanged ? (tx: SequencerTransaction) => chargesIfAny(tx, state) : undefined;
  mempool.afterBlock({ height: block.height, included, touched, ledger: toLedger(state), recost });
}

function chargesIfAny(tx: SequencerTransaction, state: StateReader): readonly Charge[] | undefined {
  try {
    return getCharges(tx.actions, { state, signer: tx.signer });
  } catch (error) {
    if (error instanceof Rejected) return undefined;
    throw error;
  }
}

/** Every account whose nonce or balances a transaction can have changed. */
function* iterateAccounts({ signer, actions }: SequencerTransaction): Iterable<AccountId> {
  yield signer;
  for (const action of actions) yield* touchedAccounts(action);
}
