import { Fragment, type ReactNode } from 'react';
import { getDoubts } from '../../ui/look-alike.ts';
import { Doubts } from '../../ui/name.tsx';
import { type Columns, Table } from '../../ui/table.tsx';
import { isNotFound, type Source } from '../api.ts';
import { useLive } from '../live.tsx';
import { Problem, useAsked } from './answer.tsx';
import { Download } from './download.tsx';
import type { Tab } from './layout.tsx';

interface ListOf<T> {
  readonly title: string;
  readonly source: Source<T>;
  readonly columns: Columns<T>;
  /** Shown in place of an empty list: why it is empty, and what to do. */
  readonly empty?: ReactNode;
}

/** The place in which it is shown. */
interface Placement {
  /** Whether news are no reason to ask again. */
  readonly isOnce?: boolean;
  /** Rows of a page, if not as many as usual. */
  readonly limit?: number;
  /** Address of the whole list, for a list of the newest only. */
  readonly all?: string;
  /** For a list by pages: the address of the page and the cursor in it. */
  readonly page?: { readonly path: string; readonly cursor: string } | undefined;
  /** Whether the page has its title, as one with nothing else does. */
  readonly isTitled?: boolean;
  /** Whether to leave the list out if the API has none. */
  readonly isOptional?: boolean;
  /** Its form while it has no rows, if it is no card: a line with a link to the help on its page, or nothing. */
  readonly empties?: 'line' | 'nothing';
}

/** A list among others, which have rows of other types. */
export interface Listed {
  readonly title: string;
  readonly show: (place: Placement) => ReactNode;
}

export const listed = <T,>(title: string, source: Source<T>, columns: Columns<T>, empty?: ReactNode): Listed => ({
  title,
  show: (place) => <List title={title} source={source} columns={columns} empty={empty} {...place} />,
});

/** Lists about one thing, by the last parts of their addresses. */
export type Lists = Readonly<Record<string, Listed>>;

export const oneOf = (lists: Lists, part: string): Listed | undefined =>
  Object.hasOwn(lists, part) ? lists[part] : undefined;

export const getTabs = (lists: Lists): readonly Tab[] =>
  Object.entries(lists).map(([part, { title }]) => ({ name: title, part }));

interface NewestProps {
  readonly lists: Lists;
  /** Path that the lists are below. */
  readonly base: string;
  readonly limit?: number;
  /** The list that the API may not have. */
  readonly optional?: string;
}

/** The newest rows of each list. */
export const Newest = ({ lists, base, limit = 6, optional }: NewestProps) =>
  Object.entries(lists).map(([part, list]) => (
    <Fragment key={part}>
      {list.show({ limit, all: `${base}/${part}`, isOptional: part === optional, empties: 'line' })}
    </Fragment>
  ));

/** How many rows of a page are seen at once. */
const ROWS = 25;

/** A paged list. New items on the server reload its first page. */
export function List<T>(props: ListOf<T> & Placement) {
  const { title, source, columns, isOnce, limit, empty, all, page, isTitled, isOptional, empties } = props;
  const cursor = page?.cursor ?? '';
  const isFirst = cursor === '';
  const { turn } = useLive();
  const { value, error } = useAsked(
    `${source.key} ${cursor}`,
    () => source.load(cursor, limit),
    isFirst && !isOnce ? turn : 0,
  );
  if (isOptional && value === undefined && (error === undefined || isNotFound(error))) return null;
  if (empties === 'nothing' && (value?.items.length ?? 0) === 0) return null;
  const isEmpty = value?.items.length === 0;
  if (isEmpty && empties === 'line') {
    return (
      <section aria-label={title} className="head brief">
        <h2>{title}</h2>
        <p className="quiet">
          None yet{empty !== undefined && all !== undefined && <a href={`#${all}`}>How to begin</a>}
        </p>
      </section>
    );
  }
  return (
    <section aria-label={title} className="card">
      {!isTitled && (
        <div className="head">
          <h2>{title}</h2>
          {all !== undefined && value !== undefined && !isEmpty && (
            <a href={`#${all}`} aria-label={`All: ${title}`}>
              All →
            </a>
          )}
        </div>
      )}
      {error !== undefined && <Problem error={error} />}
      {isEmpty ? (
        <div className="quiet nothing">{empty ?? <p>None yet.</p>}</div>
      ) : (
        (value !== undefined || error === undefined) && (
          <Doubts value={getDoubts([], source.getNames?.(value?.items ?? []) ?? [])}>
            <Table columns={columns} rows={value?.items} name={title} likely={limit ?? ROWS} />
          </Doubts>
        )
      )}
      {page !== undefined && value !== undefined && value.items.length > 0 && (
        <div className="pages">
          <Download title={title} source={source} />
          {(!isFirst || value.next !== null) && (
            <nav aria-label={`Pages: ${title}`}>
              {!isFirst && <a href={`#${page.path}`}>{source.isByKey ? 'First' : 'Newest'}</a>}
              {value.next !== null && (
                <a href={`#${page.path}?cursor=${encodeURIComponent(value.next)}`}>
                  {source.isByKey ? 'Next' : 'Older'} →
                </a>
              )}
            </nav>
          )}
        </div>
      )}
    </section>
  );
}
