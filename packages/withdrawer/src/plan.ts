import type { BalanceSheet } from './contract.ts';
import type { Ledger } from './ledger.ts';
import type { Withdrawal } from './withdrawal.ts';

/** Payments in one transaction at most. The sequencer takes 256,000 bytes, and one is below a thousand. */
export const MAX_BUNDLE = 100;

/**
 * Withdrawals that may be in the next transaction. Accounts take turns, and so do two kinds: withdrawals that no refused transaction
 * had, and withdrawals that one had, of which the group that is due for longest is tried on its own.
 *
 * @param dueAt When it is tried again, on the monotonic clock.
 * @param isForSuspects Whether it is the turn of the second kind.
 */
export function nextDue(
  { open, standings }: Pick<Ledger, 'open' | 'standings'>,
  dueAt: (number: number) => number,
  now: number,
  isForSuspects: boolean,
): readonly Withdrawal[] {
  const due = Array.from(open.values()).filter(({ number }) => dueAt(number) <= now);
  const isSuspect = ({ number }: Withdrawal) => {
    const kind = standings.get(number)?.kind;
    return kind === 'suspect' || kind === 'refused';
  };
  const fresh = due.filter((each) => !isSuspect(each));
  const suspects = inTurns(due.filter(isSuspect)).sort((a, b) => dueAt(a.number) - dueAt(b.number));
  const [first] = suspects;
  if (first === undefined || (fresh.length > 0 && !isForSuspects)) return inTurns(fresh);
  const { group } = standings.get(first.number) ?? {};
  return suspects.filter(
    (each) => each === first || (group !== undefined && standings.get(each.number)?.group === group),
  );
}

/** The first of each account, then the second of each. */
function inTurns(withdrawals: readonly Withdrawal[]): Withdrawal[] {
  const counts = new Map<string, number>();
  const turns = withdrawals.map((withdrawal) => {
    const turn = counts.get(withdrawal.sender) ?? 0;
    counts.set(withdrawal.sender, turn + 1);
    return { withdrawal, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ withdrawal }) => withdrawal);
}

/** Means and costs of payments at this moment. */
export interface Terms {
  /** Fee of one payment, if it is paid in the bridge account's asset; else 0. */
  readonly fee: bigint;
  /** Whether a further payment of each transaction returns its fees to the account that signs. */
  readonly isRefunded: boolean;
  /** Balance that payments can be made of. */
  readonly locked: bigint;
  /** Payments whose fees the account that signs can pay. */
  readonly most: number;
}

/** Amount that each of this many payments keeps back for the fees of their transaction. */
export function getShare({ fee, isRefunded }: Terms, payments: number): bigint {
  return isRefunded ? fee + (fee + BigInt(payments) - 1n) / BigInt(payments) : fee;
}

/**
 * Withdrawals that are worth their payment, and that the balance covers one after the other. The sequencer keeps a transaction
 * that its account cannot pay until it can, and with it the nonce of all later ones, so that none such may be signed.
 *
 * @returns also withdrawals that are too small for a payment of their own, and ones beyond the balance.
 */
export function choose(due: readonly Withdrawal[], terms: Terms) {
  const covered: Withdrawal[] = [];
  const small: Withdrawal[] = [];
  const beyond: Withdrawal[] = [];
  const alone = getShare(terms, 1);
  let rest = terms.locked;
  for (const withdrawal of due) {
    const { amount } = withdrawal;
    const list = amount <= alone ? small : amount > rest ? beyond : covered;
    list.push(withdrawal);
    if (list === covered) rest -= amount;
  }
  return { payable: covered.slice(0, Math.min(terms.most, MAX_BUNDLE)), small, beyond };
}

/** Sums of both chains, in the smallest unit of the asset. */
export interface SheetInput {
  /** Balance of the bridge account, and the height at which it had that. */
  readonly locked: bigint;
  readonly height: bigint;
  /** Withdrawals that were paid by then. */
  readonly paid: bigint;
  /** Deposits that the rollup had seen before that height, and those at or above it. */
  readonly depositedBefore: bigint;
  readonly depositedAfter: bigint;
  readonly uncredited: bigint;
  readonly withdrawn: bigint;
}

/** The balance sheet of a bridge account, as the contract describes it: what it holds besides what it owes. */
export type Sheet = { readonly [K in keyof BalanceSheet]: BalanceSheet[K] extends boolean ? boolean : bigint };

/** The sheet is balanced if the bridge account holds at least all that it owes. */
export function balanceSheet(input: SheetInput): Sheet {
  const { height, locked, paid, depositedBefore, depositedAfter, uncredited, withdrawn } = input;
  const uncovered = positive(withdrawn + uncredited - depositedAfter);
  // Deposits in between were made before that height or after it: the account may lack only what must have come before.
  const most = locked + paid - depositedBefore;
  const arriving = depositedAfter - depositedBefore;
  return {
    ...{ height, locked, unpaid: positive(withdrawn - uncovered - paid), uncovered, arriving, uncredited },
    minted: positive(depositedBefore - uncredited - withdrawn),
    surplus: most < 0n ? most : most > arriving ? most - arriving : 0n,
    isBalanced: most >= 0n,
  };
}

const positive = (amount: bigint) => (amount > 0n ? amount : 0n);
