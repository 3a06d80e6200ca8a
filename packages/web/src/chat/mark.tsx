import type { SentState } from '@switchyard/rollup/live';

export const WORDS = {
  waiting: 'sending…',
  held: 'not sent yet',
  shown: 'sending…',
  accepted: 'accepted, waiting for its block…',
  executed: 'executed',
  proven: 'executed',
  firm: 'firm',
  refused: 'refused',
  expired: 'it has expired',
  unknown: 'it is not known whether a block has it',
} as const;

const CHECK = 'M1.5 6.5l3 3 6-7';
const SECOND = 'M8 9l.5.5 6-7';

/** Whether it has no effect, as far as is known: it can be sent again. */
export const isOver = (state: SentState['state']): boolean => ['refused', 'expired', 'unknown'].includes(state);

/** How far a message is, as marks that need no words: a clock, one check, two, and two that are coloured. */
export function Mark({ state }: { readonly state: SentState['state'] }) {
  return (
    <svg className={`mark ${state}`} viewBox="0 0 16 12" aria-hidden="true">
      {(state === 'waiting' || state === 'held' || state === 'shown') && (
        <path d="M8 1a5 5 0 1 0 .01 0M8 3.5V6l2 1.5" />
      )}
      {state === 'accepted' && <path d={CHECK} />}
      {(state === 'executed' || state === 'proven' || state === 'firm') && <path d={CHECK + SECOND} />}
      {isOver(state) && <path d="M4 2l8 8M12 2l-8 8" />}
    </svg>
  );
}
