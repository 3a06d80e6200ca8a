import type { TransactionOutcome } from '@switchyard/client/rollup';
import type { AccountId, Rejected, TxHash } from '@switchyard/protocol';
import type { Input } from '@switchyard/service/input';
import type { RollupAction } from '../app/definition.ts';
import { OwnRefusal } from '../app/own-refusal.ts';
import { factsOf } from '../define/client.ts';
import type { AnyRollup } from '../define/definition.ts';
import { refusalJson } from '../define/refusals.ts';
import { TransactionRefused } from '../define/submission.ts';
import type { StoredAction } from './outbox.ts';
import type { Pending } from './pending.ts';
import { type Live, Value } from './store.ts';

const STEPS = ['waiting', 'shown', 'accepted', 'executed', 'proven', 'firm'] as const;
type Step = (typeof STEPS)[number];

/** How far a transaction is. */
export interface SentState {
  /**
   * `waiting` is not sent yet, for a reason, and `held` for a refusal that it waits for; `shown` has its effect in live values. Of an `unknown` one the node does not keep the outcome.
   */
  readonly state: Step | 'held' | 'refused' | 'expired' | 'unknown';
  /** Hash of its signed bytes, which may change as long as no block has them. */
  readonly hash?: string | undefined;
  /** Number of the block that has it. */
  readonly block?: bigint | undefined;
  readonly reason?: string | undefined;
  /** The refusal, if it is one of the rollup's own, and its facts by their types. */
  readonly kind?: string | undefined;
  readonly facts?: object | undefined;
}

/** One transaction of a live client. */
export interface Sent<T = RollupAction> extends Live<SentState> {
  readonly key: string;
  /** Signs it. */
  readonly account: AccountId;
  readonly actions: readonly T[];
  /** Resolves when it has got so far. @throws {TransactionRefused} if it is refused, has expired, or has no known outcome. */
  until(step: Step): Promise<SentState>;
  /** Takes it off the list if it is settled, or has never been signed: then it is not sent. */
  forget(): void;
}

/** The signer of an action has not signed it: its owner did not agree, or the key is lost. */
export class NotSigned extends Error {}

/** Bytes of a transaction around its body: an estimate, before it is signed. */
const AROUND_BODY = 160;

/** A transaction and its way to a block. */
export class Entry extends Value<SentState> implements Sent, Pending {
  /** Whether it is in the outbox. */
  isStored = false;
  /** Whether a node has its bytes, or may have. */
  isOut = false;
  /** Whether it was out, and the node no longer lists what became of it. */
  isForgotten = false;
  /** Whether it was executed on rows of this client, or is known to fail. */
  isChecked = false;

  constructor(
    public stored: StoredAction,
    readonly actions: readonly RollupAction[],
    readonly onForget: (entry: Entry) => void,
  ) {
    super({ state: 'waiting', reason: 'its rows are on their way' });
  }

  get key(): string {
    return this.stored.key;
  }

  get account(): AccountId {
    return this.stored.account as AccountId;
  }

  /** Hash of its bytes, or its key before these are signed: both are 32 bytes as hex. */
  get hash(): TxHash {
    return (this.stored.signed?.hash ?? this.key) as TxHash;
  }

  get nonce(): number | undefined {
    return this.stored.signed?.nonce;
  }

  get size(): number {
    return this.stored.signed?.bytes.length ?? this.stored.actions.length + AROUND_BODY;
  }

  get isDone(): boolean {
    return !['waiting', 'held', 'shown', 'accepted'].includes(this.get().state);
  }

  /** Whether it is to be sent now. */
  get isReady(): boolean {
    return this.isStored && !this.isOut && this.isChecked && this.get().state !== 'held';
  }

  change(state: SentState): void {
    const { hash } = this.stored.signed ?? {};
    this.set({ ...(hash !== undefined && { hash }), ...state });
  }

  /** Whether it waits when it is refused for this reason. */
  isHeldBy(reason: string): boolean {
    return this.stored.waitFor?.includes(reason) ?? false;
  }

  forget(): void {
    if (this.isDone || this.stored.signed === undefined) this.onForget(this);
  }

  until(step: Step): Promise<SentState> {
    return new Promise((resolve, reject) => {
      const stop = this.subscribe((now) => {
        const at = STEPS.indexOf(now.state as Step);
        const isOpen = at >= 0 || now.state === 'held';
        if (isOpen && at < STEPS.indexOf(step)) return;
        // The first call comes before there is a subscription to end.
        queueMicrotask(() => stop());
        if (at >= 0) resolve(now);
        else reject(new TransactionRefused(toOutcome(this.hash, now), now.facts));
      });
    });
  }
}

function toOutcome(hash: string, { state, reason, kind }: SentState): TransactionOutcome {
  const refusal = kind === undefined ? undefined : { kind, facts: undefined };
  return { hash, state: state === 'expired' ? 'expired' : 'refused', reason, refusal } as TransactionOutcome;
}

/** The state of an action that this client refuses, as a node would. */
export function refusedHere(defined: AnyRollup, error: Rejected): SentState {
  const own = error instanceof OwnRefusal ? refusalJson(defined.refusalUnion, error.code, error.encoded) : undefined;
  return refusedState(defined, { hash: '', state: 'refused', reason: error.message, refusal: own });
}

/** Refusals after which no block can have the same bytes with an effect, so that others may be sent. */
const OUTRUN = /^(nonce too low|expired)/;

/** The state of a transaction by its receipt; `outrun` if its bytes had no effect and others may have it. */
export function stateOfReceipt(defined: AnyRollup, receipt: Input): SentState | 'outrun' {
  const [hash, block] = [receipt.at('hash').text(), receipt.at('block').big()];
  if (receipt.at('code').integer() === 0) return { state: 'executed', hash, block };
  const reason = receipt.at('reason').text();
  const refusal = receipt
    .at('refusal')
    .optional((each) => ({ kind: each.at('kind').text(), facts: each.at('facts').value }));
  return OUTRUN.test(reason) ? 'outrun' : refusedState(defined, { hash, state: 'refused', block, reason, refusal });
}

function refusedState(defined: AnyRollup, outcome: TransactionOutcome): SentState {
  const { block, reason, refusal } = outcome;
  return { state: 'refused', block, reason, kind: refusal?.kind, facts: factsOf(defined, outcome) };
}
