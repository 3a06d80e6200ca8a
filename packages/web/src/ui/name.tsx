import { createContext, useContext } from 'react';
import { type Doubt, keyOfUse, mixesScripts } from './look-alike.ts';
import { shortId } from './short.ts';
import { shown } from './shown.ts';

/** Doubts about the names of a place, from `getDoubts`. */
export const Doubts = createContext<ReadonlyMap<string, Doubt>>(new Map());

/** A name that the account of an address has chosen, with a mark if it may be taken for another. */
export function Name({ name, address }: { readonly name: string; readonly address: string }) {
  const doubt = useContext(Doubts).get(keyOfUse(name, address));
  return (
    <>
      <bdi>{shown(name)}</bdi>
      <Warning doubt={doubt ?? (mixesScripts(name) ? { kind: 'mixed-scripts' } : undefined)} />
    </>
  );
}

export function Warning({ doubt }: { readonly doubt: Doubt | undefined }) {
  if (doubt === undefined) return null;
  return (
    <strong className="doubt">
      {' ⚠ '}
      {doubt.kind === 'mixed-scripts' ? (
        'name of mixed scripts'
      ) : (
        <>
          not the <bdi className="name">{shown(doubt.name)}</bdi> of {shortId(doubt.address)}
        </>
      )}
    </strong>
  );
}
