import { html } from 'hono/html';
import { findChoices, isNeeded, toWord } from '../arguments.ts';
import type { Parameter } from '../document.ts';

/* Parts of the page. Values are escaped by the template, without exception. */

export type Html = ReturnType<typeof html>;

/** It has the styles of the reference at `/docs`. */
export function page(title: string, rollup: string, content: Html | readonly Html[]): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="/docs/style.css"><link rel="stylesheet" href="/admin/style.css"><link rel="icon" href="/docs/favicon.svg"><script type="module" src="/admin/live.js"></script></head>
<body><header class="page-header"><div class="head-bar"><a class="brand" href="/admin"><img src="/docs/favicon.svg" alt="" width="24" height="24">${rollup}</a><a class="api" href="/docs">API</a></div></header><main><h1>${title}</h1>${content}</main></body></html>`;
}

/** A form for values by their types; with the previous input. */
export function form(options: {
  readonly action: string;
  readonly method: 'get' | 'post';
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly typed: URLSearchParams;
  readonly more?: readonly Html[];
  readonly submit: string;
}): Html {
  const { action, method, parameters, typed, more = [], submit } = options;
  const inputs = Object.entries(parameters).map(([name, parameter]) =>
    getInput(`field.${name}`, name, typed, parameter),
  );
  return html`<form class="card" action="${action}" method="${method}">${inputs}${more}<button name="asked">${submit}</button></form>`;
}

/** A switch for a bool, and a list to choose from for another type of few values. */
function getInput(name: string, label: string, typed: URLSearchParams, parameter: Parameter): Html {
  const { type } = parameter;
  const words = findChoices(type);
  const hint = `${toWord(type)}${isNeeded(parameter) ? '' : ', may be empty'}`;
  if (words === undefined) return input(name, label, typed, hint, type.help);
  if (isSwitch(parameter))
    return html`<label class="switch"><input type="checkbox" role="switch" name="${name}" value="true"${typed.get(name) === 'true' ? ' checked' : ''}> ${label} <small>${type.help}</small></label>`;
  const options = [...(isNeeded(parameter) ? [] : ['']), ...words].map(
    (word) => html`<option${typed.get(name) === word ? ' selected' : ''}>${word}</option>`,
  );
  return html`<label>${label} <small>${type.help}</small><select name="${name}">${options}</select></label>`;
}

/** A form does not send a switch that is off. */
export const isSwitch = (parameter: Parameter): boolean =>
  parameter.type.description.type === 'bool' && isNeeded(parameter);

export function input(name: string, label: string, typed: URLSearchParams, hint: string, help = ''): Html {
  return html`<label>${label} <small>${help === '' ? hint : `${help}; ${hint}`}</small><input name="${name}" value="${typed.get(name) ?? ''}" autocomplete="off" spellcheck="false"></label>`;
}

export function table(heads: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html {
  const cells = rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`);
  return html`<table><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr>${cells}</table>`;
}

/** Names with their meanings under a title, each as wide as the page; nothing if there are none. */
export function names(
  title: string,
  entries: readonly { readonly name: string; readonly help?: string }[],
): Html | string {
  if (entries.length === 0) return '';
  const kind = title.toLowerCase();
  const items = entries.map(
    ({ name, help = '' }) => html`<li><a class="name" href="/admin/${kind}/${name}">${name}</a><p>${help}</p></li>`,
  );
  return html`<h2>${title}</h2><ul class="members card">${items}</ul>`;
}

/** The part of a page that changes with each block, to that of the same page. */
export const live = (content: Html): Html => html`<div data-live="">${content}</div>`;

/** JSON that breaks behind commas. */
export const breakable = (json: string): readonly Html[] =>
  json.split(/(?<=,)/).map((part, at) => html`${at === 0 ? '' : html`<wbr>`}${part}`);

/** Behind that of the reference. */
export const STYLE = `form{max-width:var(--narrow)}
.api{margin-left:auto}
.members.card{padding:0 var(--space-4);font-size:inherit}
.members.card>li:first-child{border:0}
label{display:block;margin-bottom:var(--space-3);font-weight:600}
label small{font-weight:400}
label :is(input,select){margin-top:var(--space-1)}
input,select{width:100%;min-height:2.75rem;border-radius:var(--radius)}
table{margin:1rem 0}
main pre{margin:1rem 0;border:1px solid var(--hair);border-radius:var(--radius);background:var(--page);white-space:pre-wrap;overflow-wrap:anywhere}
.switch{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;min-height:2.75rem}
.switch input{appearance:none;margin:0;width:2.75rem;min-height:1.5rem;height:1.5rem;padding:.1875rem;border-radius:1rem;background:var(--soft);cursor:pointer}
.switch input::before{content:"";display:block;width:1rem;height:1rem;border-radius:50%;background:var(--line)}
.switch input:checked{background:var(--accent);border-color:var(--accent)}
.switch input:checked::before{background:var(--on-accent);transform:translateX(1.25rem)}
`;
