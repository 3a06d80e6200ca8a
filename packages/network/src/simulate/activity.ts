import type { SequencerClient } from '@switchyard/client';
import type { Links } from '@switchyard/service';
import type { Chance } from './chance.ts';
import type { Violation } from './observer.ts';
import type { RollupNode } from './rollup-api.ts';

/** One of the things that a run does by chance, such as a transaction or a fault. It is the same regardless of omitted ones. */
export interface Step {
  readonly chance: Chance;
  /** Adds its action to its name. */
  describe(text: string): void;
}

/** A run as its users see it, who are no part of the network. */
export interface ActivityFacts {
  /** Name of the rollup, and its chain id. */
  readonly rollup: string;
  readonly chainId: string;
  /** Address of its bridge account, or of the first of them. */
  readonly bridge: string;
  readonly node: RollupNode;
  readonly sequencer: SequencerClient;
  readonly links: Links;
  /** Address of a listener of a part, which only `links` reach. */
  makeUrl(label: string, listener: string): string;
  /** Locks an amount for an account of the rollup. A failed one may have been made. */
  deposit(to: string, amount: bigint): Promise<unknown>;
  /** Takes one step of a kind after the other until the signal aborts, each after a pause of this many milliseconds. */
  takeSteps(
    kind: string,
    pause: readonly [least: number, most: number],
    take: (step: Step) => Promise<unknown>,
  ): Promise<void>;
  /** Asks again and again. @returns whether it came true in time. */
  comesTrue(isTrue: () => Promise<boolean>): Promise<boolean>;
  report(violation: Violation): void;
  /** Nothing further is begun once it aborts. */
  readonly signal: AbortSignal;
}

/** Acts until the signal aborts. Its result is called when everything is executed: it looks at the network, and counts actions by kind. */
export type Activity = (facts: ActivityFacts) => Promise<() => Promise<Readonly<Record<string, number>>>>;
