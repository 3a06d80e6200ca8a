import { useMemo, useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { CopyButton } from '../ui/copy.tsx';
import type { ApiDocument, Call, Content } from './document.ts';
import { asSentence, Breakable, Prose } from './prose.tsx';
import { curl, firstValues, typescript } from './samples.ts';
import { Schema } from './schema.tsx';
import { Try } from './try.tsx';

/** A call with its parameters and answers, examples that follow its form, and the form. */
export function CallArticle({ call, document }: { readonly call: Call; readonly document: ApiDocument }) {
  const { operationId, url, summary, description, requestBody } = call;
  const first = useMemo(() => firstValues(call, document), [call, document]);
  const [values, changed] = useState(first);
  // A body of bytes alone cannot be typed.
  const canBeTried = requestBody === undefined || first.body !== undefined;
  return (
    <article id={operationId}>
      <div>
        <h3>
          <a href={`#${operationId}`}>
            <Prose text={summary} />
          </a>
        </h3>
        <p className="row address">
          <Method call={call} /> <code>{url}</code>
        </p>
        {description !== undefined && (
          <p>
            <Prose text={asSentence(description)} />
          </p>
        )}
        <Parameters call={call} />
        <Answers call={call} />
      </div>
      <div>
        <Sample name="curl" text={curl(call, values, location.origin)} isOpen />
        <Sample name="TypeScript" text={typescript(call, values, location.origin)} />
        {canBeTried && <Try call={call} first={first} changed={changed} />}
      </div>
    </article>
  );
}

export const Method = ({ call: { method } }: { readonly call: Call }) => (
  <Badge tone={method === 'get' ? 'good' : 'warn'}>{method.toUpperCase()}</Badge>
);

interface SampleProps {
  readonly name: string;
  readonly text: string;
  readonly isOpen?: boolean;
}

function Sample({ name, text, isOpen = false }: SampleProps) {
  return (
    <details className="sample card" open={isOpen}>
      <summary>{name}</summary>
      <CopyButton text={text} what={`the example with ${name}`} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}

const Parameters = ({ call: { parameters, requestBody } }: { readonly call: Call }) =>
  (parameters.length > 0 || requestBody !== undefined) && (
    <ul className="members" aria-label="Parameters">
      {parameters.map(({ name, in: kind, required, description, schema }) => (
        <li key={name}>
          <code>{name}</code> <small>{`${kind}${required ? '' : ', optional'}`}</small>
          <Schema schema={{ description, ...schema }} />
        </li>
      ))}
      {requestBody !== undefined && (
        <li>
          <strong>body</strong> <Contents content={requestBody.content} />
        </li>
      )}
    </ul>
  );

const Answers = ({ call }: { readonly call: Call }) => (
  <details>
    <summary>Answers</summary>
    <ul className="members">
      {Object.entries(call.responses).map(([status, { description, content }]) => (
        <li key={status}>
          <code>{status}</code> <Prose text={description} /> <Contents content={content} />
        </li>
      ))}
    </ul>
  </details>
);

/** Media types that have one schema stand together. */
function Contents({ content }: { readonly content: Content }) {
  const types = new Map<string, string[]>();
  for (const [type, { schema }] of Object.entries(content)) {
    const key = JSON.stringify(schema);
    types.set(key, [...(types.get(key) ?? []), type]);
  }
  return Array.from(types, ([key, all]) => (
    <div key={key}>
      <small>
        <Breakable text={all.join(', ')} />
      </small>{' '}
      <Schema schema={JSON.parse(key)} />
    </div>
  ));
}
