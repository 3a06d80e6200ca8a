import { html } from 'hono/html';
import type { NetworkPages } from '../../network-pages.ts';
import type { ContractModule } from '../openapi.ts';
import { TITLES } from '../problem.ts';
import { type ApiDocument, type Call, type Content, callsOf, type Json, type Parameter } from './document.ts';
import { asSentence, breakable, type Html, prose } from './html.ts';
import { bodyOf, curlHtml, exampleValue, typedCalls, typescriptHtml } from './sample.ts';
import { componentHtml, constraintsHtml, schemaHtml, typeHtml } from './schema-html.ts';
import { LOGO } from './style.ts';

/*
 * The document as one page that can be read without scripts; a small one lets the reader copy and try. Readers of OpenAPI
 * from the registry need inline styles, `eval` or another host, which the content security policy of our pages rules out.
 */

/**
 * @param contracts Modules from which clients import the contracts of some of its calls.
 * @param pages For the menu.
 */
export function referencePage(
  document: ApiDocument,
  contracts: readonly ContractModule[],
  pages: NetworkPages | undefined,
): Html {
  const { info, tags, components } = document;
  const calls = callsOf(document);
  const typed = typedCalls(contracts);
  const sections = tags.map(({ name }, index) => ({
    ...{ id: `section-${index}`, name },
    calls: calls.filter((call) => call.tags.includes(name)),
  }));
  const schemas = Object.entries(components.schemas);
  const shown = (call: Call) => {
    const body = bodyOf(call, document);
    const typescript = typescriptHtml(call, typed.get(`${call.method} ${call.url}`), body);
    return callHtml(call, { body, curl: curlHtml(call, body), typescript });
  };
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title><meta name="color-scheme" content="light dark"><meta name="description" content="${info.description}">
<link rel="stylesheet" href="/docs/style.css"><link rel="icon" href="/docs/icon.svg"><script src="/docs/script.js"></script></head>
<body>${headerHtml(pages)}
<div class="page"><nav class="contents" aria-label="Contents"><details class="fold" open><summary>Contents</summary>
${sections.map(({ id, name, calls }) => html`<h2><a href="#${id}">${name}</a></h2><ul>${calls.map(entryHtml)}</ul>`)}
<h2><a href="#schemas">Schemas</a></h2><h2><a href="#errors">Errors</a></h2></details></nav>
<main id="main" tabindex="-1"><h1>${info.title} API <small class="tag">${info.version}</small></h1><p>${prose(info.description)} <a href="/v1/openapi.json">OpenAPI document</a></p>
<noscript><p class="note">In the examples, NODE stands for the host and port of this page.</p></noscript>
${sections.map(({ id, name, calls }) => html`<section><h2 id="${id}">${name}</h2>${calls.map(shown)}</section>`)}
<section><h2 id="schemas">Schemas</h2>${schemas.map(([name, schema]) => html`<details class="schema"><summary>${name}</summary><div id="schema-${name}">${componentHtml(schema as Json)}</div></details>`)}</section>
<section><h2 id="errors">Errors</h2><table><thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${Object.entries(TITLES).map(([status, title]) => html`<tr><td><code>${status}</code></td><td>${title}</td></tr>`)}</tbody></table></section>
</main></div>
<footer hidden><label>Colours <select data-choice><option>system</option><option>light</option><option>dark</option></select></label></footer></body></html>
`;
}

/** The head of every page of ours; its menu has the pages of the network. A process without one has no page at `/`. */
function headerHtml(pages: NetworkPages | undefined): Html {
  const links = pages?.pages.map(({ title, url }) => html`<li><a href="${url}">${title}</a></li>`) ?? [];
  const network = pages === undefined ? '' : html`<strong class="place">${pages.network}</strong>`;
  const menu = html`<nav class="menu" aria-label="Pages of this network"><details class="fold" open><summary>Menu</summary><ul>${links}</ul></details></nav>`;
  return html`<header><a class="skip" href="#main">To the content</a><a class="brand" href="${pages === undefined ? '/docs' : '/'}"><svg class="logo" viewBox="0 0 24 24" aria-hidden="true"><path d="${LOGO}"/></svg>Switchyard</a>${network}${links.length === 0 ? '' : menu}</header>`;
}

function entryHtml({ operationId, method, url, summary }: Call): Html {
  return html`<li><a href="#${operationId}" title="${summary}"><b class="${method}">${method.toUpperCase()}</b> <span>${breakable(url.replace(/^\/v1/, ''))}</span></a></li>`;
}

interface Samples {
  readonly body: string | undefined;
  readonly curl: Html;
  readonly typescript: Html;
}

function callHtml(call: Call, { body, curl, typescript }: Samples): Html {
  const { operationId, method, url, summary, description, responses } = call;
  return html`<article id="${operationId}"><div class="prose">
<h3><a href="#${operationId}">${prose(summary)}</a></h3>
<p class="address"><b class="${method}">${method.toUpperCase()}</b> <code>${url}</code></p>
${description === undefined ? '' : html`<p>${prose(asSentence(description))}</p>`}
${parametersHtml(call)}
<details class="answers"><summary>Answers</summary><ul class="members">${Object.entries(responses).map(
    ([status, { description: text, content }]) =>
      html`<li><code class="name">${status}</code> ${prose(text)} ${contentHtml(content)}</li>`,
  )}</ul></details></div>
<div class="samples">${sampleHtml('curl', curl)}${sampleHtml('TypeScript', typescript)}
${tryHtml(call, body)}</div></article>`;
}

const sampleHtml = (name: string, sample: Html) =>
  html`<details class="sample"${name === 'curl' ? ' open' : ''}><summary>${name}</summary><div class="code"><pre tabindex="0" aria-label="Example with ${name}">${sample}</pre></div></details>`;

function contentHtml(content: Content): Html {
  return html`${Object.entries(content).map(([type, { schema }]) => html`<small class="fact">${type}</small> ${schemaHtml(schema)}`)}`;
}

function parametersHtml({ parameters, requestBody }: Call): Html {
  const rows = parameters.map(
    ({ name, in: place, required, description = '', schema }) =>
      html`<tr><td><code class="name">${name}</code><br><small>${place}${required ? '' : ', optional'}</small></td><td>${typeHtml(schema)}${constraintsHtml(schema)}${description === '' ? '' : html`<p>${prose(description)}</p>`}</td></tr>`,
  );
  const forms = new Map<string, { readonly types: string[]; readonly schema: Json }>();
  for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
    const key = JSON.stringify(schema);
    const form = forms.get(key) ?? { types: [], schema };
    forms.set(key, form);
    form.types.push(type);
  }
  const bodies = Array.from(
    forms.values(),
    ({ types, schema }) =>
      html`<tr><td>body${types.map((type) => html`<br><small>${breakable(type)}</small>`)}</td><td>${schemaHtml(schema)}</td></tr>`,
  );
  if (rows.length + bodies.length === 0) return html``;
  return html`<table><thead><tr><th scope="col">Parameter</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}${bodies}</tbody></table>`;
}

/** Hidden until the script of the page is there. A body of bytes alone cannot be typed. */
function tryHtml(call: Call, body: string | undefined): Html {
  const { operationId, method, url, parameters, requestBody } = call;
  if (requestBody !== undefined && body === undefined) return html``;
  const input = (parameter: Parameter) => {
    const { name, in: place, required, schema } = parameter;
    const id = `${operationId}-${name}`;
    const hint = schema.default === undefined ? (required ? '' : 'optional') : String(schema.default);
    return html`<label for="${id}">${name}</label><input id="${id}" name="${name}" data-in="${place}" value="${exampleValue(parameter)}" placeholder="${hint}" autocomplete="off" autocapitalize="off" spellcheck="false"${required ? ' required' : ''}>`;
  };
  const id = `${operationId}-body`;
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method.toUpperCase()}" data-url="${url}">${parameters.map(input)}
${body === undefined ? '' : html`<label for="${id}">Body</label><textarea id="${id}" rows="6" spellcheck="false">${body}</textarea>`}
<p><button>Send</button> <button type="button" class="plain" hidden>Stop</button> <span role="status"></span></p></form>
<pre class="answer" tabindex="0" aria-label="Answer" hidden></pre></details>`;
}
