import { Fragment } from 'react';
import { grouped, numeralsIn } from './format.ts';

interface AmountProps {
  /** Exact, in decimal digits. */
  readonly value: string;
  readonly unit: string;
}

export const Amount = ({ value, unit }: AmountProps) => <Digits text={`${grouped(value)} ${unit}`} />;

/**
 * A text of ours in which no number breaks, and each shows six digits that matter: the others are seen when pointed at, and are in the
 * text for those who copy or hear it.
 */
export function Digits({ text }: { readonly text: string }) {
  return (
    <>
      {numeralsIn(text).map((part, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their position
        if (typeof part === 'string') return <Fragment key={index}>{part}</Fragment>;
        const { exact, seen, rest, unit } = part;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their position
          <span className="amount" key={index} title={rest === '' ? undefined : exact}>
            {rest === '' ? seen : <span className="cut">{seen}</span>}
            {rest !== '' && <span className="rest">{rest}</span>}
            {unit !== '' && <span className="unit">{unit}</span>}
          </span>
        );
      })}
    </>
  );
}
