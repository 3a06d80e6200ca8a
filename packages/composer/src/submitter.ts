import { backoffMs, type Clock, errorLine, isAbort, type Logger, sleep } from '@switchyard/service';
import { Account } from './account.ts';
import { Alarm } from './alarm.ts';
import type { Backlog } from './backlog.ts';
import { nextBundle, type Payer } from './bundle.ts';
import { type Closing, closings } from './closing.ts';
import { verdictOf } from './codes.ts';
import type { Fates } from './fates.ts';
import { type InFlight, nextNonce, resumed, signed } from './in-flight.ts';
import type { Bundle, Fate, Journal } from './journal.ts';
import { countOf, firstHalf, type Range, without } from './ranges.ts';
import type { Checked, Sequencer } from './sequencer.ts';

export interface SubmitterConfig {
  readonly maxBytesPerBundle: number;
  /** Least time between two bundles that are not full. */
  readonly intervalMs: number;
  /** Bundles that may be on their way at once. */
  readonly maxInFlight: number;
}

export interface SubmitterDeps {
  readonly sequencer: Sequencer;
  readonly journal: Journal;
  readonly backlog: Backlog;
  readonly fates: Fates;
  readonly payer: Payer & { readonly address: string };
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** What a person should know of the submitter. */
export interface SubmitterStatus {
  /** Why nothing can be submitted now; undefined when it can. */
  readonly trouble: string | undefined;
  readonly balance: bigint | undefined;
  readonly accountNonce: number | undefined;
  readonly inFlight: number;
  readonly lastIncludedHeight: bigint | undefined;
  readonly bundlesIncluded: number;
  readonly itemsSequenced: number;
  readonly itemsRefused: number;
}

const SETTLE_EVERY_MS = 50;
/** A transaction that is in no block after this time is offered again: a mempool may have lost it. */
const OFFER_AGAIN_MS = 3_000;
const RETRY_MS = 250;
const FUNDS_EVERY_MS = 2_000;
const STUCK_MS = 30_000;
/** A bundle costs about as much as so many items. Where bundles carry more, they are made less often. */
const WORTH_A_BUNDLE = 32;
const LONGEST_INTERVAL = 5;
/** Refusals, for a reason that may pass, after which something in the transaction is held to be bad. */
const PATIENCE = 5;

/** A sequencer of another chain: nothing that is signed for ours can ever be taken there. */
export class WrongChain extends Error {
  override readonly name = 'WrongChain';
}

/** A call to the sequencer failed, which is waited out. Any other failure ends the submitter. */
class Unreachable extends Error {}

/**
 * Brings every item of the backlog into a sequencer block exactly once.
 *
 * Items are signed under a nonce, and everything ever signed under a nonce is on disk before it is sent. At most one
 * transaction of a nonce can execute, so as long as nobody has spent it, sending anything under it again is safe; and
 * its items go under another nonce only when a committed block shows that something without them spent it.
 */
export class Submitter {
  readonly #config: SubmitterConfig;
  readonly #deps: SubmitterDeps;
  readonly #account: Account;
  readonly #alarm: Alarm;
  /** By nonce. */
  #inFlight: InFlight[] = [];
  #isConnected = false;
  /** As of the newest block that was asked about. */
  #accountNonce = 0;
  #lastBundleAt = Number.NEGATIVE_INFINITY;
  #lastBundleItems = 0;
  #lastSettledAt = Number.NEGATIVE_INFINITY;
  #isGathering = false;
  #failures = 0;
  readonly #included = { height: undefined as bigint | undefined, bundles: 0, items: 0, refused: 0 };

  constructor(config: SubmitterConfig, deps: SubmitterDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#account = new Account(deps.payer, deps.log, deps.clock);
    this.#alarm = new Alarm(deps.clock);
  }

  /** Takes up what an earlier run left under way. Before `run`. */
  async resume(bundles: readonly Bundle[]): Promise<void> {
    const { backlog, payer, journal, clock } = this.#deps;
    for (const bundle of bundles) {
      const each = resumed(bundle, clock.now(), { backlog, payer });
      if (each === undefined) {
        await journal.settle({ nonces: [bundle.nonce] });
        continue;
      }
      this.#inFlight.push(each);
      if (each.candidates.length > bundle.candidates.length) await journal.putBundle(each);
    }
  }

  /** Tells that more is waiting. */
  notify(): void {
    const isFull = this.#deps.backlog.waitingBytes >= this.#config.maxBytesPerBundle;
    if (!this.#isGathering || isFull) this.#alarm.ring();
  }

  get inFlight(): readonly InFlight[] {
    return this.#inFlight;
  }

  status(): SubmitterStatus {
    const [oldest] = this.#inFlight;
    const stuck = oldest !== undefined && this.#deps.clock.now() - oldest.since > STUCK_MS;
    return {
      trouble:
        this.#account.trouble ?? (stuck ? `the transaction with nonce ${oldest.nonce} is in no block yet` : undefined),
      balance: this.#account.balance,
      accountNonce: this.#isConnected ? this.#accountNonce : undefined,
      inFlight: this.#inFlight.length,
      lastIncludedHeight: this.#included.height,
      bundlesIncluded: this.#included.bundles,
      itemsSequenced: this.#included.items,
      itemsRefused: this.#included.refused,
    };
  }

  /** Runs until the signal aborts. @throws {WrongChain}, and whatever the journal throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    while (!signal.aborted) {
      try {
        await this.#step(signal);
        this.#failures = 0;
        this.#isGathering = this.#deps.backlog.isWaiting;
        await this.#alarm.wait(this.#pause(), signal);
      } catch (error) {
        if (isAbort(error, signal)) return;
        if (!(error instanceof Unreachable)) throw error;
        this.#failures += 1;
        // What was in a mempool may be gone with it.
        for (const bundle of this.#inFlight) if (bundle.state === 'sent') bundle.state = 'unsent';
        this.#account.unreachable(error.message);
        const pause = backoffMs(this.#failures, { initialMs: 50, maxMs: 2_000 }, random);
        await sleep(pause, signal, clock).catch(() => undefined);
      }
    }
  }

  /** One look at everything. */
  async #step(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    if (!this.#isConnected) await this.#connect(signal);
    if (this.#inFlight.length > 0 && clock.now() >= this.#lastSettledAt + SETTLE_EVERY_MS) await this.#settle(signal);
    await this.#offer(signal);
    while (await this.#sendNext(signal)) signal.throwIfAborted();
    if (this.#account.age >= FUNDS_EVERY_MS) await this.#lookAtFunds(signal);
  }

  /** How long nothing needs to be done, if nothing new comes. */
  #pause(): number {
    const waits = [FUNDS_EVERY_MS - this.#account.age];
    if (this.#inFlight.length > 0) waits.push(this.#lastSettledAt + SETTLE_EVERY_MS - this.#deps.clock.now());
    if (this.#freeNonce() !== undefined) waits.push(this.#untilNextBundle());
    return Math.max(1, Math.min(...waits));
  }

  async #ask<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await call;
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      throw new Unreachable(errorLine(cause), { cause });
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { sequencer, payer } = this.#deps;
    const chainId = await this.#ask(sequencer.chainId(signal), signal);
    if (chainId !== payer.chainId) {
      throw new WrongChain(
        `the sequencer runs chain ${chainId}, expected ${payer.chainId} (SVC_COMPOSER_SEQUENCER_CHAIN_ID)`,
      );
    }
    await this.#settle(signal);
    await this.#lookAtFunds(signal);
    this.#isConnected = true;
  }

  async #lookAtFunds(signal: AbortSignal): Promise<void> {
    const { sequencer, backlog } = this.#deps;
    const items = backlog.items(this.#inFlight[0]?.attached ?? []);
    const lengths = Array.from(items, ({ data }) => data.length);
    await this.#ask(this.#account.look(sequencer, lengths, signal), signal);
  }

  /** Asks who spent the nonces under way, and closes those that are decided. */
  async #settle(signal: AbortSignal): Promise<void> {
    const settled = await this.#ask(this.#deps.sequencer.settled(this.#inFlight, signal), signal);
    this.#lastSettledAt = this.#deps.clock.now();
    this.#accountNonce = Math.max(this.#accountNonce, settled.accountNonce);
    await this.#close(closings(this.#inFlight, settled.spenders));
  }

  async #close(decided: readonly Closing[]): Promise<void> {
    if (decided.length === 0) return;
    const { backlog, fates, journal, log } = this.#deps;
    const newFates: Fate[] = [];
    for (const { bundle, winner, included } of decided) {
      if (winner === undefined) {
        log.info({ nonce: bundle.nonce }, 'a nonce was used by somebody else with the same account');
        continue;
      }
      newFates.push(...fates.create({ kind: 'sequenced', ...winner }, backlog.items(included)));
      this.#included.height = winner.height;
      this.#included.bundles += 1;
      this.#included.items += countOf(included);
    }
    const closed = new Set(decided.map(({ bundle }) => bundle));
    this.#inFlight = this.#inFlight.filter((bundle) => !closed.has(bundle));
    const leftovers = backlog.finish(decided.flatMap(({ included }) => included));
    const nonces = decided.map(({ bundle }) => bundle.nonce);
    await journal.settle({ nonces, leftovers, fates: newFates, forgottenFates: fates.add(newFates) });
    // Not before it is on disk that they are free.
    backlog.giveBack(decided.flatMap(({ returned }) => returned));
  }

  /** Sends what is under way and not known to be in a mempool, in order of nonce, up to the first that is not taken. */
  async #offer(signal: AbortSignal): Promise<void> {
    for (const bundle of [...this.#inFlight]) {
      const age = this.#deps.clock.now() - bundle.lastTry;
      if (bundle.state === 'sent' && age < OFFER_AGAIN_MS) continue;
      if ((bundle.state === 'contested' || bundle.state === 'postponed') && age < RETRY_MS) return;
      if (!(await this.#broadcast(bundle, signal))) return;
    }
  }

  /** The nonce of the next transaction, if one may be made now. */
  #freeNonce(): number | undefined {
    const nonce = nextNonce(this.#accountNonce, this.#inFlight);
    const last = this.#inFlight.at(-1)?.nonce ?? -1;
    // What has a higher nonce waits for this one, so it has to be filled, with nothing if there is nothing.
    const isGap = nonce < last;
    if (!isGap && (!this.#deps.backlog.isWaiting || this.#inFlight.length >= this.#config.maxInFlight))
      return undefined;
    return this.#inFlight.every((bundle) => bundle.nonce > nonce || bundle.state === 'sent') ? nonce : undefined;
  }

  /** The first after a pause goes at once, more of them at the interval, which is longer under load; a full one at once. */
  #untilNextBundle(): number {
    const { clock, backlog } = this.#deps;
    if (backlog.waitingBytes >= this.#config.maxBytesPerBundle) return 0;
    const stretch = Math.min(LONGEST_INTERVAL, Math.max(1, this.#lastBundleItems / WORTH_A_BUNDLE));
    return Math.max(0, this.#lastBundleAt + this.#config.intervalMs * stretch - clock.now());
  }

  /** @returns whether another look is worth it at once. */
  async #sendNext(signal: AbortSignal): Promise<boolean> {
    const { backlog, clock, journal, payer } = this.#deps;
    const nonce = this.#freeNonce();
    if (nonce === undefined || this.#untilNextBundle() > 0) return false;
    const attached = nextBundle(backlog, payer, this.#config.maxBytesPerBundle);
    this.#lastBundleAt = clock.now();
    this.#lastBundleItems = countOf(attached);
    const bundle = signed({ nonce, attached, candidates: [], since: clock.now() }, attached, this.#deps);
    // From here on only this nonce may carry them, whatever happens to this process.
    this.#inFlight = [...this.#inFlight, bundle].sort((a, b) => a.nonce - b.nonce);
    await journal.putBundle(bundle);
    return this.#broadcast(bundle, signal);
  }

  /** @returns whether a mempool has it now. */
  async #broadcast(bundle: InFlight, signal: AbortSignal): Promise<boolean> {
    const { sequencer, clock } = this.#deps;
    const checked = await this.#ask(sequencer.broadcast(bundle.bytes, signal), signal);
    bundle.lastTry = clock.now();
    bundle.state = 'postponed';
    switch (verdictOf(checked.code)) {
      case 'taken':
        bundle.state = 'sent';
        return true;
      case 'contested':
        bundle.state = 'contested';
        this.#lastSettledAt = Number.NEGATIVE_INFINITY;
        return false;
      case 'later':
        return false;
      case 'wrong-chain':
        throw new WrongChain(`the sequencer refused our chain id: ${checked.log}`);
      case 'doubtful':
        bundle.doubts += 1;
        if (bundle.doubts >= PATIENCE) await this.#refused(bundle, checked, signal);
        return false;
      case 'refused':
        await this.#refused(bundle, checked, signal);
        return false;
    }
  }

  /** Finds out whether it is money that is missing; if not, some item is bad: it is looked for by halving. */
  async #refused(bundle: InFlight, { code, log: reason }: Checked, signal: AbortSignal): Promise<void> {
    const { backlog, fates, journal, log } = this.#deps;
    await this.#lookAtFunds(signal);
    if (this.#account.trouble !== undefined || bundle.attached.length === 0) return;
    const tried = bundle.candidates.at(-1)?.ranges ?? [];
    let next: readonly Range[] = firstHalf(tried);
    if (next.length === 0) {
      const bad = [...backlog.items(tried)];
      log.warn(
        { code, reason, bytes: bad[0]?.data.length, rollup: bad[0]?.rollup },
        'the sequencer refuses a submission',
      );
      const refused = fates.create({ kind: 'refused', reason: `code ${code}: ${reason}` }, bad);
      bundle.attached = without(bundle.attached, tried);
      next = bundle.attached;
      // With nothing left, its nonce is free: nothing that was signed under it was taken.
      if (next.length === 0) this.#inFlight = this.#inFlight.filter((each) => each !== bundle);
      this.#included.refused += bad.length;
      await journal.settle({
        nonces: next.length === 0 ? [bundle.nonce] : [],
        leftovers: backlog.finish(tried),
        fates: refused,
        forgottenFates: fates.add(refused),
      });
      if (next.length === 0) return;
    }
    const retried = signed(bundle, next, this.#deps);
    this.#inFlight = this.#inFlight.map((each) => (each === bundle ? retried : each));
    await journal.putBundle(retried);
  }
}
