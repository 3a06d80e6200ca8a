import type { RollupReport } from '../dev/status/heights.ts';
import type { RollupHeights } from '../dev/status/network.ts';
import type { ExecutedBlocks, RollupFacts } from './facts.ts';

export interface Identity {
  readonly id: string;
  readonly name: string;
}

/** Response of a conductor. */
export interface ConductorReport extends Omit<RollupHeights, 'name'> {
  readonly service: string;
  /** The rollup that it drives, while it has a session with it. */
  readonly rollup?: string | undefined;
  readonly lag?: number | undefined;
  readonly executed?: ExecutedBlocks | undefined;
}

export interface Reports {
  readonly rollups: readonly RollupReport[];
  readonly conductors: readonly ConductorReport[];
  readonly identities: Readonly<Record<string, Identity>>;
  readonly driven: Readonly<Record<string, string>>;
  readonly sequencerHeight: number | undefined;
  /** Name of a rollup that only its conductor reports. */
  readonly usualName: string;
}

/** The rollups of ours, each with the numbers of its own conductor, and then those of other makes, which only conductors report. */
export function rollupFacts(reports: Reports): RollupFacts[] {
  const { rollups, conductors, identities, driven } = reports;
  const ours = rollups.map((rollup) => {
    const identity = identities[rollup.service];
    const conductor = conductors.find(({ service }) => identity !== undefined && driven[service] === identity.id);
    return {
      id: identity?.id,
      name: identity?.name ?? rollup.service,
      service: rollup.service,
      height: rollup.height,
      firm: rollup.firm ?? conductor?.firm,
      layerHeight: rollup.layerHeight ?? conductor?.layerHeight,
      lag: rollup.height === undefined ? undefined : (conductor?.lag ?? lagOf(rollup, reports)),
    };
  });
  const known = new Set(ours.map(({ id }) => id));
  // The identity of one of ours is not known before it has answered once.
  if (known.has(undefined)) return ours;
  const others = conductors.filter(({ service }) => driven[service] !== undefined && !known.has(driven[service]));
  return [
    ...ours,
    ...others.map(({ service, height, firm, layerHeight, lag }) => {
      const id = driven[service];
      return { id, name: others.length === 1 ? reports.usualName : shortId(id ?? ''), height, firm, layerHeight, lag };
    }),
  ];
}

/** Beginning and end of an identity or a hash. */
export const shortId = (id: string) => (id.length <= 13 ? id : `${id.slice(0, 6)}…${id.slice(-6)}`);

function lagOf({ executedTo }: RollupReport, { sequencerHeight }: Reports): number | undefined {
  return executedTo === undefined || sequencerHeight === undefined
    ? undefined
    : Math.max(0, sequencerHeight - executedTo);
}
