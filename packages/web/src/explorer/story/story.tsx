import { sequencer } from '@switchyard/explorer/contract';
import type { ReactNode } from 'react';
import { Digits } from '../../ui/amount.tsx';
import { Name } from '../../ui/name.tsx';
import { shown } from '../../ui/shown.ts';
import { ask } from '../api.ts';
import { useAsked } from '../parts/answer.tsx';
import { amount, Id } from '../parts/cells.tsx';
import { Each } from '../parts/layout.tsx';
import type { Part } from './sentence.ts';

/** Longer texts are in the details. */
const MAX_QUOTE = 200;

/** The first thing on the page of a transaction: who did what, and a line with its state, its time and its price. */
export function Story({ parts, children }: { readonly parts: readonly Part[]; readonly children: ReactNode }) {
  return (
    <section className="card story" aria-label="Summary">
      <p className="sentence">
        <Each of={parts} show={(part) => <Fragmented part={part} />} />
      </p>
      <div className="line">{children}</div>
    </section>
  );
}

function Fragmented({ part }: { readonly part: Part }) {
  if (typeof part === 'string') return <>{shown(part)}</>;
  if (part.kind === 'amount')
    return (
      <strong>
        <Digits text={shown(part.text)} />
      </strong>
    );
  if (part.kind === 'link') return <a href={`#${part.to}`}>{shown(part.text)}</a>;
  if (part.kind === 'paid') return <Paid bridge={part.bridge} units={part.units} />;
  if (part.kind === 'quote') {
    const { text } = part;
    return (
      <q>
        <bdi>{shown(text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text)}</bdi>
      </q>
    );
  }
  return (
    <>
      {part.name !== undefined && (
        <>
          <Name name={part.name} address={part.text} />{' '}
        </>
      )}
      <Id text={part.text} to={part.to} />
    </>
  );
}

/** An amount of the asset of a bridge account, which the transaction does not name. */
function Paid({ bridge, units }: { readonly bridge: string; readonly units: string }) {
  const { value } = useAsked(`asset ${bridge}`, () => ask(sequencer.getAccount, { address: bridge }));
  return (
    <strong>
      <Digits text={amount({ amount: units, asset: value?.bridge?.asset ?? '' }).trim()} />
    </strong>
  );
}
