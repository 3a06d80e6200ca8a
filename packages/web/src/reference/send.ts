import { showHidden, showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import type { Call } from './document.ts';
import { requestHeaders, requestPath, type Values } from './samples.ts';

/** Characters of an answer that are shown; the rest is not read. */
const MAX_SHOWN = 65_536;
const MAX_INDENT = 16;

/** The progress of a call, in words, and as much of its answer as has come. */
export interface Shown {
  readonly status: string;
  readonly answer: string;
}

/** Sends a call to the process that serves the page. @param show Takes the state after each change, and is not called once the signal aborts. */
export async function send(
  call: Call,
  values: Values,
  signal: AbortSignal,
  show: (shown: Shown) => void,
): Promise<void> {
  const began = performance.now();
  let shown: Shown = { status: 'Waiting for the answer', answer: '' };
  const note = (change: Partial<Shown>) => {
    shown = { ...shown, ...change };
    show(shown);
  };
  note({});
  try {
    const response = await fetch(
      requestPath(call, values, () => ''),
      {
        method: call.method.toUpperCase(),
        headers: requestHeaders(call, values),
        ...(values.body !== undefined && { body: values.body }),
        mode: 'same-origin',
        credentials: 'omit',
        redirect: 'error',
        cache: 'no-store',
        signal,
      },
    );
    const status = `${response.status} ${response.statusText}`.trim();
    const head = `${status}, ${Math.round(performance.now() - began)} ms`;
    note({ status: head });
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const { text, isCut } = await read(response, (soFar) => {
      if (!isJson) note({ answer: visible(soFar) });
    });
    note({
      status: isCut ? `${head}; the first ${MAX_SHOWN} characters` : head,
      answer: isJson ? showHiddenInJson(indented(text)) : visible(text),
    });
  } catch (error) {
    const isBegun = /^\d/.test(shown.status);
    const stopped = isBegun ? `${shown.status}; stopped` : 'stopped';
    note({ status: signal.aborted ? stopped : `No answer: ${String(error)}` });
  }
}

const visible = (text: string) => text.replaceAll(/[^\n\t]+/g, (line) => showHidden(line));

/** Text of an answer as it comes, and whether there was more than is shown. */
async function read(
  response: Response,
  more: (text: string) => void,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return { text, isCut: false };
    text += value;
    if (text.length > MAX_SHOWN) {
      await reader?.cancel();
      return { text: text.slice(0, MAX_SHOWN), isCut: true };
    }
    more(text);
  }
}

/** JSON with a line for each member; its values are not read, so that large numbers stay exact. */
export function indented(text: string): string {
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(Math.min(Math.max(depth, 0), MAX_INDENT))}`;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"?|[[\]{},:]|\s+|[^\s"[\]{},:]+/gs, (token) => {
    if (token.trim() === '') return '';
    const isFirst = /^[[{]$/.test(before);
    before = token;
    if (/^[\]}]$/.test(token)) {
      depth -= 1;
      return isFirst ? token : `${line()}${token}`;
    }
    const start = isFirst ? line() : '';
    if (/^[[{]$/.test(token)) depth += 1;
    if (token === ',') return `,${line()}`;
    return token === ':' ? ': ' : `${start}${token}`;
  });
}
