import { useEffect, useState } from 'react';

/** The view that the page's address asks for: `#/rollups/evm/blocks?cursor=12`. */
export interface Route {
  /** Without the cursor. */
  readonly path: string;
  readonly parts: readonly string[];
  readonly cursor: string;
}

/** A page about one thing. */
export interface PageProps {
  /** Rollup that has it; empty for one of the sequencer. */
  readonly rollup: string;
  readonly id: string;
  /** Part of the page that is open. */
  readonly part: string;
  readonly route: Route;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?');
  const parts = path.split('/').slice(1).map(decoded);
  return { path, parts, cursor: new URLSearchParams(query).get('cursor') ?? '' };
}

/** A user may type anything into the address. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const change = () => {
      setRoute(parseRoute(location.hash));
      // Between tabs of one thing the page keeps its position.
      if (!document.activeElement?.closest('.tabs')) window.scrollTo(0, 0);
    };
    window.addEventListener('hashchange', change);
    return () => window.removeEventListener('hashchange', change);
  }, []);
  return route;
}
