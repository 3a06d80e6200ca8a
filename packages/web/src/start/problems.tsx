import { useMemo } from 'react';
import { Command } from '../ui/copy.tsx';
import type { Network } from './api.ts';

type Problem = Network['problems'][number];

/** Each problem of the network: what it is, since when, and a command that shows more or ends it. */
export function Problems({ network, answered }: { readonly network: Network | undefined; readonly answered: boolean }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time of the first question without an answer
  const lostAt = useMemo(() => performance.timeOrigin + performance.now(), [answered]);
  const [start = ''] = network?.steps.find(({ kind }) => kind === 'start')?.commands ?? [];
  const lost = {
    what: 'the network does not answer',
    why: 'it was stopped, or is busy',
    since: lostAt,
    command: start,
  };
  const problems: readonly Problem[] = answered ? (network?.problems ?? []) : [lost];
  if (problems.length === 0) return null;
  return (
    <ul className="problems" aria-label="Problems">
      {problems.map(({ what, why, since, command }) => (
        <li key={what} className="message bad">
          <p>
            <strong>{what}</strong>
            {why !== '' && `: ${why}`}{' '}
            {since !== undefined && (
              <span className="quiet">
                since <time dateTime={new Date(since).toISOString()}>{new Date(since).toLocaleTimeString()}</time>
              </span>
            )}
          </p>
          {command !== '' && <Command text={command} />}
        </li>
      ))}
    </ul>
  );
}
