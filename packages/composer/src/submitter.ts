import { type TxHash, txHashOf } from '@switchyard/protocol';
import { backoffMs, type Clock, errorLine, isAbort, type Logger, Notifier, sleep } from '@switchyard/service';
import { type Backlog, joined, type Range, without } from './backlog.ts';
import { bundledSize, firstHalf, nextBundle, type Payer, signBundle } from './bundle.ts';
import { verdictOf } from './codes.ts';
import type { Fates } from './fates.ts';
import type { Bundle, Candidate, Fate, Journal } from './journal.ts';
import type { Checked, FeeRate, Sequencer, Settled } from './sequencer.ts';

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
  readonly payer: Payer;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** A nonce that is ours to fill, and the items that its transaction carries. */
interface InFlight {
  readonly nonce: number;
  /** Items that nobody else may send as long as it is not known who spends the nonce. */
  attached: Range[];
  candidates: readonly Candidate[];
  bytes: Uint8Array;
  /** `sent`: a sequencer has it in its mempool, as far as we know. */
  state: 'unsent' | 'sent' | 'contested' | 'postponed';
  since: number;
  lastTry: number;
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

const NOTHING = { bundles: [], leftovers: [], fates: [], forgottenFates: [] };
const SETTLE_EVERY_MS = 50;
/** A transaction that is in no block after this time is offered again: a mempool may have lost it. */
const OFFER_AGAIN_MS = 3_000;
const RETRY_MS = 250;
const FUNDS_EVERY_MS = 2_000;
const STUCK_MS = 30_000;

/** A sequencer of another chain: nothing that is signed for ours can ever be taken there. */
export class WrongChain extends Error {
  override readonly name = 'WrongChain';
}

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
  readonly #wake = new Notifier();
  #inFlight: InFlight[] = [];
  #nextNonce: number | undefined;
  #lastBundleAt = Number.NEGATIVE_INFINITY;
  #lastSettledAt = Number.NEGATIVE_INFINITY;
  #lastFundsAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #trouble: string | undefined = 'not connected to the sequencer yet';
  #said: string | undefined;
  #balance: bigint | undefined;
  #rate: FeeRate;
  #included = { height: undefined as bigint | undefined, bundles: 0, items: 0, refused: 0 };

  constructor(config: SubmitterConfig, deps: SubmitterDeps) {
    this.#config = config;
    this.#deps = deps;
  }

  /** Takes up what an earlier run left under way. Before `run`, and before anything is accepted. */
  async resume(bundles: readonly Bundle[], doneOf: (chunk: number) => readonly Range[]): Promise<void> {
    const { backlog, payer, journal, clock } = this.#deps;
    for (const { nonce, candidates } of bundles) {
      const ranges = joined(candidates.flatMap((candidate) => candidate.ranges));
      const attached = ranges.flatMap((range) => without([range], doneOf(range.chunk)));
      const last = candidates.at(-1);
      if (last === undefined || attached.length === 0) {
        await journal.settle({ ...NOTHING, bundles: [{ nonce, bundle: undefined }] });
        continue;
      }
      backlog.claim(attached);
      const bundle = { nonce, attached, state: 'unsent', since: clock.now(), lastTry: 0 } as const;
      if (without(last.ranges, attached).length > 0) {
        // The run before ended between the refusal of a bad item and the next try with the others.
        const bytes = signBundle(backlog.items(attached), nonce, payer);
        const retried = [...candidates, { hash: txHashOf(bytes), ranges: attached }];
        await journal.putBundle({ nonce, candidates: retried });
        this.#inFlight.push({ ...bundle, candidates: retried, bytes });
        continue;
      }
      // Signing is deterministic, so these are the bytes that were sent.
      const bytes = signBundle(backlog.items(last.ranges), nonce, payer);
      if (txHashOf(bytes) !== last.hash) {
        throw new Error(`the journal's bundle of nonce ${nonce} was signed with another key, chain id or fee asset`);
      }
      this.#inFlight.push({ ...bundle, candidates, bytes });
    }
  }

  /** Tells that there is something to send. */
  notify(): void {
    this.#wake.notify();
  }

  /** The transaction that an item is in now, if it is in one. */
  bundleOf(chunk: number, index: number): { readonly nonce: number; readonly transaction: TxHash } | undefined {
    for (const { nonce, attached, candidates } of this.#inFlight) {
      const inside = attached.some((range) => range.chunk === chunk && range.from <= index && index < range.to);
      const last = candidates.at(-1);
      if (inside && last !== undefined) return { nonce, transaction: last.hash };
    }
    return undefined;
  }

  status(): SubmitterStatus {
    const [oldest] = this.#inFlight;
    const stuck = oldest !== undefined && this.#deps.clock.now() - oldest.since > STUCK_MS;
    return {
      trouble: this.#trouble ?? (stuck ? `the transaction with nonce ${oldest.nonce} is in no block yet` : undefined),
      balance: this.#balance,
      accountNonce: this.#nextNonce,
      inFlight: this.#inFlight.length,
      lastIncludedHeight: this.#included.height,
      bundlesIncluded: this.#included.bundles,
      itemsSequenced: this.#included.items,
      itemsRefused: this.#included.refused,
    };
  }

  /** Runs until the signal aborts. @throws {WrongChain} */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    while (!signal.aborted) {
      let pause: number;
      try {
        pause = await this.#step(signal);
        this.#failures = 0;
      } catch (error) {
        if (error instanceof WrongChain) throw error;
        if (isAbort(error, signal)) return;
        this.#failures += 1;
        // What was in a mempool may be gone with it.
        for (const bundle of this.#inFlight) if (bundle.state === 'sent') bundle.state = 'unsent';
        this.#setTrouble(`the sequencer cannot be reached: ${errorLine(error)}`);
        pause = backoffMs(this.#failures, { initialMs: 50, maxMs: 2_000 }, random);
        await sleep(pause, signal, clock).catch(() => undefined);
        continue;
      }
      await this.#pause(pause, signal);
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0) return;
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    await Promise.race([sleep(ms, either, this.#deps.clock), this.#wake.wait(either)]).catch(() => undefined);
    over.abort();
  }

  /** One look at everything. @returns how long nothing needs to be done, if nothing new comes. */
  async #step(signal: AbortSignal): Promise<number> {
    const { clock, backlog } = this.#deps;
    if (this.#nextNonce === undefined) await this.#connect(signal);
    if (this.#inFlight.length > 0 && clock.now() - this.#lastSettledAt >= SETTLE_EVERY_MS) await this.#settle(signal);
    if (clock.now() - this.#lastFundsAt >= FUNDS_EVERY_MS) await this.#lookAtFunds(signal);
    await this.#offer(signal);
    while (await this.#sendNext(signal)) signal.throwIfAborted();
    if (backlog.isWaiting && this.#canSend()) return Math.max(1, this.#untilNextBundle());
    return this.#inFlight.length > 0 ? SETTLE_EVERY_MS : 1_000;
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { sequencer, payer } = this.#deps;
    const chainId = await sequencer.chainId(signal);
    if (chainId !== payer.chainId) {
      throw new WrongChain(
        `the sequencer runs chain ${chainId}, expected ${payer.chainId} (SVC_COMPOSER_SEQUENCER_CHAIN_ID)`,
      );
    }
    await this.#settle(signal);
    await this.#lookAtFunds(signal);
  }

  async #lookAtFunds(signal: AbortSignal): Promise<void> {
    const { sequencer, payer, clock } = this.#deps;
    this.#balance = await sequencer.balance(signal);
    this.#rate = await sequencer.feeRate(signal);
    this.#lastFundsAt = clock.now();
    const needed = this.#nextFee();
    if (this.#rate === undefined) {
      this.#setTrouble(`the sequencer does not take ${payer.feeAsset.text} for fees (SVC_COMPOSER_FEE_ASSET)`);
    } else if (this.#balance < needed) {
      this.#setTrouble(
        `account ${payer.address} has ${this.#balance} ${payer.feeAsset.text} and the next bundle costs ${needed}: send it more`,
      );
    } else this.#setTrouble(undefined);
  }

  /** Cost of the oldest bundle under way, else of one with a single byte. */
  #nextFee(): bigint {
    if (this.#rate === undefined) return 0n;
    const { base, perByte } = this.#rate;
    const [oldest] = this.#inFlight;
    if (oldest === undefined) return base + perByte;
    let fee = 0n;
    for (const { data } of this.#deps.backlog.items(oldest.attached)) fee += base + perByte * BigInt(data.length);
    return fee;
  }

  /** Asks who spent the nonces under way, and closes those that are decided. */
  async #settle(signal: AbortSignal): Promise<void> {
    const { sequencer, clock } = this.#deps;
    const settled = await sequencer.settled(this.#inFlight, signal);
    this.#lastSettledAt = clock.now();
    await this.#close(settled);
    const highest = this.#inFlight.at(-1)?.nonce;
    this.#nextNonce = Math.max(settled.accountNonce, highest === undefined ? 0 : highest + 1);
  }

  async #close({ spenders }: Settled): Promise<void> {
    const { backlog, fates, journal, log } = this.#deps;
    const decided = this.#inFlight.filter(({ nonce }) => spenders.has(nonce));
    if (decided.length === 0) return;
    const newFates: Fate[] = [];
    const finished: Range[] = [];
    const returned: Range[] = [];
    for (const { nonce, attached, candidates } of decided) {
      const spender = spenders.get(nonce);
      const winner =
        spender === undefined || spender === 'somebody else'
          ? undefined
          : candidates.find(({ hash }) => hash === spender.transaction);
      if (spender === undefined || spender === 'somebody else' || winner === undefined) {
        log.info({ nonce }, 'a nonce was used by somebody else with the same account');
        returned.push(...attached);
        continue;
      }
      // A bad item may have been taken out since this was signed.
      const included = without(winner.ranges, without(winner.ranges, attached));
      const hashes = Array.from(backlog.items(included), ({ hash }) => hash);
      newFates.push(
        fates.create({ kind: 'sequenced', height: spender.height, transaction: spender.transaction }, hashes),
      );
      finished.push(...included);
      returned.push(...without(attached, included));
      this.#included = {
        ...this.#included,
        height: spender.height,
        bundles: this.#included.bundles + 1,
        items: this.#included.items + hashes.length,
      };
    }
    const leftovers = backlog.finish(finished);
    const bundles = decided.map(({ nonce }) => ({ nonce, bundle: undefined }));
    await journal.settle({ bundles, leftovers, fates: newFates, forgottenFates: fates.add(newFates) });
    this.#inFlight = this.#inFlight.filter((bundle) => !decided.includes(bundle));
    backlog.giveBack(returned);
  }

  /** Sends what is under way and not known to be in a mempool, in order of nonce, up to the first that is not taken. */
  async #offer(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (const bundle of [...this.#inFlight]) {
      const age = clock.now() - bundle.lastTry;
      if (bundle.state === 'sent' && age < OFFER_AGAIN_MS) continue;
      if ((bundle.state === 'contested' || bundle.state === 'postponed') && age < RETRY_MS) return;
      if (!(await this.#broadcast(bundle, signal))) return;
    }
  }

  #canSend(): boolean {
    return this.#inFlight.length < this.#config.maxInFlight && this.#inFlight.every(({ state }) => state === 'sent');
  }

  /** Bundles follow one another at once while items enough for a whole one wait, else at the interval. */
  #untilNextBundle(): number {
    const { clock, backlog, payer } = this.#deps;
    const wait = this.#lastBundleAt + this.#config.intervalMs - clock.now();
    if (wait <= 0) return 0;
    let size = 0;
    for (const { data } of backlog.items(backlog.waiting)) {
      size += bundledSize(data.length, payer.feeAsset);
      if (size >= this.#config.maxBytesPerBundle) return 0;
    }
    return wait;
  }

  /** @returns whether another look is worth it at once. */
  async #sendNext(signal: AbortSignal): Promise<boolean> {
    const { backlog, clock, journal, payer } = this.#deps;
    const nonce = this.#nextNonce;
    if (nonce === undefined || !backlog.isWaiting || !this.#canSend() || this.#untilNextBundle() > 0) return false;
    this.#lastBundleAt = clock.now();
    const ranges = nextBundle(backlog, payer.feeAsset, this.#config.maxBytesPerBundle);
    const bytes = signBundle(backlog.items(ranges), nonce, payer);
    const candidates = [{ hash: txHashOf(bytes), ranges }];
    const now = clock.now();
    const bundle: InFlight = { nonce, attached: ranges, candidates, bytes, state: 'unsent', since: now, lastTry: 0 };
    // From here on only this nonce may carry them, whatever happens to this process.
    this.#inFlight.push(bundle);
    this.#nextNonce = nonce + 1;
    await journal.putBundle({ nonce, candidates });
    return this.#broadcast(bundle, signal);
  }

  /** @returns whether a mempool has it now. */
  async #broadcast(bundle: InFlight, signal: AbortSignal): Promise<boolean> {
    const { sequencer, clock } = this.#deps;
    bundle.lastTry = clock.now();
    const checked = await sequencer.broadcast(bundle.bytes, signal);
    bundle.lastTry = clock.now();
    switch (verdictOf(checked.code)) {
      case 'taken':
        bundle.state = 'sent';
        return true;
      case 'contested':
        bundle.state = 'contested';
        this.#lastSettledAt = Number.NEGATIVE_INFINITY;
        return false;
      case 'later':
        bundle.state = 'postponed';
        return false;
      case 'wrong-chain':
        throw new WrongChain(`the sequencer refused our chain id: ${checked.log}`);
      case 'refused':
        bundle.state = 'postponed';
        await this.#refused(bundle, checked, signal);
        return false;
    }
  }

  /** Finds out whether it is money that is missing; if not, some item is bad: it is looked for by halving. */
  async #refused(bundle: InFlight, { code, log: reason }: Checked, signal: AbortSignal): Promise<void> {
    const { backlog, fates, journal, log, payer } = this.#deps;
    await this.#lookAtFunds(signal);
    if (this.#trouble !== undefined) return;
    const tried = bundle.candidates.at(-1)?.ranges ?? [];
    let next = firstHalf(tried);
    if (next === undefined) {
      const [bad] = backlog.items(tried);
      log.warn({ code, reason, bytes: bad?.data.length, rollup: bad?.rollup }, 'the sequencer refuses a submission');
      const fate = fates.create(
        { kind: 'refused', reason: `code ${code}: ${reason}` },
        bad === undefined ? [] : [bad.hash],
      );
      const leftovers = backlog.finish(tried);
      bundle.attached = without(bundle.attached, tried);
      this.#included = { ...this.#included, refused: this.#included.refused + 1 };
      await journal.settle({ ...NOTHING, leftovers, fates: [fate], forgottenFates: fates.add([fate]) });
      next = bundle.attached;
    }
    if (next.length === 0) {
      // Nothing is left for this nonce, and nothing signed under it was taken: it is free for the next bundle.
      await journal.settle({ ...NOTHING, bundles: [{ nonce: bundle.nonce, bundle: undefined }] });
      this.#inFlight = this.#inFlight.filter((each) => each !== bundle);
      if (this.#inFlight.every(({ nonce }) => nonce < bundle.nonce)) this.#nextNonce = bundle.nonce;
      return;
    }
    bundle.bytes = signBundle(backlog.items(next), bundle.nonce, payer);
    bundle.candidates = [...bundle.candidates, { hash: txHashOf(bundle.bytes), ranges: next }];
    bundle.state = 'unsent';
    await journal.putBundle({ nonce: bundle.nonce, candidates: bundle.candidates });
  }

  /** Says a trouble once, and its end. */
  #setTrouble(trouble: string | undefined): void {
    this.#trouble = trouble;
    if (trouble === this.#said) return;
    const { log } = this.#deps;
    if (trouble === undefined) log.info('the sequencer takes our transactions');
    else if (this.#said === undefined || this.#failures <= 1) log.warn({ reason: trouble }, 'cannot submit, waiting');
    this.#said = trouble;
  }
}
