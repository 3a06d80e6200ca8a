import type { Input } from '@switchyard/client/http-api';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ask, isNotFound, messageOf } from '../api.ts';
import { Refresher } from './refresher.ts';

export interface Asked<T> {
  readonly value?: T;
  readonly error?: unknown;
}

/** An answer, asked for again when `turn` changes; the one before is shown until then. */
export function useAsked<T>(key: string, load: () => Promise<T>, turn = 0): Asked<T> {
  const [state, setState] = useState<Asked<T> & { readonly key: string }>({ key });
  const refresher = useRef<Refresher<T>>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `load` follows from the key
  useEffect(() => {
    refresher.current = new Refresher(load, (outcome) =>
      setState((before) =>
        outcome.status === 'fulfilled'
          ? { key, value: outcome.value }
          : { ...(before.key === key ? before : { key }), error: outcome.reason },
      ),
    );
    return () => refresher.current?.end();
  }, [key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn, and each refresher, is a reason to load
  useEffect(() => refresher.current?.refresh(), [key, turn]);
  return state.key === key ? state : {};
}

export function Problem({ error }: { readonly error: unknown }) {
  return (
    <p className="message bad" role="status">
      {messageOf(error)}
    </p>
  );
}

/** What is shown until the first answer. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <span key={line} />
      ))}
    </div>
  );
}

/** One answer and what is made of it. @param absent What is shown where the API has nothing of that name. */
export function Answer({
  path,
  turn = 0,
  show,
  absent,
  lines,
  page,
}: {
  readonly path: string;
  readonly turn?: number;
  readonly show: (answer: Input) => ReactNode;
  readonly absent?: ReactNode;
  readonly lines?: number;
  /** What a whole page is about, until its title is known. */
  readonly page?: string;
}) {
  const { value, error } = useAsked(path, () => ask(path), turn);
  const title = page !== undefined && value === undefined && <h1 className="hidden">{page}</h1>;
  if (value === undefined && error === undefined) {
    return (
      <>
        {title}
        <Loading lines={lines ?? 3} />
      </>
    );
  }
  if (value === undefined && absent !== undefined && isNotFound(error)) return absent;
  return (
    <>
      {title}
      {error !== undefined && <Problem error={error} />}
      {value !== undefined && show(value)}
    </>
  );
}
