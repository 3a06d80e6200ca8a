import type { SubmissionState } from '@switchyard/client';

/** The outcome of a bundle, for `--json`. */
export function shownState(id: string, state: SubmissionState | undefined): Readonly<Record<string, unknown>> {
  if (state === undefined) return { id, state: 'unknown' };
  const { kind, ...facts } = state;
  return { id, state: kind, ...facts };
}

export function linesOfState(state: SubmissionState): string[] {
  switch (state.kind) {
    case 'queued':
      return ['State: queued'];
    case 'bundled':
      return ['State: sent', `Sequencer transaction: ${state.transaction}`];
    case 'sequenced':
      return ['State: sequenced', `Included in block: ${state.height}`, `Sequencer transaction: ${state.transaction}`];
    case 'refused':
      return ['State: refused', `Reason: ${state.reason}`];
  }
}
