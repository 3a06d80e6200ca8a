import type { Outgoing } from './outgoing.ts';

export const WORDS = {
  waiting: 'sending…',
  accepted: 'accepted, waiting for its block…',
  ordered: 'ordered, waiting for execution…',
  executed: 'executed',
  firm: 'firm',
  refused: 'refused',
} as const;

const CHECK = 'M1.5 6.5l3 3 6-7';
const SECOND = 'M8 9l.5.5 6-7';

/** How far a message is, as marks that need no words: a clock, one check, two, and two that are coloured. */
export function Mark({ state }: { readonly state: Outgoing['state'] }) {
  return (
    <svg className={`mark ${state}`} viewBox="0 0 16 12" aria-hidden="true">
      {state === 'waiting' && <path d="M8 1a5 5 0 1 0 .01 0M8 3.5V6l2 1.5" />}
      {(state === 'accepted' || state === 'ordered') && <path d={CHECK} />}
      {(state === 'executed' || state === 'firm') && <path d={CHECK + SECOND} />}
      {state === 'refused' && <path d="M4 2l8 8M12 2l-8 8" />}
    </svg>
  );
}
