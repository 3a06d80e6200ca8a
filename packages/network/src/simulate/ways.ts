import type { LinkPaths, Repeat } from '@switchyard/service';
import type { Chance } from './chance.ts';
import type { SimulatedTime } from './time.ts';

/** How everything travels between two parts, or between any two. */
export interface NetworkConditions {
  /** Bounds of the time that it takes, in milliseconds. */
  readonly delayMs: readonly [least: number, most: number];
  /** Probability that a connection breaks on the way. */
  readonly loss: number;
}

export const CALM: NetworkConditions = { delayMs: [0, 1], loss: 0 };

/** How often a call is repeated if some are, and how much later: at once, while it is answered, and after it was. */
const REPEATED = 0.3;
const REPEATED_AFTER_MS = [0, 1, 20, 300, 3_000] as const;

/** Callers that wait longer for an answer than this give up on their own. */
const SILENT_MS = 15_000;

/** Ways between parts on which calls take their time, or are lost. */
export class SimulatedWays implements LinkPaths {
  readonly #time: SimulatedTime;
  readonly #chance: Chance;
  readonly #cuts = new Set<string>();
  readonly #repeating = new Set<string>();
  weather: NetworkConditions = CALM;

  constructor(time: SimulatedTime, chance: Chance) {
    this.#time = time;
    this.#chance = chance;
  }

  /** Nothing arrives between the two, in either direction, until `heal`. */
  cut(one: string, other: string): void {
    this.#cuts.add(getPair(one, other));
  }

  heal(one: string, other: string): void {
    this.#cuts.delete(getPair(one, other));
  }

  /** Some of the calls to the part arrive twice, or none any more. */
  repeat(to: string, isOn: boolean): void {
    if (isOn) this.#repeating.add(to);
    else this.#repeating.delete(to);
  }

  repeats(_from: string, to: string): Repeat | undefined {
    if (!(this.#repeating.has(to) && this.#chance.happens(REPEATED))) return undefined;
    return { afterMs: this.#chance.pick(REPEATED_AFTER_MS), answered: this.#chance.pick(['first', 'second']) };
  }

  travel(from: string, to: string): Promise<void> | undefined {
    const { delayMs, loss } = this.weather;
    const isCut = this.#cuts.has(getPair(from, to));
    if (isCut || this.#chance.happens(loss)) {
      // Some calls fail at once, others wait for an answer that never comes.
      const ms = this.#chance.happens(0.5) ? 1 : SILENT_MS;
      return this.#after(ms).then(() => {
        throw new Error(`nothing arrives from ${from} at ${to}`);
      });
    }
    const ms = this.#chance.integer(...delayMs);
    return ms === 0 ? undefined : this.#after(ms);
  }

  #after(ms: number): Promise<void> {
    return new Promise((resolve) => this.#time.after(ms, resolve));
  }
}

const getPair = (one: string, other: string): string => [one, other].sort().join(' ');
