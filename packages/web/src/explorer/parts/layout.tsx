import { type ComponentType, Fragment, type ReactNode, useEffect, useRef } from 'react';
import { formatCount } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import type { PageProps } from '../route.ts';

/** Whether another page was opened since this document was: then its title gets the focus. */
let hasNavigated = false;
window.addEventListener('hashchange', () => (hasNavigated = true), { once: true });

/** The title of a page: of the tab too, and the target of the focus when another page is opened. */
export function Title({ children, kind }: { readonly children: string; readonly kind?: string }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${kind === undefined ? '' : `${kind} `}${children} · Explorer`;
  }, [kind, children]);
  useEffect(() => {
    if (hasNavigated) ref.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={ref} tabIndex={-1}>
      {kind !== undefined && <span className="kind">{kind} </span>}
      {children}
    </h1>
  );
}

interface BlockTitleProps {
  readonly kind: string;
  /** Path that the blocks are below. */
  readonly base: string;
  readonly number: number;
  /** Whether the next block may be there. */
  readonly hasNext: boolean;
}

/** The title of a block, with links to the block before it and the one after it. */
export const BlockTitle = ({ kind, base, number, hasNext }: BlockTitleProps) => (
  <div className="head">
    <Title kind={kind}>{formatCount(number)}</Title>
    <nav aria-label="Neighbours" className="neighbours">
      {number > 1 && <a href={`#${base}/${number - 1}`}>← {formatCount(number - 1)}</a>}
      {hasNext && <a href={`#${base}/${number + 1}`}>{formatCount(number + 1)} →</a>}
    </nav>
  </div>
);

interface Tab {
  readonly name: string;
  /** The last part of its address; empty for the first tab. */
  readonly part: string;
}

interface TabsProps {
  readonly base: string;
  readonly tabs: readonly Tab[];
  /** Part of the tab that is open. */
  readonly current: string;
  readonly label: string;
}

/** A row of links, which scrolls to the current one if it is too narrow for all. */
export function useScrolledTo(current: string) {
  const row = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another link is current then
  useEffect(() => {
    const link = row.current?.querySelector('[aria-current]');
    if (row.current === null || !(link instanceof HTMLElement)) return;
    row.current.scrollLeft = link.offsetLeft - (row.current.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return row;
}

export function Tabs({ base, tabs, current, label }: TabsProps) {
  return (
    <nav className="tabs" aria-label={label} ref={useScrolledTo(current)}>
      {tabs.map(({ name, part }) => (
        <a
          key={part}
          href={`#${base}${part === '' ? '' : `/${part}`}`}
          aria-current={part === current ? 'page' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}

interface TilesProps {
  readonly className?: string;
  readonly tiles: readonly (readonly [name: string, value: ReactNode, note?: ReactNode])[];
}

/** The first numbers of a page. */
export const Tiles = ({ className = 'tiles', tiles }: TilesProps) => (
  <dl className={className}>
    {tiles.map(([name, value, note]) => (
      <div key={name} className="tile">
        <dt>{name}</dt>
        <dd>{value}</dd>
        {note !== undefined && <dd className="note">{note}</dd>}
      </div>
    ))}
  </dl>
);

/** For an unknown name: the searched name, and what to do. */
export function Absent({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <Title>{title}</Title>
      <div className="card empty">
        <p>{children}</p>
        <p>
          <a href="#/">To the newest blocks</a>
        </p>
      </div>
    </>
  );
}

/** Pages about one thing each, by its kind. */
export type Pages = Readonly<Record<string, ComponentType<PageProps>>>;

export function PageOf({ pages, kind, ...page }: PageProps & { readonly pages: Pages; readonly kind: string }) {
  const Page = page.id !== '' && Object.hasOwn(pages, kind) ? pages[kind] : undefined;
  if (Page !== undefined) return <Page key={page.id} {...page} />;
  return <Absent title="No such page">There is no page at {shown(page.route.path)}.</Absent>;
}

interface CardProps {
  readonly title: string;
  /** After the title, in quiet words. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page below its title. */
export const Card = ({ title, note, children }: CardProps) => (
  <section className="card" aria-label={title}>
    <h2>
      {title} {note !== undefined && <span className="quiet">{note}</span>}
    </h2>
    {children}
  </section>
);

interface ItemsProps<T> {
  readonly of: readonly T[];
  readonly show: (item: T, index: number) => ReactNode;
}

/** Things without an identity, each known by its position. */
export const Each = <T,>({ of: all, show }: ItemsProps<T>) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: they have no other key
  all.map((item, index) => <Fragment key={index}>{show(item, index)}</Fragment>);

/** A numbered list of such things. */
export const Items = <T,>({
  show,
  className = 'actions',
  ...list
}: ItemsProps<T> & { readonly className?: string }) => (
  <ol className={className}>
    <Each {...list} show={(item, index) => <li>{show(item, index)}</li>} />
  </ol>
);
