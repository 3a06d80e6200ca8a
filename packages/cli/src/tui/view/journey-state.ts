import type { Journey, RollupFacts } from '../facts.ts';
import { shortId } from '../rollups.ts';
import { shown } from '../text.ts';

export interface JourneyState {
  readonly text: string;
  /** How the theme shows it. */
  readonly paint: 'good' | 'pending' | 'bad';
  /** Why it is in no block, or without effect. */
  readonly why?: string | undefined;
}

/** How far a transaction is, and what became of it. */
export function journeyState(journey: Journey, rollups: readonly RollupFacts[]): JourneyState {
  const { bundledAt, sequenced, executed, refused, outcome } = journey;
  if (refused !== undefined) return { text: 'refused', paint: 'bad', why: refused.reason };
  if (outcome?.end?.kind === 'skipped') {
    const [, kind = 'skipped', why] = /^(refused|replaced):? ?(.*)$/.exec(outcome.end.why) ?? [];
    return { text: kind, paint: 'bad', why: why ?? outcome.end.why };
  }
  if (outcome?.end?.kind === 'reverted') return { text: 'reverted', paint: 'bad' };
  if (isFirm(journey, rollups)) return { text: 'firm', paint: 'good' };
  if (executed !== undefined) return { text: 'executed', paint: 'good' };
  if (sequenced !== undefined) return { text: 'sequenced', paint: 'pending' };
  return { text: bundledAt === undefined ? 'queued' : 'bundled', paint: 'pending' };
}

/** Whether the rollup block that holds it is final. */
export function isFirm({ rollup, executed }: Journey, rollups: readonly RollupFacts[]): boolean {
  const firm = rollups.find(({ id }) => id === rollup)?.firm;
  return executed?.block !== undefined && firm !== undefined && executed.block <= firm;
}

/** When it got to where it is. */
export function lastAt({ bundledAt, sequenced, executed, refused }: Journey): number | undefined {
  return refused?.at ?? executed?.at ?? sequenced?.at ?? bundledAt;
}

/** The name of a rollup, or its identity while that is all that is known. */
export function nameOf(rollup: string, rollups: readonly RollupFacts[]): string {
  const name = rollups.find(({ id }) => id === rollup)?.name;
  return name === undefined ? shortId(rollup) : shown(name, { colour: false });
}
