import type { BridgeAccount } from '@switchyard/client';
import { parseDenom, Rejected } from '@switchyard/protocol';
import { backoffMs, type Clock, isAbort, type Logger, retry, sleep } from '@switchyard/service';
import type { Ledger } from './ledger.ts';
import { balanceSheet, choose, nextDue, type Sheet } from './plan.ts';
import type { PayingAccount } from './sequencer.ts';
import { type Level, type RollupNames, type RollupSource, Unusable } from './source.ts';
import { type Bundle, getDestination, type Standing, type Withdrawal } from './withdrawal.ts';

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
/** A node may lose its transactions; the same bytes again do no harm. */
const RESEND_MS = 2_000;
/** The sequencer is queried for the withdrawer of the bridge account at this interval, and after a refusal. */
const ROLE_MS = 60_000;
/** Between two balance sheets, or two questions whether the bridge account is initialized. */
const POLLS_PER_SHEET = 10;
/** Longest pause between looks at a rollup without withdrawals. */
const POLLS_AT_REST = 4;
const GROWTH = 1.2;
/** Steps of the position without a withdrawal, in blocks, that may be taken again after a start. */
const UNSAVED = 1_000n;
/** Tries of one kind, suspects or others, before it is the turn of the other kind: one that is refused costs no block. */
const MAX_ATTEMPTS = 8;
const HELD = { initialMs: 2_000, maxMs: 300_000 };
const UNFUNDED = 'the bridge account holds less than this, after earlier payments';
/** A withdrawal that is not held and waits for longer is reported. */
const LATE_MS = 600_000;
const UNCOVERED = 'no deposit that was credited and not paid out again covers it: coins of the genesis are not paid';
const FAILED = { initialMs: 250, maxMs: 5_000 };

/**
 * Pays each withdrawal of a rollup once. The sequencer refuses a second payment of an event, regardless of events here; besides
 * that, a signed transaction is on disk before it is sent, and nothing else is signed until it is known what became of it.
 */
export class Withdrawer {
  readonly #deps: WithdrawerDeps;
  /** When withdrawals that have a standing are tried again, on the clock; a withdrawal without one is due. */
  readonly #dueAt = new Map<number, number>();
  #isForSuspects = false;
  /** Tries in this turn, of which none was taken. */
  #attempts = 0;
  /** When this run first saw the waiting ones. */
  #waitingSince: ReadonlyMap<number, number> = new Map();
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
  /** Whether all was read once, and only held withdrawals were open: a lost ledger is made again by then. */
  #isCaughtUp = false;

  constructor(deps: WithdrawerDeps) {
    this.#deps = deps;
    this.#restMs = deps.pollMs;
  }

  /** Why nothing is paid, or something that should be is not. */
  get trouble(): string | undefined {
    if (this.#trouble !== undefined) return this.#trouble;
    const { open, standings } = this.#deps.ledger;
    for (const [number, { kind, reason }] of standings) {
      if (kind !== 'refused' && kind !== 'unfunded') continue;
      const { eventId, amount } = open.get(number) ?? {};
      return `withdrawal ${eventId} of ${amount} is not paid: ${reason}`;
    }
    const ms = this.longestWaitMs;
    return ms < LATE_MS ? undefined : `a withdrawal waits for its payment since ${Math.floor(ms / 1_000)} s`;
  }

  /** How long the oldest withdrawal that is not held has been known to this run. */
  get longestWaitMs(): number {
    const now = this.#deps.clock.now();
    let longest = 0;
    for (const since of this.#waitingSince.values()) longest = Math.max(longest, now - since);
    return longest;
  }

  /** Asset of the bridge account; undefined while it is no bridge account. */
  get asset(): string | undefined {
    return this.#account?.asset;
  }

  /** The newest sheet; undefined before the first. */
  get sheet(): Sheet | undefined {
    return this.#sheet;
  }

  /** Why an open withdrawal is not paid; undefined while it waits for its turn. */
  findReason({ number }: Withdrawal): string | undefined {
    const standing = this.#deps.ledger.standings.get(number);
    return standing?.kind === 'suspect' ? undefined : standing?.reason;
  }

  /** Open withdrawals that are held, for a reason. */
  get held(): number {
    return Array.from(this.#deps.ledger.standings.values()).filter(({ kind }) => kind !== 'suspect').length;
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
        const isAtRest = await retry(() => this.pass(), { ...FAILED, signal, clock, random, onRetry });
        const look = ledger.bundle === undefined ? this.#restMs : Math.min(this.#lookMs, pollMs);
        this.#lookMs *= 1.5;
        this.#restMs = Math.min(this.#restMs * GROWTH, pollMs * POLLS_AT_REST);
        await sleep(isAtRest ? look : 0, signal, clock);
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    }
  }

  /**
   * Takes everything one step further.
   *
   * @returns whether nothing more can be done now.
   * @throws if the rollup or the sequencer does not answer, or does not fit.
   */
  async pass(): Promise<boolean> {
    await this.#checkRoles();
    const isAtRest = this.#account === undefined || (await this.#step(this.#account));
    if (this.#trouble !== undefined) {
      this.#deps.log.info({ account: this.#deps.account.address }, 'paying withdrawals');
    }
    this.#trouble = undefined;
    return isAtRest;
  }

  async #step(bridge: Pick<BridgeAccount, 'asset' | 'rollup'>): Promise<boolean> {
    const { ledger, clock } = this.#deps;
    const { asset } = bridge;
    await this.#begin(bridge);
    const isLast = await this.#read();
    if (ledger.bundle !== undefined) await this.#follow(ledger.bundle);
    const isDone = ledger.bundle !== undefined || (await this.#pay(asset));
    this.#noteWaiting();
    if (isLast && ledger.bundle === undefined && this.#waitingSince.size === 0) this.#isCaughtUp = true;
    if (
      this.#isCaughtUp &&
      ledger.bundle === undefined &&
      clock.now() - this.#sheetAt >= POLLS_PER_SHEET * this.#deps.pollMs
    ) {
      await this.#balance(asset);
    }
    return isLast && isDone;
  }

  #noteWaiting(): void {
    const { ledger, clock } = this.#deps;
    const now = clock.now();
    const waiting = Array.from(ledger.open.values()).filter((each) => this.findReason(each) === undefined);
    this.#waitingSince = new Map(waiting.map(({ number }) => [number, this.#waitingSince.get(number) ?? now]));
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
    const { rollup: was, bridge: from, sequencerChainId: item } = ledger.origin ?? origin;
    if (was !== rollup || from !== bridge || item !== sequencerChainId) {
      throw new Unusable(
        `the ledger is of rollup ${was}, bridge account ${from} and sequencer ${item}, and the settings name ${rollup}, ${bridge} and ${sequencerChainId}: give each its own directory`,
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
    const { hash: transaction, numbers, fee } = bundle;
    const spender = await account.spender(bundle, signal);
    if (spender === undefined) {
      if (clock.now() >= this.#sendAt) await this.#send(bundle);
    } else if (spender === 'foreign') {
      log.warn({ transaction }, 'another transaction used the nonce of a payment, signing again');
      await ledger.drop();
    } else {
      const { height } = spender;
      await ledger.settle(numbers, { transaction, height, fee });
      for (const number of numbers) this.#dueAt.delete(number);
      log.info({ withdrawals: numbers.length, transaction, height }, 'withdrawals paid');
    }
  }

  /** @returns whether nothing else is due now. */
  async #pay(asset: string): Promise<boolean> {
    const { ledger, account, bridge, source, clock, signal } = this.#deps;
    const due = nextDue(ledger, (number) => this.#dueAtOf(number), clock.now(), this.#isForSuspects);
    if (due.length === 0) return true;
    const terms = await account.terms(asset, signal);
    // Coins of a genesis came by no deposit: paid, they would take what others have deposited.
    const covered = (await source.credited(signal)) - ledger.paid.sum;
    const isCovered = terms.locked <= covered;
    const { payable, small, beyond } = choose(due, { ...terms, locked: isCovered ? terms.locked : covered });
    const faults = new Map(payable.map((each) => [each, findFault(each, bridge)]));
    const good = payable.filter((each) => faults.get(each) === undefined);
    const impossible = payable.filter((each) => faults.get(each) !== undefined);
    await this.#hold('never', impossible, (each) => faults.get(each) ?? '');
    await this.#hold('small', small, () => 'its payment costs as much as it');
    await this.#hold(isCovered ? 'unfunded' : 'uncovered', beyond, () => (isCovered ? UNFUNDED : UNCOVERED));
    let isTaken = false;
    if (good.length > 0) {
      const bundle = await account.sign(good, asset, terms, signal);
      await ledger.sign(bundle);
      this.#lookMs = FIRST_LOOK_MS;
      await this.#send(bundle);
      isTaken = ledger.bundle !== undefined;
    }
    this.#attempts += 1;
    if (isTaken || this.#attempts === MAX_ATTEMPTS) {
      this.#isForSuspects = !this.#isForSuspects;
      this.#attempts = 0;
    }
    return isTaken;
  }

  async #send(bundle: Bundle): Promise<void> {
    const { account, clock, signal } = this.#deps;
    const refusal = await account.send(bundle, signal);
    this.#sendAt = clock.now() + RESEND_MS;
    if (refusal !== undefined) await this.#refused(bundle, refusal);
  }

  /**
   * Finds out which withdrawal of a refused transaction was at fault: a withdrawal that is paid already, or whose destination is a bridge
   * account. The others are tried together again. If neither is known, each half is tried without the other.
   */
  async #refused(bundle: Bundle, reason: string): Promise<void> {
    const { account, ledger, signal, log } = this.#deps;
    const withdrawals = bundle.numbers.flatMap((number) => ledger.open.get(number) ?? []);
    const paid: number[] = [];
    const toBridge: Withdrawal[] = [];
    for (const each of withdrawals) {
      if ((await account.isPaid(each.eventId, signal)) === true) paid.push(each.number);
      else if (await account.isBridge(each.to, signal)) toBridge.push(each);
    }
    if (paid.length > 0) {
      log.info({ withdrawals: paid.length }, 'withdrawals were paid before');
      await ledger.settle(paid);
      for (const number of paid) this.#dueAt.delete(number);
    }
    await this.#hold('never', toBridge, () => 'the destination is a bridge account of the sequencer');
    if (paid.length + toBridge.length === 0) {
      const middle = Math.ceil(withdrawals.length / 2);
      const halves = [withdrawals.slice(0, middle), withdrawals.slice(middle)];
      const kind = withdrawals.length === 1 ? 'refused' : 'suspect';
      for (const [index, half] of halves.entries()) {
        await this.#hold(kind, half, () => reason, `${bundle.hash}/${index}`);
      }
    }
    await ledger.drop();
    // Its withdrawer may have been changed.
    this.#roleAt = Number.NEGATIVE_INFINITY;
  }

  #dueAtOf(number: number): number {
    const kind = this.#deps.ledger.standings.get(number)?.kind;
    return kind === 'never' ? Number.POSITIVE_INFINITY : (this.#dueAt.get(number) ?? 0);
  }

  /** Keeps on disk why they are not paid, and retries, at growing intervals, withdrawals that may be paid then. */
  async #hold(
    kind: Standing['kind'],
    held: readonly Withdrawal[],
    findReason: (each: Withdrawal) => string,
    group?: string,
  ): Promise<void> {
    const { ledger, clock, random, log } = this.#deps;
    const standings = new Map<number, Standing>();
    for (const each of held) {
      const { number } = each;
      const tries = kind === 'suspect' ? 0 : (ledger.standings.get(number)?.tries ?? 0) + 1;
      this.#dueAt.set(number, clock.now() + (kind === 'suspect' ? 0 : backoffMs(tries, HELD, random)));
      standings.set(number, { kind, reason: findReason(each), tries, ...(group !== undefined && { group }) });
    }
    const news = held.find(({ number }) => ledger.standings.get(number)?.reason !== standings.get(number)?.reason);
    if (news !== undefined && kind !== 'suspect') {
      const { eventId: event, to, amount } = news;
      const first = { event, to: to.slice(0, 100), amount, reason: findReason(news) };
      log.warn({ withdrawals: held.length, ...first }, 'withdrawals are held, this one among them');
    }
    await ledger.stand(standings);
  }

  /** Compares both chains. The rollup is queried before and after: deposits in between are on their way. */
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

/** Why a withdrawal can never be paid, as far as it shows that itself. */
function findFault({ to, fault }: Withdrawal, bridge: string): string | undefined {
  if (fault !== undefined) return fault;
  try {
    getDestination(to, bridge);
    return undefined;
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    return `the destination is no address: ${error.message}`;
  }
}
