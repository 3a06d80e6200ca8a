import { verdictOf } from '@switchyard/client';
import type { Clock, Logger } from '@switchyard/service';
import type { Account } from './account.ts';
import { AccountNonce } from './account-nonce.ts';
import type { Backlog } from './backlog.ts';
import { bundledSize, envelopeSize, nextBundle, type Payer } from './bundle.ts';
import { type InFlight, nextNonce, resumed, signed } from './in-flight.ts';
import type { Journal } from './journal.ts';
import type { Outcomes } from './outcomes.ts';
import { countOf, type Range, without } from './ranges.ts';
import type { Bundle } from './records.ts';
import type { Checked, Sequencer } from './sequencer.ts';
import type { SubmissionLog } from './submission-log.ts';

export interface SenderConfig {
  readonly maxBytesPerBundle: number;
  /** Least time between two bundles that are not full. */
  readonly intervalMs: number;
  /** Bundles that may be on their way at once. */
  readonly maxInFlight: number;
}

export interface SenderDeps {
  readonly sequencer: Sequencer;
  readonly journal: Journal;
  readonly backlog: Backlog;
  readonly outcomes: Outcomes;
  readonly recent?: SubmissionLog;
  readonly payer: Payer;
  readonly account: Account;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A transaction that is in no block after this time is offered again: a mempool may have lost it. */
const OFFER_AGAIN_MS = 3_000;
const RETRY_MS = 250;
/** A bundle costs about as much as this many items. If bundles carry more, they are made less often. */
const WORTH_A_BUNDLE = 32;
const LONGEST_INTERVAL = 10;
/**
 * A nonce so far ahead can only come from a wrong answer of the sequencer, or from blocks that it lost. No mempool keeps a
 * transaction until this many others of its account have been executed.
 */
const UNREACHABLE_AHEAD = 1_000;
/** How long a single item is tried again, though refused, when the reason may pass. */
const PATIENCE_MS = 30_000;

/** A sequencer of another chain: nothing that is signed for ours can ever be taken there. */
export class WrongChain extends Error {
  override readonly name = 'WrongChain';
}

/** Makes bundles, and keeps them in a sequencer's mempool until a block has settled them. */
export class Sender {
  readonly #config: SenderConfig;
  readonly #deps: SenderDeps;
  /** Bundles in flight, by nonce. */
  #inFlight: readonly InFlight[] = [];
  readonly #nonce: AccountNonce;
  #lastBundleAt = Number.NEGATIVE_INFINITY;
  #lastBundleItems = 0;
  #refused = 0;

  constructor(config: SenderConfig, deps: SenderDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#nonce = new AccountNonce(0, deps.clock);
  }

  get inFlight(): readonly InFlight[] {
    return this.#inFlight;
  }

  get accountNonce(): number {
    return this.#nonce.value;
  }

  /** The account's nonce has to be fetched again before anything can be signed. */
  get isNonceInDoubt(): boolean {
    return this.#nonce.isInDoubt;
  }

  /** Set while the sequencer does not have blocks any more that carried our transactions. */
  get lostBlocks(): AccountNonce['lost'] {
    return this.#nonce.lost;
  }

  /** Items that were refused for good. */
  get refused(): number {
    return this.#refused;
  }

  /** Takes up bundles that an earlier run left under way. Before `run`. */
  async resume(bundles: readonly Bundle[]): Promise<void> {
    const { backlog, payer, journal, clock } = this.#deps;
    for (const bundle of bundles) {
      const each = resumed(bundle, clock.now(), { backlog, payer });
      if (each === undefined) {
        await journal.settle({ nonces: [bundle.nonce] });
        continue;
      }
      this.#inFlight = [...this.#inFlight, each];
      if (each.candidates.length > bundle.candidates.length) await journal.putBundle(each);
    }
  }

  /** The sequencer reports this as the account's next nonce. */
  async report(accountNonce: number): Promise<void> {
    this.#nonce.report(accountNonce, (this.#inFlight.at(-1)?.nonce ?? -1) + 1);
    await this.#giveUpUnreachable();
  }

  /** Blocks have decided of these nonces with transactions of ours. */
  used(nonces: readonly number[]): void {
    for (const nonce of nonces) this.#nonce.used(nonce);
  }

  /** A bundle under a nonce far ahead waits for transactions that will never be sent: its items are released. */
  async #giveUpUnreachable(): Promise<void> {
    const { backlog, journal, log } = this.#deps;
    const far = this.#inFlight.filter(({ nonce }) => nonce > this.#nonce.value + UNREACHABLE_AHEAD);
    if (far.length === 0 || this.#nonce.isInDoubt) return;
    const nonces = far.map(({ nonce }) => nonce);
    log.warn(
      { nonces: nonces.length, from: nonces[0], accountNonce: this.#nonce.value },
      'released bundles with nonces far ahead of the account',
    );
    this.drop(new Set(far));
    await journal.settle({ nonces });
    backlog.giveBack(far.flatMap(({ attached }) => attached));
  }

  /** Lets go of bundles that are decided. */
  drop(bundles: ReadonlySet<InFlight>): void {
    this.#inFlight = this.#inFlight.filter((bundle) => !bundles.has(bundle));
  }

  /** Mempools may have been lost. */
  markUnconfirmed(): void {
    for (const bundle of this.#inFlight) if (bundle.state === 'sent') bundle.state = 'unsent';
  }

  /** Looks whether the account can pay for the oldest bundle. */
  async lookAtFunds(signal: AbortSignal): Promise<void> {
    const { sequencer, backlog, account } = this.#deps;
    const items = backlog.items(this.#inFlight[0]?.attached ?? []);
    await account.look(
      sequencer,
      Array.from(items, ({ data }) => data.length),
      signal,
    );
  }

  /** Milliseconds until a bundle can be made; undefined while none can. */
  get wait(): number | undefined {
    return this.#freeNonce() === undefined ? undefined : this.#untilNextBundle();
  }

  /** Whether the queue fills a bundle. */
  get isFull(): boolean {
    const { backlog, payer } = this.#deps;
    const size = backlog.waitingBytes + backlog.waitingCount * bundledSize(0, payer.feeAsset);
    return size + envelopeSize(payer.chainId) >= this.#config.maxBytesPerBundle;
  }

  /** Sends bundles under way that are not known to be in a mempool, in order of nonce, up to the first rejected one. */
  async offer(signal: AbortSignal): Promise<void> {
    for (const bundle of [...this.#inFlight]) {
      const age = this.#deps.clock.now() - bundle.lastTry;
      if (bundle.state === 'sent' && age < OFFER_AGAIN_MS) continue;
      if ((bundle.state === 'contested' || bundle.state === 'postponed') && age < RETRY_MS) return;
      if (!(await this.#broadcast(bundle, signal))) return;
    }
  }

  /** The nonce of the next transaction, if one may be made now. */
  #freeNonce(): number | undefined {
    if (this.#nonce.isInDoubt) return undefined;
    const nonce = nextNonce(this.#nonce.value, this.#inFlight);
    const last = this.#inFlight.at(-1)?.nonce ?? -1;
    // Bundles with a higher nonce wait for this one, so it has to be filled, with nothing if there is nothing.
    const isGap = nonce < last;
    if (!isGap && (!this.#deps.backlog.isWaiting || this.#inFlight.length >= this.#config.maxInFlight))
      return undefined;
    return this.#inFlight.every((bundle) => bundle.nonce > nonce || bundle.state === 'sent') ? nonce : undefined;
  }

  /** The first after a pause goes at once, more of them at the interval, which is longer under load; a full one at once. */
  #untilNextBundle(): number {
    const { clock } = this.#deps;
    if (this.isFull) return 0;
    const stretch = Math.min(LONGEST_INTERVAL, Math.max(1, this.#lastBundleItems / WORTH_A_BUNDLE));
    return Math.max(0, this.#lastBundleAt + this.#config.intervalMs * stretch - clock.now());
  }

  /** @returns whether another look is worth it at once. */
  async sendNext(signal: AbortSignal): Promise<boolean> {
    const { backlog, clock, journal, payer } = this.#deps;
    const nonce = this.#freeNonce();
    if (nonce === undefined || this.#untilNextBundle() > 0) return false;
    const attached = nextBundle(backlog, payer, this.#config.maxBytesPerBundle);
    this.#lastBundleAt = clock.now();
    this.#lastBundleItems = countOf(attached);
    this.#deps.recent?.bundled(attached);
    const bundle = signed({ nonce, attached, candidates: [], since: clock.now() }, attached, this.#deps);
    // From here on only this nonce may carry them, even if this process ends.
    this.#inFlight = [...this.#inFlight, bundle].sort((a, b) => a.nonce - b.nonce);
    await journal.putBundle(bundle);
    return this.#broadcast(bundle, signal);
  }

  /** @returns whether a mempool has it now. */
  async #broadcast(bundle: InFlight, signal: AbortSignal): Promise<boolean> {
    const { sequencer, clock, backlog } = this.#deps;
    const checked = await sequencer.broadcast(bundle.bytes, signal);
    bundle.lastTry = clock.now();
    bundle.state = 'postponed';
    switch (verdictOf(checked.code)) {
      case 'taken':
        bundle.state = 'sent';
        return true;
      case 'contested':
        bundle.state = 'contested';
        return false;
      case 'later':
        return false;
      case 'wrong-chain':
        throw new WrongChain(`the sequencer refused our chain id: ${checked.log}`);
      case 'unconfirmed':
        bundle.unconfirmedSince ??= clock.now();
        // Trying with half of them loses nothing; giving up the last one, or the last group, does.
        if (backlog.firstHalf(triedOf(bundle)).length > 0 || clock.now() - bundle.unconfirmedSince >= PATIENCE_MS) {
          await this.#refuse(bundle, checked, signal);
        }
        return false;
      case 'refused':
        await this.#refuse(bundle, checked, signal);
        return false;
    }
  }

  /** Finds out whether it is money that is missing; if not, some item is bad: it is looked for by halving. */
  async #refuse(bundle: InFlight, { code, log: reason }: Checked, signal: AbortSignal): Promise<void> {
    const { backlog, outcomes, journal, account, log } = this.#deps;
    await this.lookAtFunds(signal);
    if (account.trouble !== undefined || bundle.attached.length === 0) return;
    const tried = triedOf(bundle);
    let next: readonly Range[] = backlog.firstHalf(tried);
    if (next.length === 0) {
      const bad = [...backlog.items(tried)];
      const [{ data, rollup, group } = {}] = bad;
      if (group === undefined) log.warn({ code, reason, bytes: data?.length, rollup }, 'sequencer rejected submission');
      else log.warn({ code, reason, bundle: group.hash, entries: bad.length }, 'sequencer rejected atomic bundle');
      const refused = outcomes.create({ kind: 'refused', reason: `code ${code}: ${reason}` }, bad);
      this.#deps.recent?.refused(tried, reason);
      bundle.attached = without(bundle.attached, tried);
      next = bundle.attached;
      // With nothing left, its nonce is free: nothing that was signed under it was taken.
      if (next.length === 0) this.#inFlight = this.#inFlight.filter((each) => each !== bundle);
      this.#refused += bad.length;
      await journal.settle({
        nonces: next.length === 0 ? [bundle.nonce] : [],
        leftovers: backlog.finish(tried),
        outcomes: refused,
        forgottenOutcomes: outcomes.add(refused),
      });
      if (next.length === 0) return;
    }
    const retried = signed(bundle, next, this.#deps);
    this.#inFlight = this.#inFlight.map((each) => (each === bundle ? retried : each));
    await journal.putBundle(retried);
  }
}

/** Items in the transaction that is sent. */
const triedOf = ({ candidates }: InFlight): readonly Range[] => candidates.at(-1)?.ranges ?? [];
