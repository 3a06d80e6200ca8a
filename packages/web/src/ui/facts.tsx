import type { ReactNode } from 'react';

export type Facts = readonly (readonly [name: ReactNode, value: ReactNode] | undefined)[];

/** Names with their values; absent ones are left out. */
export function FactList({ facts, className = 'card' }: { readonly facts: Facts; readonly className?: string }) {
  return (
    <dl className={className}>
      {facts.map(
        (fact, index) =>
          fact !== undefined && (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fact is known by its position
            <div key={index}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1] === '' || fact[1] === undefined || fact[1] === null ? '–' : fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
