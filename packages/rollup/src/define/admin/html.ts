import { html } from 'hono/html';
import { isNeeded, wordOf } from '../arguments.ts';
import type { Parameter } from '../contract.ts';

/* Parts of the page. Values are escaped by the template, whatever they are. */

export type Html = ReturnType<typeof html>;

export function page(title: string, content: Html | readonly Html[]): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="/admin/style.css"></head>
<body><header><a href="/admin">Rollup</a> <a href="/docs">API</a></header><main><h1>${title}</h1>${content}</main></body></html>`;
}

/** A form for values by their types; what was typed is there again. */
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
    input(
      `field.${name}`,
      name,
      typed,
      `${wordOf(parameter.type)}${isNeeded(parameter) ? '' : ', may be empty'}`,
      parameter.type.help,
    ),
  );
  return html`<form action="${action}" method="${method}">${inputs}${more}<button>${submit}</button></form>`;
}

export function input(name: string, label: string, typed: URLSearchParams, hint: string, help = ''): Html {
  return html`<label>${label} <small>${help === '' ? hint : `${help}; ${hint}`}</small><input name="${name}" value="${typed.get(name) ?? ''}" autocomplete="off" spellcheck="false"></label>`;
}

export function table(heads: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html {
  const cells = rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`);
  return html`<table><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr>${cells}</table>`;
}

export const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:0 auto;padding:1rem}
header a{margin-right:1rem}
table{border-collapse:collapse;width:100%;font-size:.875rem}
td,th{border:1px solid #8886;padding:.25rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
label{display:block;margin:.5rem 0}
input{display:block;width:100%;box-sizing:border-box;font:inherit}
button{font:inherit;padding:.25rem 1rem}
code,pre{font-family:ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
.wrong{border-left:4px solid #c33;padding-left:.5rem}
small{opacity:.8}
`;
