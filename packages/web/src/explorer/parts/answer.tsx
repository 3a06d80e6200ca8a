import { type AnswerOf, type AnyContract, type ParamsOf, requestPath } from '@switchyard/client/http-api';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Loading } from '../../ui/loading.tsx';
import { Message } from '../../ui/message.tsx';
import { ask, getMessage, isNotFound } from '../api.ts';
import { useLive } from '../live.tsx';
import { Absent } from './layout.tsx';
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

export const Problem = ({ error }: { readonly error: unknown }) => (
  <Message tone="bad" role="status">
    {getMessage(error)}
  </Message>
);

interface ShowProps<T> {
  readonly show: (answer: T) => ReactNode;
  /** Shown if the API has nothing of that name: a sentence is a page of its own. */
  readonly absent?: ReactNode;
  /** Form of the answer, shown until it comes; null shows nothing. */
  readonly loading?: ReactNode;
  /** Subject of a whole page, its heading until the title is known. */
  readonly page?: string;
  /** Whether news are no reason to ask again. */
  readonly isOnce?: boolean;
}

interface AnswerProps<C> extends ShowProps<AnswerOf<C>> {
  readonly route: C;
  readonly params: ParamsOf<C>;
}

/** One answer and its rendering. */
export function Answer<C extends AnyContract>({ route, params, ...shown }: AnswerProps<C>) {
  return <Loaded name={requestPath(route, params)} load={() => ask(route, params)} {...shown} />;
}

interface LoadedProps<T> extends ShowProps<T> {
  readonly name: string;
  readonly load: () => Promise<T>;
}

/** An answer that `load` asks for, by its name, and its rendering. */
export function Loaded<T>({ name, load, isOnce = false, show, absent, loading, page }: LoadedProps<T>) {
  const { turn } = useLive();
  const { value, error } = useAsked(name, load, isOnce ? 0 : turn);
  const title = page !== undefined && value === undefined && <h1 className="hidden">{page}</h1>;
  if (value === undefined && error === undefined) {
    return (
      <>
        {title}
        {loading === undefined ? <Loading shape={page === undefined ? 'facts' : 'page'} /> : loading}
      </>
    );
  }
  if (value === undefined && absent !== undefined && isNotFound(error)) {
    if (typeof absent !== 'string') return absent;
    return <Absent title={`No such ${page?.split(' ').at(-1)?.toLowerCase()}`}>{absent}</Absent>;
  }
  return (
    <>
      {title}
      {error !== undefined && <Problem error={error} />}
      {value !== undefined && show(value)}
    </>
  );
}
