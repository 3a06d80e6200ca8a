import type { Withdrawal } from './withdrawal.ts';

/** Facts about an open withdrawal that this run has found out. None of them is on disk. */
export interface Standing {
  /** Why it is not paid. */
  readonly reason: string;
  readonly tries: number;
  /** When it is tried again, on the monotonic clock. */
  readonly retryAt: number;
  /** Whether it is tried by itself: something in its bundle was refused. */
  readonly isAlone: boolean;
}

/** Payments in one transaction at most. The sequencer takes 256,000 bytes, and one is below a thousand. */
export const MAX_BUNDLE = 100;

/**
 * Withdrawals of the next transaction, in their order. One that made a transaction fail is tried by itself, when it is due,
 * so that it holds up no other.
 */
export function nextBundle(
  open: Iterable<Withdrawal>,
  standings: ReadonlyMap<number, Standing>,
  now: number,
): readonly Withdrawal[] {
  const bundle: Withdrawal[] = [];
  for (const withdrawal of open) {
    const standing = standings.get(withdrawal.number);
    if (standing !== undefined && standing.retryAt > now) continue;
    if (standing?.isAlone === true) {
      if (bundle.length === 0) return [withdrawal];
      continue;
    }
    bundle.push(withdrawal);
    if (bundle.length === MAX_BUNDLE) break;
  }
  return bundle;
}

/**
 * Withdrawals that a balance covers one after the other, in their order. The sequencer keeps a transaction that its account
 * cannot pay until it can, and with it the nonce of all later ones, so that none such may be signed.
 */
export function affordable(due: readonly Withdrawal[], balance: bigint): readonly Withdrawal[] {
  let rest = balance;
  return due.filter(({ amount }) => {
    if (amount > rest) return false;
    rest -= amount;
    return true;
  });
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

/** The balance sheet of a bridge account: what it holds beside what it owes. */
export interface Sheet {
  readonly height: bigint;
  readonly locked: bigint;
  /** Deposited, and not withdrawn. */
  readonly minted: bigint;
  /** Withdrawn and not paid, as far as deposits cover it. */
  readonly unpaid: bigint;
  /** Withdrawn beyond all deposits, such as coins of a genesis: not owed until more is deposited, and no part of the balance. */
  readonly uncovered: bigint;
  /** Deposits on their way at that height, at most. */
  readonly arriving: bigint;
  /** Deposits that the rollup refused. */
  readonly uncredited: bigint;
  /** The rest, such as plain transfers to the bridge account. Negative where something is missing. */
  readonly surplus: bigint;
  readonly isBalanced: boolean;
}

/** The sheet is balanced where the bridge account holds at least all that it owes. */
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
