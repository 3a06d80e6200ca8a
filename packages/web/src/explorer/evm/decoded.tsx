import type { Argument, Decoded as DecodedData, Shown } from '@switchyard/explorer/contract';
import { Fragment } from 'react';
import { FactList } from '../../ui/facts.tsx';
import { shown } from '../../ui/shown.ts';
import { Id, Long } from '../parts/cells.tsx';
import { Items } from '../parts/layout.tsx';
import { Address } from './columns.tsx';

/** Deeper tuples are shown as JSON. */
const MAX_DEPTH = 6;

/** A call, event or error with its arguments. */
export function Decoded({ decoded }: { readonly decoded: DecodedData }) {
  return (
    <div className="decoded">
      <code>{shown(decoded.signature)}</code>
      {decoded.arguments.length > 0 && <Arguments list={decoded.arguments} />}
    </div>
  );
}

export const Arguments = ({ list, depth = 0 }: { readonly list: readonly Argument[]; readonly depth?: number }) => (
  <FactList
    className="members"
    facts={list.map(({ name, type, value }, index) => [
      <Fragment key="name">
        {shown(name) || index} <code className="quiet">{shown(type)}</code>
      </Fragment>,
      <Value key="value" type={type} value={value} depth={depth} />,
    ])}
  />
);

function Value({ type, value, depth }: { readonly type: string; readonly value: Shown; readonly depth: number }) {
  if (typeof value !== 'object' || value === null) {
    const text = String(value ?? '');
    if (type === 'address') return <Address text={text} />;
    if (type.startsWith('bytes') && text.length === 66) return <Id text={text} />;
    if (/^-?\d+$/.test(text)) return <code className="amount">{text}</code>;
    return <Long>{shown(text) || '–'}</Long>;
  }
  if (depth >= MAX_DEPTH) return <code>{shown(JSON.stringify(value).slice(0, 1_000))}</code>;
  if (isTuple(value)) return <Arguments list={value} depth={depth + 1} />;
  const inner = type.replace(/\[\d*\]$/, '');
  return <Items className="values" of={value} show={(item) => <Value type={inner} value={item} depth={depth + 1} />} />;
}

const isTuple = (items: readonly (Shown | Argument)[]): items is readonly Argument[] =>
  items.length > 0 && items.every((each) => typeof each === 'object' && each !== null && 'type' in each);
