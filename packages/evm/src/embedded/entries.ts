import type { Address, Hash } from '@switchyard/evm-machine/types';
import { keccakHex, ZERO_HASH } from '@switchyard/protocol/ethereum';
import type { BlockEntry } from '@switchyard/rollup/execution';
import type { RefusedEntry } from '../chain/chain.ts';
import {
  checkTransaction,
  depositId,
  refusedOr,
  type SequencedDeposit,
  senderRefusal,
  type TransactionRules,
} from '../rules/rules.ts';
import type { Senders } from '../senders/senders.ts';
import { REFUSALS, type Refusal } from '../transactions/refusals.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** A transaction that is fit for some block, and who sent it. */
export interface Candidate {
  readonly entry: number;
  readonly tx: Transaction;
  readonly from: Address;
}

/** The entries of a sequencer block, sorted by kind. */
export interface SortedEntries {
  readonly candidates: readonly Candidate[];
  readonly deposits: readonly SequencedDeposit[];
  readonly refused: readonly RefusedEntry[];
}

/** Looks at every entry alone: form, signature, and the rules that need no state. */
export async function sortEntries(
  entries: readonly BlockEntry[],
  chain: TransactionRules,
  senders: Senders,
): Promise<SortedEntries> {
  const fit: { readonly entry: number; readonly tx: Transaction }[] = [];
  const deposits: SequencedDeposit[] = [];
  const refused: RefusedEntry[] = [];
  for (const [entry, value] of entries.entries()) {
    if (value.kind === 'deposit') deposits.push({ entry, deposit: value.deposit });
    else if (value.kind === 'unknown') {
      refused.push({ entry, kind: 'unknown', hash: ZERO_HASH, from: undefined, ...bare('unknown-entry') });
    } else {
      // A copy of its own: the entry is part of a message of many megabytes, and the block is kept.
      const checked = refusedOr(() => checkTransaction(new Uint8Array(value.data), chain));
      if ('signature' in checked) fit.push({ entry, tx: checked });
      else refused.push(refusedTransaction(entry, keccakHex(value.data), undefined, checked));
    }
  }
  const found = await senders.ofAll(fit.map(({ tx }) => tx));
  const candidates: Candidate[] = [];
  for (const [index, { entry, tx }] of fit.entries()) {
    const from = found[index];
    if (from === undefined) refused.push(refusedTransaction(entry, tx.hash, undefined, bare('bad-signature')));
    else {
      const refusedOf = senderRefusal(tx, chain.fork, from);
      if (refusedOf === undefined) candidates.push({ entry, tx, from });
      else refused.push(refusedTransaction(entry, tx.hash, from, refusedOf));
    }
  }
  return { candidates, deposits, refused };
}

export function refusedTransaction(
  entry: number,
  hash: Hash,
  from: Address | undefined,
  { code, reason }: Refusal,
): RefusedEntry {
  return { entry, kind: 'transaction', hash, from, code, reason };
}

export function refusedDeposit({ entry, deposit, code, reason }: Refusal & SequencedDeposit): RefusedEntry {
  return { entry, kind: 'deposit', hash: depositId(deposit), from: undefined, code, reason };
}

function bare(code: keyof typeof REFUSALS): Refusal {
  return { code, reason: REFUSALS[code] };
}
