import type { TracedSubmission } from '@switchyard/explorer/contract';

/* The way of a transaction through the stack, as steps in their order. */

export interface Step {
  readonly stage: 'accepted' | 'bundled' | 'sequenced' | 'executed' | 'posted' | 'firm';
  readonly isDone: boolean;
  /** RFC 3339; null if the time is not known. */
  readonly at: string | null;
  /** Milliseconds since the newest step before whose time is known. */
  readonly tookMs: number | undefined;
}

type Traced = Pick<TracedSubmission, 'accepted' | 'layer'> & {
  readonly sequencer: Pick<TracedSubmission['sequencer'], 'time'>;
  readonly execution: { readonly seen: string | null; readonly isFirm: boolean } | null;
};

export function getSteps({ accepted, sequencer, execution, layer }: Traced): readonly Step[] {
  const isExecuted = execution !== null;
  return timed([
    ...(accepted === null
      ? []
      : ([
          ['accepted', accepted.at, true],
          ['bundled', accepted.bundledAt, true],
        ] as const)),
    ['sequenced', sequencer.time, true],
    ['executed', execution?.seen ?? null, isExecuted],
    ['posted', layer?.at ?? null, layer !== null],
    ['firm', null, execution?.isFirm === true],
  ]);
}

export function timed(stages: readonly (readonly [Step['stage'], string | null, boolean])[]): readonly Step[] {
  let before = Number.NaN;
  return stages.map(([stage, at, isDone]) => {
    const time = Date.parse(at ?? '');
    // Clocks of several machines: a step before its predecessor took no time that can be shown.
    const took = time - before;
    if (!Number.isNaN(time)) before = time;
    return { stage, at, isDone, tookMs: took >= 0 ? took : undefined };
  });
}

/** Milliseconds from the first known time to that of a stage. */
export function untilMs(steps: readonly Step[], stage: Step['stage']): number | undefined {
  const first = steps.find(({ at }) => at !== null)?.at;
  const last = steps.find((step) => step.stage === stage)?.at;
  const ms = Date.parse(last ?? '') - Date.parse(first ?? '');
  return ms > 0 ? ms : undefined;
}
