import type { Input } from '@switchyard/client/http-api';
import { type ReactNode, useEffect, useState } from 'react';
import { ask, type Page, pageOf, word } from './api.ts';
import { shown } from './shown.ts';

export function Copy({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    setCopied(true);
  };
  return (
    <button type="button" className="copy" aria-label={`Copy ${text}`} onClick={() => void copy()}>
      {isCopied ? 'copied' : 'copy'}
    </button>
  );
}

/** What is as short as a height or a name is shown whole and typed rather than copied. */
const SHORT = 20;

/** A hash or an address, cut in the middle where there is little room. */
export function Id({
  text,
  to,
  whole,
}: {
  readonly text: string;
  readonly to?: string | undefined;
  readonly whole?: boolean;
}) {
  const short = whole === true || text.length < SHORT ? text : `${text.slice(0, 10)}…${text.slice(-6)}`;
  const code = <code title={text}>{shown(short)}</code>;
  return (
    <span className="id">
      {to === undefined ? code : <a href={`#${to}`}>{code}</a>}
      {text.length >= SHORT && <Copy text={text} />}
    </span>
  );
}

export function When({ at }: { readonly at: Input }) {
  const text = word(at);
  return text === '' ? <>–</> : <time dateTime={text}>{new Date(text).toLocaleString()}</time>;
}

export type Facts = readonly (readonly [name: string, value: ReactNode])[];

export function FactList({ facts }: { readonly facts: Facts }) {
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === '' ? '–' : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** One answer, asked for again when `turn` changes. */
export function Answer({
  path,
  turn = 0,
  show,
}: {
  readonly path: string;
  readonly turn?: number;
  readonly show: (answer: Input) => ReactNode;
}) {
  const [state, setState] = useState<{ path: string; answer?: Input; problem?: string }>({ path });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is there to ask again
  useEffect(() => {
    let isOver = false;
    ask(path).then(
      (answer) => isOver || setState({ path, answer }),
      (error: unknown) =>
        isOver || setState((before) => ({ ...(before.path === path ? before : { path }), problem: messageOf(error) })),
    );
    return () => {
      isOver = true;
    };
  }, [path, turn]);
  const known = state.path === path ? state : undefined;
  return (
    <>
      {known?.problem !== undefined && (
        <p className="message bad" role="status">
          {known.problem}
        </p>
      )}
      {known?.answer !== undefined && show(known.answer)}
    </>
  );
}

export type Columns = readonly (readonly [name: string, cell: (row: Input) => ReactNode])[];

/** A list by pages, newest first. The first page is asked for again when `turn` changes. */
export function List({
  title,
  path,
  columns,
  turn = 0,
}: {
  readonly title: string;
  readonly path: string;
  readonly columns: Columns;
  readonly turn?: number;
}) {
  const [cursors, setCursors] = useState<{ path: string; list: readonly string[] }>({ path, list: [''] });
  const [page, setPage] = useState<Page & { readonly path: string; readonly problem?: string }>();
  const at = cursors.path === path ? cursors.list : [''];
  const cursor = at.at(-1) ?? '';
  const isFirst = at.length === 1;
  const asked = isFirst ? turn : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` is there to ask again
  useEffect(() => {
    let isOver = false;
    pageOf(path, cursor).then(
      (found) => isOver || setPage({ ...found, path }),
      (error: unknown) => isOver || setPage({ items: [], next: '', path, problem: messageOf(error) }),
    );
    return () => {
      isOver = true;
    };
  }, [path, cursor, asked]);
  const { items, next, problem } = page?.path === path ? page : { items: undefined, next: '', problem: undefined };
  const go = (list: readonly string[]) => setCursors({ path, list });
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {problem !== undefined && (
        <p className="message bad" role="status">
          {problem}
        </p>
      )}
      {items?.length === 0 && problem === undefined && <p className="quiet">None.</p>}
      {items !== undefined && items.length > 0 && (
        <table>
          <thead>
            <tr>
              {columns.map(([name]) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((row, index) => (
              // Rows have no state.
              // biome-ignore lint/suspicious/noArrayIndexKey: and so no identity that matters
              <tr key={index}>
                {columns.map(([name, cell]) => (
                  <td key={name} data-name={name}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {(next !== '' || !isFirst) && (
        <p className="pages">
          <button type="button" disabled={isFirst} onClick={() => go(at.slice(0, -1))}>
            Newer
          </button>
          <button type="button" disabled={next === ''} onClick={() => go([...at, next])}>
            Older
          </button>
        </p>
      )}
    </section>
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
