import { Fragment } from 'react';

/** Text of a description: text between backticks is code. */
export function Prose({ text }: { readonly text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text are known by their position
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** A path or a media type, which may have line breaks at slashes. */
export function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?=\/)/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text are known by their position
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
