import type { ReactNode } from 'react';
import { Digits } from './amount.tsx';

export type Facts = readonly (readonly [name: ReactNode, value: ReactNode] | false | undefined)[];

/** Names with their values; absent ones are left out. */
export function FactList({ facts, className = 'card' }: { readonly facts: Facts; readonly className?: string }) {
  return (
    <dl className={className}>
      {facts.map(
        (fact, index) =>
          fact && (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fact is known by its position
            <div key={index}>
              <dt>{fact[0]}</dt>
              <dd>{described(fact[1])}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function described(value: ReactNode): ReactNode {
  if (value === '' || value === undefined || value === null) return '–';
  return typeof value === 'string' ? <Digits text={value} /> : value;
}
