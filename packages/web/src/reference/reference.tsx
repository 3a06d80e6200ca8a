import { type KeyboardEvent, type MouseEvent, useEffect, useSyncExternalStore } from 'react';
import { Badge } from '../ui/badge.tsx';
import { FactList } from '../ui/facts.tsx';
import { CallArticle, Method } from './call.tsx';
import { type ApiDocument, type Call, calls, DOCUMENT } from './document.ts';
import { Breakable, Prose } from './prose.tsx';
import { Schema } from './schema.tsx';

interface Section {
  readonly id: string;
  readonly name: string;
  readonly calls: readonly Call[];
}

/** All calls of an API by their tags, then its schemas and errors. */
export function Reference({ document }: { readonly document: ApiDocument }) {
  const { info, tags, components } = document;
  const all = calls(document);
  const sections = tags.map(({ name }, index) => ({
    id: `section-${index}`,
    name,
    calls: all.filter((call) => call.tags.includes(name)),
  }));
  useEffect(() => {
    globalThis.document.title = `${info.title} API`;
    // The browser looked for it before it was there.
    globalThis.document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }, [info.title]);
  return (
    <div className="columns">
      <Contents sections={sections} />
      <main id="main" tabIndex={-1}>
        <h1>
          {info.title} API <Badge>{info.version}</Badge>
        </h1>
        <p className="quiet">
          <Prose text={info.description} /> <a href={DOCUMENT}>OpenAPI document</a>
        </p>
        {sections.map(({ id, name, calls: own }) => (
          <section key={id}>
            <h2 id={id}>{name}</h2>
            {own.map((call) => (
              <CallArticle key={call.operationId} call={call} document={document} />
            ))}
          </section>
        ))}
        <section>
          <h2 id="schemas">Schemas</h2>
          {Object.entries(components.schemas).map(([name, schema]) => (
            <details key={name}>
              <summary>{name}</summary>
              <div id={`schema-${name}`}>
                <Schema schema={schema} />
              </div>
            </details>
          ))}
        </section>
        <section>
          <h2 id="errors">Errors</h2>
          <FactList facts={Object.entries(document['x-errors'])} />
        </section>
      </main>
    </div>
  );
}

const narrow = matchMedia('(max-width: 64rem)');
const subscribe = (changed: () => void) => {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
};

/** Open if there is room next to the calls; elsewhere they close behind their links. */
function Contents({ sections }: { readonly sections: readonly Section[] }) {
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches);
  const close = (event: MouseEvent<HTMLElement> | KeyboardEvent<HTMLElement>) => {
    const isAsked = 'key' in event ? event.key === 'Escape' : event.target instanceof HTMLAnchorElement;
    const details = event.currentTarget.querySelector('details');
    if (!isNarrow || !isAsked || details === null || !details.open) return;
    details.open = false;
    if ('key' in event) details.querySelector('summary')?.focus();
  };
  return (
    <nav className="contents" aria-label="Contents" onClick={close} onKeyDown={close}>
      <details open={!isNarrow}>
        <summary>Contents</summary>
        {sections.map(({ id, name, calls: own }) => (
          <section key={id}>
            <h2>
              <a href={`#${id}`}>{name}</a>
            </h2>
            <ul>
              {own.map((call) => (
                <li key={call.operationId}>
                  <a href={`#${call.operationId}`} title={call.summary}>
                    <Method call={call} /> <Breakable text={call.url.replace(/^\/v1/, '')} />
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <h2>
          <a href="#schemas">Schemas</a>
        </h2>
        <h2>
          <a href="#errors">Errors</a>
        </h2>
      </details>
    </nav>
  );
}
