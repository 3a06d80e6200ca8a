import { Fragment, type ReactNode } from 'react';
import { formatCount } from '../../ui/format.ts';
import { getDoubts } from '../../ui/look-alike.ts';
import { Doubts } from '../../ui/name.tsx';
import { type Columns, Table } from '../../ui/table.tsx';
import { isNotFound, type Source } from '../api.ts';
import { useLive } from '../live.tsx';
import { Problem, useAsked } from './answer.tsx';
import { Download } from './download.tsx';
import { Tabs } from './layout.tsx';

interface ListOf<T> {
  readonly title: string;
  readonly source: Source<T>;
  readonly columns: Columns<T>;
  /** Shown in place of an empty list: why it is empty, and what to do. */
  readonly empty?: ReactNode;
}

/** The place in which it is shown. */
export interface Placement {
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
  /** Its form while it has no rows: a card with the help, a line with a link to it, or nothing. */
  readonly empties?: 'card' | 'line' | 'nothing';
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

/** The transactions of a block, whose page has its height and its time. */
export const blockTransactions = <T,>(source: Source<T>, columns: Columns<T>, page: Placement['page']): ReactNode => {
  const own = columns.filter(([name]) => name !== 'Block' && name !== 'Time');
  return listed('Transactions', source, own, 'This block is empty.').show({ page, isOnce: true });
};

/** Lists about one thing, by the last parts of their addresses. */
export type Lists = Readonly<Record<string, Listed>>;

interface SectionsProps {
  /** Path that the lists are below. */
  readonly base: string;
  readonly label: string;
  readonly lists: Lists;
  /** Lists that have an address and no tab. */
  readonly others?: Lists;
  /** Lengths of the lists that have one. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Part of the page that is open. */
  readonly part: string;
  readonly cursor?: string;
  /** Name of the first tab, which has the children. Without these the first list is open at first. */
  readonly overview?: string;
  readonly children?: ReactNode;
}

/** The tabs of a page with several lists, and the one that is open. */
export function Sections({
  base,
  lists,
  others = {},
  counts = {},
  part,
  overview = 'Overview',
  ...page
}: SectionsProps) {
  const { label, cursor = '', children } = page;
  const tabs = Object.entries(lists).map(([part, { title }]) => {
    return { name: counts[part] ? `${title} (${formatCount(counts[part])})` : title, part };
  });
  const all = children === undefined ? tabs : [{ name: overview, part: '' }, ...tabs];
  const reached = { ...lists, ...others };
  const current = Object.hasOwn(reached, part) ? part : (all[0]?.part ?? '');
  return (
    <>
      <Tabs base={base} label={label} current={current} tabs={all} />
      {reached[current]?.show({ page: { path: `${base}/${current}`, cursor }, isTitled: true }) ?? children}
    </>
  );
}

interface NewestProps extends Pick<Placement, 'limit' | 'empties'>, Pick<SectionsProps, 'lists' | 'base'> {
  /** The list that the API may not have. */
  readonly optional?: string;
}

/** The newest rows of each list. */
export const Newest = ({ lists, base, limit = 6, optional, empties = 'line' }: NewestProps) =>
  Object.entries(lists).map(([part, list]) => (
    <Fragment key={part}>
      {list.show({ limit, all: `${base}/${part}`, isOptional: part === optional, empties })}
    </Fragment>
  ));

/** How many rows of a page are seen at once. */
const ROWS = 25;

/** A paged list. New items on the server reload its first page. */
function List<T>(props: ListOf<T> & Placement) {
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
