import { type FocusEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { Tone } from './message.tsx';
import { currentPage, type NetworkPage, useNetworkPages } from './network-pages.ts';
import { Toasts } from './toast.tsx';

/** How what serves a page is, in a few words. */
export interface Health {
  readonly tone: Tone;
  readonly text: string;
}

interface HeaderProps {
  /** Kind of this page, by which it is found in the menu. */
  readonly kind: 'start' | 'chat' | 'explorer' | 'faucet' | 'api';
  readonly health?: Health | undefined;
  /** First view of this page. */
  readonly home?: string;
  /** A further row, such as parts of the page or a search. */
  readonly children?: ReactNode;
}

/** The head of every page: logo, network, health, and a menu of all pages of the network. The content has the id `main`. */
export function PageHeader({ kind, health, home = './', children }: HeaderProps) {
  const network = useNetworkPages();
  const current = currentPage(network, kind, location.href);
  return (
    <header className="page-header">
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        To the content
      </button>
      <div className="head-bar">
        <a className="brand" href={home}>
          <svg className="logo" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M3 6h7l5 12h6M3 18h7l1.5-3.5M15 6h6" />
          </svg>
          Switchyard
        </a>
        {(network.network !== '' || health !== undefined) && (
          <p className="place">
            {network.network !== '' && <strong>{network.network}</strong>}
            {health !== undefined && (
              <span>
                <i className={`dot ${health.tone}`} aria-hidden="true" />
                {health.text}
              </span>
            )}
          </p>
        )}
        {network.pages.length > 0 && <Menu pages={network.pages} current={current} />}
      </div>
      {children}
      {/* News that are good, such as the next block, are not read out. */}
      <p className="hidden" role="status">
        {health?.tone === 'bad' || health?.tone === 'warn' ? health.text : ''}
      </p>
      <Toasts />
    </header>
  );
}

interface MenuProps {
  readonly pages: readonly NetworkPage[];
  readonly current: NetworkPage | undefined;
}

/** A row of links, which a button unfolds if there is no room for it. */
function Menu({ pages, current }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const onKeyDown = ({ key }: KeyboardEvent<HTMLElement>) => {
    if (key !== 'Escape' || !isOpen) return;
    setOpen(false);
    button.current?.focus();
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) setOpen(false);
  };
  return (
    <nav className="menu" aria-label="Pages of this network" onKeyDown={onKeyDown} onBlur={onBlur}>
      <button
        ref={button}
        type="button"
        className="plain"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <ul id={id} className={isOpen ? 'open' : undefined}>
        {pages.map((page) => (
          <li key={`${page.title} ${page.url}`}>
            <a href={page.url} aria-current={page === current ? 'page' : undefined}>
              {page.title || page.kind}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
