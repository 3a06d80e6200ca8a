import type { Spender } from '@switchyard/client';
import type { TxHash } from '@switchyard/protocol';
import { Alarm, errorLine, isAbort, retry } from '@switchyard/service';
import { common, computeCount, type Range, without } from '../queue/ranges.ts';
import type { Bundle, OutcomeRecord } from '../queue/records.ts';
import { type FeeRate, Unreachable, waitedOut } from '../sequencer/sequencer.ts';
import { Account } from './account.ts';
import type { Payer } from './bundle.ts';
import type { InFlight } from './in-flight.ts';
import { Sender, type SenderConfig, type SenderDeps, WrongChain } from './sender.ts';

export interface SubmitterDeps extends Omit<SenderDeps, 'account'> {
  readonly payer: Payer & { readonly address: string };
  readonly random: () => number;
  /** Nothing was on disk, not even an outcome. */
  readonly isNewQueue?: boolean;
}

const WENT_BACK =
  'it was restored from an older backup, or belongs to another chain of the same name; restore its newest state, or, to continue from the older one, start with another SVC_COMPOSER_DB_FILEPATH';
const SETTLE_EVERY_MS = 100;
const IDLE_SETTLE_MS = 2_000;
const FUNDS_EVERY_MS = 2_000;
/** While nothing is under way and nothing is wrong. Whether the sequencer answers shows in the nonce, which is looked at more often. */
const IDLE_FUNDS_MS = 10_000;
const STUCK_MS = 30_000;
const BACKOFF = { initialMs: 50, maxMs: 2_000 };

/**
 * Brings every item of the backlog into a sequencer block exactly once.
 *
 * Items are signed under a nonce, and everything ever signed under a nonce is on disk before it is sent. At most one
 * transaction of a nonce can execute, so until it is spent, sending anything under it again is safe; and
 * its items go under another nonce only when a committed block shows that something without them spent it.
 */
export class Submitter {
  readonly #deps: SubmitterDeps;
  readonly #account: Account;
  readonly #sender: Sender;
  readonly #alarm: Alarm;
  #isConnected = false;
  /** Its nonce was believed once. Nothing is signed before. */
  #isAccountKnown = false;
  #isGathering = false;
  #lastSettledAt = Number.NEGATIVE_INFINITY;
  /** The height that outcomes of an earlier run speak of, as long as the sequencer is below it. */
  #recordedHeight = 0n;
  #height = 0n;
  #loggedLost = false;
  readonly #included = { height: undefined as bigint | undefined, bundles: 0, items: 0 };

  constructor(config: SenderConfig, deps: SubmitterDeps) {
    this.#deps = { ...deps, sequencer: waitedOut(deps.sequencer) };
    this.#account = new Account(deps.payer, deps.log, deps.clock);
    this.#sender = new Sender(config, { ...this.#deps, account: this.#account });
    this.#alarm = new Alarm(deps.clock);
    this.#recordedHeight = deps.outcomes.newestHeight;
  }

  /** Takes up bundles that an earlier run left under way. Before `run`. */
  resume(bundles: readonly Bundle[]): Promise<void> {
    return this.#sender.resume(bundles);
  }

  get inFlight(): readonly InFlight[] {
    return this.#sender.outbox.entries;
  }

  /** Undefined while it is not known. */
  get feeRate(): FeeRate {
    return this.#account.rate;
  }

  /** Tells that more is waiting. */
  notify(): void {
    // While a bundle is being gathered, only a full one is news.
    if (!this.#isGathering || this.#sender.isFull) this.#alarm.ring();
  }

  /** Set while the sequencer does not have blocks that carried our transactions: promises made now may not last. */
  get lostBlocks(): string | undefined {
    const { lost } = this.#sender.outbox;
    const what = WENT_BACK;
    if (lost !== undefined) {
      return `the sequencer reports nonce ${lost.reported} for ${this.#deps.payer.address}, and transactions up to nonce ${lost.reached} were in its blocks: ${what}`;
    }
    if (this.#height === 0n || this.#height >= this.#recordedHeight) return undefined;
    return `the sequencer is at height ${this.#height}, and height ${this.#recordedHeight} had submissions: ${what}`;
  }

  /** Facts about the submitter that a person should know. */
  status() {
    const { refused, outbox } = this.#sender;
    const { trouble, balance } = this.#account;
    const [oldest] = outbox.entries;
    const stuck = oldest !== undefined && this.#deps.clock.now() - oldest.since > STUCK_MS;
    return {
      /** Why nothing can be submitted now; undefined when it can. */
      trouble:
        trouble ??
        this.lostBlocks ??
        (stuck ? `the transaction with nonce ${oldest.nonce} is in no block yet` : undefined),
      balance,
      accountNonce: this.#isConnected ? outbox.accountNonce : undefined,
      inFlight: outbox.entries.length,
      lastIncludedHeight: this.#included.height,
      bundlesIncluded: this.#included.bundles,
      itemsSequenced: this.#included.items,
      itemsRefused: refused,
      /** Items that were accepted, and offered to no sequencer yet. */
      itemsUnsent: this.#deps.backlog.count - computeCount(outbox.offered.flatMap(({ attached }) => attached)),
    };
  }

  /** Runs until the signal aborts. @throws {WrongChain}, and errors of the journal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    const retryIf = (error: unknown) => error instanceof Unreachable;
    const onRetry = (error: unknown): void => {
      // Transactions in a mempool may be gone with it.
      this.#sender.outbox.forgetTaken();
      this.#account.unreachable(errorLine(error));
    };
    try {
      while (!signal.aborted) {
        await retry(() => this.#step(signal), { ...BACKOFF, signal, clock, random, retryIf, onRetry });
        this.#isGathering = this.#deps.backlog.isWaiting;
        await this.#alarm.wait(this.#pause(), signal);
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    }
  }

  /** One look at everything. */
  async #step(signal: AbortSignal): Promise<void> {
    if (!this.#isConnected) await this.#connect(signal);
    if (this.#untilSettling() <= 0) await this.#settle(signal);
    await this.#sender.send(signal);
    if (this.#untilFunds() <= 0) await this.#sender.lookAtFunds(signal);
  }

  /** How long nothing needs to be done, if nothing new comes. */
  #pause(): number {
    const bundle = this.#sender.wait ?? Number.POSITIVE_INFINITY;
    return Math.max(1, Math.min(this.#untilFunds(), this.#untilSettling(), bundle));
  }

  #untilFunds(): number {
    const isIdle = this.#account.trouble === undefined && this.inFlight.length === 0;
    return (isIdle ? IDLE_FUNDS_MS : FUNDS_EVERY_MS) - this.#account.age;
  }

  #untilSettling(): number {
    const { isNonceInDoubt, entries } = this.#sender.outbox;
    // Nothing is under way, and yet it matters whether the sequencer has kept its blocks.
    const isIdle = entries.length === 0 && !isNonceInDoubt;
    if (!isNonceInDoubt && this.#sender.outbox.isContestedSince(this.#lastSettledAt)) return 0;
    return this.#lastSettledAt + (isIdle ? IDLE_SETTLE_MS : SETTLE_EVERY_MS) - this.#deps.clock.now();
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
    await this.#sender.lookAtFunds(signal);
    this.#isConnected = true;
  }

  /** A lost queue looks like a first start. Only the account shows it, and that may have been used elsewhere. */
  #noteUsedAccount(): void {
    const { isNewQueue = false, log, payer } = this.#deps;
    const { accountNonce, isNonceInDoubt } = this.#sender.outbox;
    if (this.#isAccountKnown || isNonceInDoubt) return;
    this.#isAccountKnown = true;
    if (!isNewQueue || accountNonce === 0) return;
    log.warn(
      { account: payer.address, nonce: accountNonce },
      'the queue is new and the paying account was used before: if this composer had a queue, what it had acknowledged and not sent is lost unless that queue is restored',
    );
  }

  /** Asks who spent the nonces under way, and closes the decided ones. */
  async #settle(signal: AbortSignal): Promise<void> {
    const { sequencer, clock } = this.#deps;
    const settled = await sequencer.settled(this.inFlight, signal);
    this.#lastSettledAt = clock.now();
    this.#height = settled.height;
    this.#sender.outbox.report(settled.accountNonce);
    await this.#sender.giveUpUnreachable();
    this.#noteUsedAccount();
    this.#sayLost();
    await this.#close(closings(this.inFlight, settled.spenders));
  }

  #sayLost(): void {
    const { lostBlocks } = this;
    const { log } = this.#deps;
    if (lostBlocks !== undefined && !this.#loggedLost)
      log.error({ reason: lostBlocks }, 'sequencer lost blocks: submissions are refused');
    if (lostBlocks === undefined && this.#loggedLost)
      log.info('sequencer has its blocks again: submissions are accepted');
    this.#loggedLost = lostBlocks !== undefined;
  }

  async #close(decided: readonly Closing[]): Promise<void> {
    if (decided.length === 0) return;
    const { backlog, outcomes, journal, log } = this.#deps;
    const newOutcomes: OutcomeRecord[] = [];
    for (const { bundle, winner, included } of decided) {
      if (winner === undefined) {
        log.info({ nonce: bundle.nonce }, 'nonce spent by another user of the same account');
        continue;
      }
      newOutcomes.push(...outcomes.create({ kind: 'sequenced', ...winner }, backlog.items(included)));
      this.#deps.recent?.sequenced(included, winner);
      this.#sender.outbox.used(bundle.nonce);
      this.#included.height = winner.height;
      this.#included.bundles += 1;
      this.#included.items += computeCount(included);
    }
    this.#sender.outbox.remove(decided.map(({ bundle }) => bundle));
    const leftovers = backlog.finish(decided.flatMap(({ included }) => included));
    const nonces = decided.map(({ bundle }) => bundle.nonce);
    await journal.settle({ nonces, leftovers, outcomes: newOutcomes, forgottenOutcomes: outcomes.add(newOutcomes) });
    // Not before it is on disk that they are free.
    backlog.giveBack(decided.flatMap(({ returned }) => returned));
  }
}

/** A nonce of which a block has decided. */
interface Closing {
  readonly bundle: InFlight;
  /** Set if it was one of ours that executed. */
  readonly winner: { readonly transaction: TxHash; readonly height: bigint } | undefined;
  readonly included: readonly Range[];
  /** Free to go under another nonce. */
  readonly returned: readonly Range[];
}

/** The outcomes in the blocks of the bundles under way; none for open ones. */
function closings(inFlight: readonly InFlight[], spenders: ReadonlyMap<number, Spender>): Closing[] {
  return inFlight.flatMap((bundle): Closing[] => {
    const spender = spenders.get(bundle.nonce);
    if (spender === undefined) return [];
    const winner =
      spender === 'foreign' ? undefined : bundle.candidates.find(({ hash }) => hash === spender.transaction);
    if (spender === 'foreign' || winner === undefined) {
      return [{ bundle, winner: undefined, included: [], returned: bundle.attached }];
    }
    // A bad item may have been taken out since this was signed.
    const included = common(winner.ranges, bundle.attached);
    return [{ bundle, winner: spender, included, returned: without(bundle.attached, included) }];
  });
}
