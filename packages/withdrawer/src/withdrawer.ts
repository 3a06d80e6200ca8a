import type { BridgeAccount } from '@switchyard/client';
import { parseDenom, Rejected } from '@switchyard/protocol';
import { backoffMs, type Clock, isAbort, type Logger, retry, sleep } from '@switchyard/service';
import type { Ledger } from './ledger.ts';
import { affordable, balanceSheet, nextBundle, type Sheet, type Standing } from './plan.ts';
import { destinationOf, type PayingAccount } from './sequencer.ts';
import { type Level, type RollupNames, type RollupSource, Unusable } from './source.ts';
import type { Bundle, Withdrawal } from './withdrawal.ts';

export interface WithdrawerDeps {
  readonly source: RollupSource;
  readonly account: PayingAccount;
  readonly ledger: Ledger;
  /** Bech32m. */
  readonly bridge: string;
  readonly sequencerChainId: string;
  readonly level: Level;
  /** Pause between looks at the rollup, after a withdrawal; it grows to four times that while none comes. */
  readonly pollMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** Pause between looks at a transaction under way; it grows up to that of the rollup. */
const FIRST_LOOK_MS = 10;
/** A node may lose what it held; the same bytes again do no harm. */
const RESEND_MS = 2_000;
/** The sequencer is asked who the withdrawer of the bridge account is after so long, and after a refusal. */
const ROLE_MS = 60_000;
/** Between two balance sheets, or two questions whether the bridge account is initialized. */
const POLLS_PER_SHEET = 10;
/** Longest pause between looks at a rollup without withdrawals. */
const POLLS_AT_REST = 4;
const GROWTH = 1.2;
/** Steps of the position without a withdrawal, in blocks, that may be taken again after a start. */
const UNSAVED = 1_000n;
const HELD = { initialMs: 2_000, maxMs: 300_000 };
const UNFUNDED = 'the bridge account holds less than this, after fees and earlier payments';
const UNCOVERED = 'no deposit that was credited and not paid out again covers it: coins of the genesis are not paid';
const FAILED = { initialMs: 250, maxMs: 5_000 };

/**
 * Pays each withdrawal of a rollup once. The sequencer refuses a second payment of an event, whatever happens here; beside
 * that, a signed transaction is on disk before it is sent, and nothing else is signed until it is known what became of it.
 */
export class Withdrawer {
  readonly #deps: WithdrawerDeps;
  readonly #standings = new Map<number, Standing>();
  #account: Awaited<ReturnType<PayingAccount['bridgeAccount']>>;
  #roleAt = Number.NEGATIVE_INFINITY;
  #sendAt = Number.NEGATIVE_INFINITY;
  #lookMs = FIRST_LOOK_MS;
  #restMs: number;
  #trouble: string | undefined = 'the rollup and the sequencer have not answered yet';
  #sheet: Sheet | undefined;
  #sheetAt = Number.NEGATIVE_INFINITY;
  #position: bigint | undefined;
  #names: RollupNames | undefined;
  /** Whether all was read once, and nothing but what is held was open: a lost ledger is made again by then. */
  #isCaughtUp = false;

  constructor(deps: WithdrawerDeps) {
    this.#deps = deps;
    this.#restMs = deps.pollMs;
  }

  /** Why nothing is paid. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Asset of the bridge account; undefined while it is none. */
  get asset(): string | undefined {
    return this.#account?.asset;
  }

  /** The newest sheet; undefined before the first. */
  get sheet(): Sheet | undefined {
    return this.#sheet;
  }

  /** Why an open withdrawal is not paid; undefined for one that waits for its turn. */
  reasonOf({ number, fault }: Withdrawal): string | undefined {
    return fault ?? this.#standings.get(number)?.reason;
  }

  /** Open withdrawals that are held, for a reason. */
  get held(): number {
    let held = 0;
    for (const each of this.#deps.ledger.open.values()) if (this.reasonOf(each) !== undefined) held += 1;
    return held;
  }

  /** Pays until the signal aborts. */
  async run(): Promise<void> {
    const { clock, random, signal, log, ledger, pollMs } = this.#deps;
    const onRetry = (error: unknown): void => {
      const reason = error instanceof Error ? error.message : String(error);
      if (this.#trouble !== reason) log.warn({ reason }, 'cannot pay withdrawals, retrying');
      this.#trouble = reason;
    };
    try {
      for (;;) {
        const isLast = await retry(() => this.pass(), { ...FAILED, signal, clock, random, onRetry });
        if (this.#trouble !== undefined) log.info({ account: this.#deps.account.address }, 'paying withdrawals');
        this.#trouble = undefined;
        const look = ledger.bundle === undefined ? this.#restMs : Math.min(this.#lookMs, pollMs);
        this.#lookMs *= 1.5;
        this.#restMs = Math.min(this.#restMs * GROWTH, pollMs * POLLS_AT_REST);
        await sleep(isLast ? look : 0, signal, clock);
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    }
  }

  /**
   * Takes everything one step further.
   *
   * @returns whether the rollup has no more withdrawals now.
   * @throws where the rollup or the sequencer does not answer, or does not fit.
   */
  async pass(): Promise<boolean> {
    const { ledger, clock } = this.#deps;
    await this.#checkRoles();
    if (this.#account === undefined) return true;
    await this.#begin(this.#account);
    const { asset } = this.#account;
    const isLast = await this.#read();
    if (ledger.bundle !== undefined) await this.#follow(ledger.bundle);
    if (ledger.bundle === undefined) await this.#pay(asset);
    const waiting = ledger.open.size - this.held;
    if (isLast && ledger.bundle === undefined && waiting === 0) this.#isCaughtUp = true;
    if (
      this.#isCaughtUp &&
      ledger.bundle === undefined &&
      clock.now() - this.#sheetAt >= POLLS_PER_SHEET * this.#deps.pollMs
    ) {
      await this.#balance(asset);
    }
    return isLast;
  }

  async #checkRoles(): Promise<void> {
    const { account, clock, signal } = this.#deps;
    const now = clock.now();
    const pause = this.#account === undefined ? POLLS_PER_SHEET * this.#deps.pollMs : ROLE_MS;
    if (now - this.#roleAt < pause) return;
    this.#account = await account.bridgeAccount(signal);
    this.#roleAt = now;
  }

  async #begin(account: Pick<BridgeAccount, 'asset' | 'rollup'>): Promise<void> {
    const { ledger, source, bridge, sequencerChainId, signal } = this.#deps;
    const names = this.#names ?? (await source.check(signal));
    const { rollup, rollupId, asset, sequencerChainId: chain } = names;
    // Deposits to such an account are locked for good.
    if (account.rollup !== rollupId) {
      throw new Unusable(
        `deposits to ${bridge} do not reach the rollup ${rollup}: the account is of the rollup id ${account.rollup}, expected ${rollupId}; a bridge account keeps its rollup, so the genesis has to name another account`,
      );
    }
    if (parseDenom(account.asset).id !== parseDenom(asset).id) {
      throw new Unusable(
        `the rollup ${rollup} takes no deposits of ${account.asset}, the asset of ${bridge}: expected ${asset}`,
      );
    }
    if (this.#names !== undefined) return;
    if (chain !== sequencerChainId) {
      throw new Unusable(`the rollup ${rollup} is of the sequencer ${chain}, expected ${sequencerChainId}`);
    }
    const origin = { rollup, bridge, sequencerChainId };
    if (ledger.origin === undefined) await ledger.begin(origin);
    const { rollup: was, bridge: from, sequencerChainId: of } = ledger.origin ?? origin;
    if (was !== rollup || from !== bridge || of !== sequencerChainId) {
      throw new Unusable(
        `the ledger is of rollup ${was}, bridge account ${from} and sequencer ${of}, and the settings name ${rollup}, ${bridge} and ${sequencerChainId}: give each its own directory`,
      );
    }
    this.#names = names;
  }

  /** Reads all withdrawals that the rollup has now. @returns whether none is left. */
  async #read(): Promise<boolean> {
    const { source, ledger, level, signal, log } = this.#deps;
    const { found, position, isLast } = await source.read(this.#position ?? ledger.position, level, signal);
    // A position that moved without a withdrawal is on disk now and then: a later start reads those blocks again.
    if (found.length > 0 || position - ledger.position >= UNSAVED) await ledger.add(found, position);
    this.#position = position;
    if (found.length > 0) this.#restMs = this.#deps.pollMs;
    if (found.length > 0) log.info({ withdrawals: found.length, open: ledger.open.size }, 'withdrawals read');
    return isLast;
  }

  /** Looks at the transaction under way. */
  async #follow(bundle: Bundle): Promise<void> {
    const { account, ledger, signal, log, clock } = this.#deps;
    const progress = await account.progress(bundle, signal);
    switch (progress.kind) {
      case 'paid': {
        const { hash, numbers } = bundle;
        await ledger.settle(numbers, { transaction: hash, height: progress.height });
        for (const number of numbers) this.#standings.delete(number);
        log.info({ withdrawals: numbers.length, transaction: hash, height: progress.height }, 'withdrawals paid');
        return;
      }
      case 'replaced':
        log.warn({ transaction: bundle.hash }, 'another transaction used the nonce of a payment, signing again');
        return ledger.drop();
      case 'under-way':
        if (clock.now() >= this.#sendAt) await this.#send(bundle);
    }
  }

  async #pay(asset: string): Promise<void> {
    const { ledger, account, source, clock, signal } = this.#deps;
    for (const each of ledger.open.values()) this.#holdIfImpossible(each);
    const due = nextBundle(ledger.open.values(), this.#standings, clock.now());
    if (due.length === 0) return;
    const spendable = await account.spendable(due, asset, signal);
    // Coins of a genesis came by no deposit: paid, they would take what others have deposited.
    const covered = (await source.credited(signal)) - ledger.paid.sum;
    const chosen = affordable(due, covered < spendable ? covered : spendable);
    const reason = covered < spendable ? UNCOVERED : UNFUNDED;
    for (const each of due) if (!chosen.includes(each)) this.#holdUntilFunded(each, reason);
    if (chosen.length === 0) return;
    const bundle = await account.sign(chosen, asset, signal);
    await ledger.sign(bundle);
    this.#lookMs = FIRST_LOOK_MS;
    await this.#send(bundle);
  }

  /** Such withdrawals are never signed for, and stay listed with their reason. */
  #holdIfImpossible(withdrawal: Withdrawal): void {
    const { number, to, fault } = withdrawal;
    if (this.#standings.has(number)) return;
    try {
      if (fault === undefined) return void destinationOf(to, this.#deps.bridge);
      this.#hold(withdrawal, fault, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      this.#hold(withdrawal, `the destination is no address: ${error.message}`, Number.POSITIVE_INFINITY);
    }
  }

  async #send(bundle: Bundle): Promise<void> {
    const { account, clock, signal } = this.#deps;
    const sent = await account.send(bundle, signal);
    this.#sendAt = clock.now() + RESEND_MS;
    if (sent.kind === 'refused') await this.#refused(bundle, sent.reason);
  }

  /** Finds out which withdrawal of a refused transaction was at fault: each is paid already, or tried by itself. */
  async #refused(bundle: Bundle, reason: string): Promise<void> {
    const { account, ledger, signal, log, clock, random } = this.#deps;
    const paid: number[] = [];
    for (const number of bundle.numbers) {
      const eventId = ledger.open.get(number)?.eventId;
      if (eventId !== undefined && (await account.isPaid(eventId, signal)) === true) paid.push(number);
    }
    if (paid.length > 0) {
      log.info({ withdrawals: paid.length }, 'withdrawals were paid before');
      await ledger.settle(paid);
      for (const number of paid) this.#standings.delete(number);
    }
    await ledger.drop();
    // Its withdrawer may have been changed.
    this.#roleAt = Number.NEGATIVE_INFINITY;
    // The others are tried together again: what is left may be good.
    if (paid.length > 0) return;
    for (const number of bundle.numbers) {
      const withdrawal = ledger.open.get(number);
      if (withdrawal === undefined) continue;
      if (bundle.numbers.length > 1) {
        this.#standings.set(number, { reason, tries: 0, retryAt: clock.now(), isAlone: true });
        continue;
      }
      const tries = (this.#standings.get(number)?.tries ?? 0) + 1;
      this.#hold(withdrawal, reason, clock.now() + backoffMs(tries, HELD, random), tries);
    }
  }

  /** It is tried again with others, when the bridge account may hold more. */
  #holdUntilFunded(withdrawal: Withdrawal, reason: string): void {
    const { clock, random } = this.#deps;
    const { tries: before = 0, isAlone = false } = this.#standings.get(withdrawal.number) ?? {};
    const tries = before + 1;
    this.#hold(withdrawal, reason, clock.now() + backoffMs(tries, HELD, random), tries, isAlone);
  }

  #hold({ number, eventId, to, amount }: Withdrawal, reason: string, retryAt: number, tries = 1, isAlone = true): void {
    if (this.#standings.get(number)?.reason !== reason || tries === 1) {
      this.#deps.log.warn({ event: eventId, to: to.slice(0, 100), amount, reason }, 'a withdrawal is held');
    }
    this.#standings.set(number, { reason, tries, retryAt, isAlone });
  }

  /** Compares both chains. The rollup is asked before and after: deposits in between are on their way. */
  async #balance(asset: string): Promise<void> {
    const { source, account, ledger, clock, signal, log } = this.#deps;
    const read = { position: this.#position ?? ledger.position, sum: ledger.read.sum };
    const before = await source.sums(read, signal);
    const { locked, height } = await account.locked(asset, signal);
    const after = await source.sums(read, signal);
    if (after.sequencerHeight < height) return;
    this.#sheetAt = clock.now();
    const { uncredited, withdrawn } = after;
    const sums = { depositedBefore: before.deposited, depositedAfter: after.deposited, uncredited, withdrawn };
    const was = this.#sheet?.isBalanced ?? true;
    this.#sheet = balanceSheet({ locked, height, paid: ledger.paid.sum, ...sums });
    if (!this.#sheet.isBalanced && was) log.error({ ...this.#sheet }, 'the bridge account holds less than it owes');
  }
}
