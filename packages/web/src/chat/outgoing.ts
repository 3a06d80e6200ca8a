import type { TransactionBlocks } from '@switchyard/client/rollup';

/** Coins for an account of the rollup, or by a withdrawal for one of the sequencer. */
export interface Payment {
  readonly kind: 'transfer' | 'withdrawal';
  readonly to: string;
  readonly amount: bigint;
  readonly asset: string;
}

/** An action that the owner of an account wants done. */
export type Intent = { readonly kind: 'text'; readonly text: string; readonly name: string } | Payment;

/** A transaction of this page, from the moment it is wanted until it is final. */
export interface Outgoing {
  readonly key: string;
  /** Address of the account that signs it, and no other ever does. */
  readonly account: string;
  readonly intent: Intent;
  /**
   * `waiting`: not accepted yet. `accepted`: the composer has it and it will be in a block. `ordered`: in a sequencer
   * block. `refused`: it has no effect and will never have one, so it can be tried again.
   */
  readonly state: 'waiting' | 'accepted' | 'ordered' | 'executed' | 'firm' | 'refused';
  readonly signed?: Signed | undefined;
  /** Whether the signed bytes may have reached the node already. */
  readonly isTried: boolean;
  /** How often it was signed again because another transaction took its nonce. */
  readonly resigned: number;
  readonly reason?: string | undefined;
}

export interface Signed {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly blocks?: TransactionBlocks | undefined;
}

export type OutgoingEvent =
  | { readonly kind: 'wanted'; readonly key: string; readonly account: string; readonly intent: Intent }
  | { readonly kind: 'signed'; readonly key: string; readonly signed: Signed }
  | { readonly kind: 'tried'; readonly key: string }
  /** Another transaction took the nonce: sign again. */
  | { readonly kind: 'outrun'; readonly key: string }
  | { readonly kind: 'progress'; readonly key: string; readonly state: 'accepted' | 'ordered' | 'executed' | 'firm' }
  | { readonly kind: 'refused'; readonly key: string; readonly reason: string }
  | { readonly kind: 'retry'; readonly key: string }
  | { readonly kind: 'dismissed'; readonly key: string };

const ORDER = ['waiting', 'accepted', 'ordered', 'executed', 'firm'] as const;
const MAX_RESIGNED = 5;
/** Finished ones kept for show. */
const MAX_FINISHED = 50;

export function reduceOutgoing(all: readonly Outgoing[], event: OutgoingEvent): readonly Outgoing[] {
  switch (event.kind) {
    case 'wanted': {
      const { key, account, intent } = event;
      return [...withoutOldest(all), { key, account, intent, state: 'waiting', isTried: false, resigned: 0 }];
    }
    case 'dismissed':
      return all.filter((one) => one.key !== event.key || !canDismiss(one));
    default:
      return all.map((one) => (one.key === event.key ? next(one, event) : one));
  }
}

/** Whether it has no effect and will have none. */
const canDismiss = ({ state, signed }: Outgoing): boolean =>
  state === 'refused' || (state === 'waiting' && signed === undefined);

/** Whether it is a message whose fee its account cannot pay yet: it is not signed before the coins are there. */
export const isHeld = ({ state, intent, signed, account }: Outgoing, canPay: (account: string) => boolean): boolean =>
  state === 'waiting' && intent.kind === 'text' && signed === undefined && !canPay(account);

type Change = Exclude<OutgoingEvent, { kind: 'wanted' | 'dismissed' }>;

function next(one: Outgoing, event: Change): Outgoing {
  const { key, account, intent, resigned } = one;
  const anew: Outgoing = { key, account, intent, state: 'waiting', isTried: false, resigned: 0 };
  switch (event.kind) {
    case 'signed':
      return { ...one, signed: event.signed, isTried: false };
    case 'tried':
      return { ...one, isTried: true };
    case 'outrun':
      if (resigned < MAX_RESIGNED) return { ...anew, resigned: resigned + 1 };
      return { ...one, state: 'refused', reason: 'other transactions of this account were always faster' };
    case 'progress':
      return isLater(one.state, event.state) ? { ...one, state: event.state } : one;
    case 'refused':
      return one.state === 'executed' || one.state === 'firm'
        ? one
        : { ...one, state: 'refused', reason: event.reason };
    case 'retry':
      return one.state === 'refused' ? anew : one;
    default:
      return event satisfies never;
  }
}

function isLater(now: Outgoing['state'], then: 'accepted' | 'ordered' | 'executed' | 'firm'): boolean {
  return now !== 'refused' && ORDER.indexOf(then) > ORDER.indexOf(now);
}

function withoutOldest(all: readonly Outgoing[]): readonly Outgoing[] {
  const finished = all.filter(({ state }) => state === 'firm' || state === 'executed');
  const dropped = new Set(finished.slice(0, Math.max(0, finished.length - MAX_FINISHED)));
  return dropped.size === 0 ? all : all.filter((one) => !dropped.has(one));
}
