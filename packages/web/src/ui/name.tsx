import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Doubt, getDoubts, keyOfUse, mixesScripts, type NameUse } from './look-alike.ts';
import { shortId } from './short.ts';
import { shown } from './shown.ts';

const Doubts = createContext<ReadonlyMap<string, Doubt>>(new Map());

interface NamesProps {
  /** The names that are shown, the first users first: a later one that looks like one of these is marked. */
  readonly uses: readonly NameUse[];
  readonly children: ReactNode;
}

/** The place of several names. */
export function Names({ uses, children }: NamesProps) {
  return <Doubts value={useMemo(() => getDoubts([], uses), [uses])}>{children}</Doubts>;
}

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
