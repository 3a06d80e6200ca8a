import { html } from 'hono/html';

/* Parts of the page. Values are escaped by the template, without exception. */

export type Html = ReturnType<typeof html>;

/** Text of a description: what stands between backticks is code. */
export function prose(text: string): readonly (string | Html)[] {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** A path or a media type, which may have line breaks at slashes. */
export const breakable = (text: string): readonly Html[] =>
  text.split(/(?=\/)/).map((part, index) => html`${index === 0 ? '' : html`<wbr>`}${part}`);
