import { Outbox, verdictOf } from '@switchyard/client';
import type { Clock, Logger } from '@switchyard/service';
import type { Backlog } from '../queue/backlog.ts';
import type { Journal } from '../queue/journal.ts';
import type { Outcomes } from '../queue/outcomes.ts';
import { computeCount, type Range, without } from '../queue/ranges.ts';
import type { Bundle } from '../queue/records.ts';
import type { SubmissionLog } from '../queue/submission-log.ts';
import type { Checked, Sequencer } from '../sequencer/sequencer.ts';
import type { Account } from './account.ts';
import { bundledSize, envelopeSize, nextBundle, type Payer } from './bundle.ts';
import { type InFlight, resumed, signed } from './in-flight.ts';

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

const OFFER_AGAIN = { takenMs: 3_000, notTakenMs: 250 };
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
  /** Bundles in flight, by nonce. */
  readonly outbox: Outbox<InFlight>;
  readonly #config: SenderConfig;
  readonly #deps: SenderDeps;
  #lastBundleAt = Number.NEGATIVE_INFINITY;
  #lastBundleItems = 0;
  #refused = 0;

  constructor(config: SenderConfig, deps: SenderDeps) {
    this.#config = config;
    this.#deps = deps;
    this.outbox = new Outbox({ ...OFFER_AGAIN, clock: deps.clock });
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
      this.outbox.put(each);
      if (each.candidates.length > bundle.candidates.length) await journal.putBundle(each);
    }
  }

  /** A bundle under a nonce far ahead waits for transactions that will never be sent: its items are released. */
  async giveUpUnreachable(): Promise<void> {
    const { backlog, journal, log } = this.#deps;
    const { entries, accountNonce, isNonceInDoubt } = this.outbox;
    const far = entries.filter(({ nonce }) => nonce > accountNonce + UNREACHABLE_AHEAD);
    if (far.length === 0 || isNonceInDoubt) return;
    const nonces = far.map(({ nonce }) => nonce);
    log.warn(
      { nonces: nonces.length, from: nonces[0], accountNonce },
      'released bundles with nonces far ahead of the account',
    );
    this.outbox.remove(far);
    await journal.settle({ nonces });
    backlog.giveBack(far.flatMap(({ attached }) => attached));
  }

  /** Looks whether the account can pay for the oldest bundle. */
  async lookAtFunds(signal: AbortSignal): Promise<void> {
    const { sequencer, backlog, account } = this.#deps;
    const items = backlog.items(this.outbox.entries[0]?.attached ?? []);
    const lengths = Array.from(items, ({ data }) => data.length);
    await account.look(sequencer, lengths, signal);
  }

  /** Milliseconds until a bundle can be made; undefined while none can. */
  get wait(): number | undefined {
    const { isNonceInDoubt, hasGap, isClear, entries } = this.outbox;
    if (isNonceInDoubt || !isClear) return undefined;
    // A gap has to be filled, with nothing if there is nothing.
    const isWanted = hasGap || (this.#deps.backlog.isWaiting && entries.length < this.#config.maxInFlight);
    return isWanted ? this.#untilNextBundle() : undefined;
  }

  /** Whether the queue fills a bundle. */
  get isFull(): boolean {
    const { backlog, payer } = this.#deps;
    const size = backlog.waitingBytes + backlog.waitingCount * bundledSize(0, payer.feeAsset);
    return size + envelopeSize(payer.chainId) >= this.#config.maxBytesPerBundle;
  }

  /** The first after a pause goes at once, more of them at the interval, which is longer under load; a full one at once. */
  #untilNextBundle(): number {
    const { clock } = this.#deps;
    if (this.isFull) return 0;
    const stretch = Math.min(LONGEST_INTERVAL, Math.max(1, this.#lastBundleItems / WORTH_A_BUNDLE));
    return Math.max(0, this.#lastBundleAt + this.#config.intervalMs * stretch - clock.now());
  }

  /** Offers the bundles under way, and then new ones. */
  async send(signal: AbortSignal): Promise<void> {
    do {
      for (let next = this.outbox.nextOffer(); next !== undefined; next = this.outbox.nextOffer()) {
        await this.#broadcast(next, signal);
      }
      signal.throwIfAborted();
    } while (await this.#makeBundle());
  }

  /** @returns whether there was one to make. */
  async #makeBundle(): Promise<boolean> {
    const { backlog, clock, journal, payer, recent } = this.#deps;
    if (this.wait !== 0) return false;
    const attached = nextBundle(backlog, payer, this.#config.maxBytesPerBundle);
    this.#lastBundleAt = clock.now();
    this.#lastBundleItems = computeCount(attached);
    recent?.bundled(attached);
    const { freeNonce: nonce } = this.outbox;
    const bundle = signed({ nonce, attached, candidates: [], since: clock.now() }, attached, this.#deps);
    // From here on only this nonce may carry them, even if this process ends.
    this.outbox.put(bundle);
    await journal.putBundle(bundle);
    return true;
  }

  async #broadcast(bundle: InFlight, signal: AbortSignal): Promise<void> {
    const { sequencer, clock, backlog } = this.#deps;
    const checked = await sequencer.broadcast(bundle.bytes, signal);
    const verdict = verdictOf(checked.code);
    this.outbox.answered(bundle, verdict);
    if (verdict === 'wrong-chain') throw new WrongChain(`the sequencer refused our chain id: ${checked.log}`);
    if (verdict === 'refused') return this.#refuse(bundle, checked, signal);
    if (verdict !== 'unconfirmed') return;
    bundle.unconfirmedSince ??= clock.now();
    // Trying with half of them loses nothing; giving up the last one, or the last group, does.
    const isDivisible = backlog.firstHalf(getTried(bundle)).length > 0;
    if (isDivisible || clock.now() - bundle.unconfirmedSince >= PATIENCE_MS) {
      await this.#refuse(bundle, checked, signal);
    }
  }

  /** Finds out whether it is money that is missing; if not, some item is bad: it is looked for by halving. */
  async #refuse(bundle: InFlight, checked: Checked, signal: AbortSignal): Promise<void> {
    const { backlog, account, journal } = this.#deps;
    await this.lookAtFunds(signal);
    if (account.trouble !== undefined || bundle.attached.length === 0) return;
    const tried = getTried(bundle);
    let next: readonly Range[] = backlog.firstHalf(tried);
    if (next.length === 0) {
      await this.#refuseItems(bundle, tried, checked);
      next = bundle.attached;
    }
    if (next.length === 0) return;
    const retried = signed(bundle, next, this.#deps);
    this.outbox.put(retried);
    await journal.putBundle(retried);
  }

  /** Gives up one item, or one group, for good. */
  async #refuseItems(bundle: InFlight, tried: readonly Range[], { code, log: reason }: Checked): Promise<void> {
    const { backlog, outcomes, journal, log, recent } = this.#deps;
    const bad = [...backlog.items(tried)];
    const [{ data, rollup, group } = {}] = bad;
    if (group === undefined) log.warn({ code, reason, bytes: data?.length, rollup }, 'sequencer rejected submission');
    else log.warn({ code, reason, bundle: group.hash, entries: bad.length }, 'sequencer rejected atomic bundle');
    const refused = outcomes.create({ kind: 'refused', reason: `code ${code}: ${reason}` }, bad);
    recent?.refused(tried, reason);
    bundle.attached = without(bundle.attached, tried);
    // With nothing left, its nonce is free: nothing that was signed under it was taken.
    const isOver = bundle.attached.length === 0;
    if (isOver) this.outbox.remove([bundle]);
    this.#refused += bad.length;
    await journal.settle({
      nonces: isOver ? [bundle.nonce] : [],
      leftovers: backlog.finish(tried),
      outcomes: refused,
      forgottenOutcomes: outcomes.add(refused),
    });
  }
}

/** Items in the transaction that is sent. */
const getTried = ({ candidates }: InFlight): readonly Range[] => candidates.at(-1)?.ranges ?? [];
