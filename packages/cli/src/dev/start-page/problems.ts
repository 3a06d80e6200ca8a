import { CONNECTION } from '../../describe-error.ts';
import type { Problem, ServiceOverview } from '../status/network.ts';

/** States of services that need no attention. */
const FINE: readonly string[] = ['ready', 'finished'];
/** In these nothing runs that could report a reason: starting it is the way on. */
const ENDED: readonly string[] = ['stopped', 'failed'];

interface Seen {
  readonly services: readonly ServiceOverview[];
  /** Why the sequencer makes no blocks. */
  readonly halt?: string | undefined;
}

/**
 * Lists what keeps a network from working, from one look at it to the next, so that each problem has the time at which it was
 * first seen.
 *
 * @param dev The command `switchyard dev`, as its user types it.
 * @param flags Of the instance.
 */
export function createProblems(dev: string, flags: string) {
  let known: readonly Problem[] = [];
  return ({ services, halt }: Seen, now: number): readonly Problem[] => {
    const halted = { what: 'the sequencer makes no blocks', why: halt, command: `${dev} doctor${flags}` };
    const troubled = services.filter(({ state }) => !FINE.includes(state));
    const found = [
      ...(halt === undefined ? [] : [halted]),
      ...troubled.map(({ name, state, reason }) => ({
        what: `${name} is ${state}`,
        why: reason === undefined ? undefined : inPlainWords(reason),
        command: `${dev} ${ENDED.includes(state) ? 'start' : 'logs'} ${name}${flags}`,
      })),
    ];
    known = found.map((each) => ({ ...each, since: known.find(({ what }) => what === each.what)?.since ?? now }));
    return known;
  };
}

/** A reason as libraries word it, such as `[unavailable] connect ECONNREFUSED 127.0.0.1:80`, for people. */
const inPlainWords = (reason: string): string =>
  reason
    .replaceAll(/\[[a-z_]+\] /g, '')
    .replaceAll(/\b(?:connect|getaddrinfo|read) ([A-Z_]{6,})(?: (\S+))?/g, (all, code: string, place?: string) => {
      const meaning = CONNECTION[code];
      return meaning === undefined ? all : `${meaning}${place === undefined ? '' : ` (${place})`}`;
    });
