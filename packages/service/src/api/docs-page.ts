import type { openApiDocument } from './openapi.ts';
import { TITLES } from './problem.ts';

/*
 * The document as one static page without scripts: readers of OpenAPI from the registry need inline styles, `eval` or
 * another host, which the content security policy of our pages rules out.
 */

type Document = ReturnType<typeof openApiDocument>;
type Json = Readonly<Record<string, unknown>>;

export function docsPage(document: Document): string {
  const { info, tags, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ url, method, operation: operation as Operation })),
  );
  const sections = tags.map(
    ({ name }) =>
      `<section><h2>${escaped(name)}</h2>${operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ url, method, operation }) => operationHtml(url, method, operation))
        .join('')}</section>`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<article id="schema-${escaped(name)}"><h3>${escaped(name)}</h3>${schemaHtml(schema)}</article>`,
  );
  const statuses = Object.entries(TITLES).map(([status, title]) => `<li><code>${status}</code> ${escaped(title)}</li>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)}</title><link rel="stylesheet" href="/docs/style.css"></head>
<body><header><h1>${escaped(info.title)} <small>${escaped(info.version)}</small></h1><p>${escaped(info.description)}</p>
<p><a href="/v1/openapi.json">OpenAPI document</a></p></header>
<main>${sections.join('')}<section><h2>Schemas</h2>${schemas.join('')}</section>
<section><h2>Errors</h2><ul>${statuses.join('')}</ul></section></main></body></html>
`;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content: Readonly<Record<string, { readonly schema: unknown }>> }
    >
  >;
}

function operationHtml(url: string, method: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const rows = parameters.map(
    ({ name, in: place, required, description: text = '', schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td>${escaped(text)} ${schemaHtml(schema)}</td></tr>`,
  );
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) =>
      `<tr><td>body</td><td><code>${escaped(type)}</code></td><td>${schemaHtml(schema)}</td></tr>`,
  );
  const answers = Object.entries(responses).map(
    ([status, { description: text, content }]) =>
      `<tr><td><code>${status}</code></td><td>${escaped(text)}</td><td>${Object.entries(content)
        .map(([type, { schema }]) => `<code>${escaped(type)}</code> ${schemaHtml(schema)}`)
        .join('<br>')}</td></tr>`,
  );
  return `<article id="${escaped(operationId)}"><h3><b class="${method}">${method.toUpperCase()}</b> <code>${escaped(url)}</code></h3>
<p>${escaped(summary)}${description === undefined ? '' : `. ${escaped(description)}`}</p>
${rows.length + bodies.length === 0 ? '' : `<table>${rows.join('')}${bodies.join('')}</table>`}
<details><summary>Answers</summary><table>${answers.join('')}</table></details></article>`;
}

function schemaHtml(schema: unknown): string {
  const { $ref: ref, properties, required = [], items, ...rest } = (schema ?? {}) as Json;
  if (typeof ref === 'string') {
    const name = ref.slice(ref.lastIndexOf('/') + 1);
    return `<a href="#schema-${escaped(name)}">${escaped(name)}</a>`;
  }
  if (items !== undefined) return `list of ${schemaHtml(items)}`;
  for (const union of [rest.oneOf, rest.anyOf]) {
    if (Array.isArray(union)) return `${described(rest)}${union.map(schemaHtml).join(' or ')}`;
  }
  if (typeof properties !== 'object' || properties === null) return `${described(rest)}${constraints(rest)}`;
  const rows = Object.entries(properties).map(
    ([name, each]) =>
      `<tr><td><code>${escaped(name)}</code>${(required as string[]).includes(name) ? '' : ' (optional)'}</td><td>${schemaHtml(each)}</td></tr>`,
  );
  return `${described(rest)}<table>${rows.join('')}</table>`;
}

function described({ description }: Json): string {
  return typeof description === 'string' ? `${escaped(description)} ` : '';
}

function constraints({ description: _, ...rest }: Json): string {
  const parts = Object.entries(rest).map(([name, value]) =>
    name === 'type' ? String(value) : `${name} ${JSON.stringify(value)}`,
  );
  return `<small>${escaped(parts.join(', '))}</small>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export const DOCS_STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:0 auto;padding:1rem}
article{border-top:1px solid #8888;padding:.5rem 0}
h3{font-size:1rem;margin:.5rem 0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.875rem}
td{border:1px solid #8886;padding:.25rem .5rem;vertical-align:top;overflow-wrap:anywhere;min-width:4.5rem}
article{overflow-x:auto}
code{font-family:ui-monospace,monospace}
.get{color:light-dark(#0a5c2b,#7ee2a8)}
.post{color:light-dark(#1d4ea8,#9cc0ff)}
`;
