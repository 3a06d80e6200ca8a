/** A part of a sentence: words of ours, or a thing that is shown in a form of its own. */
export type Part =
  | string
  /** An identity with its page. `name` may be chosen by anyone, so it stands alongside the identity. */
  | { readonly kind: 'id'; readonly text: string; readonly to?: string | undefined; readonly name?: string | undefined }
  /** A name that leads to a page. */
  | { readonly kind: 'link'; readonly text: string; readonly to: string }
  | { readonly kind: 'amount'; readonly text: string }
  /** An amount in the smallest unit of the asset that a bridge account takes. */
  | { readonly kind: 'paid'; readonly bridge: string; readonly units: string }
  /** Words that a user wrote. */
  | { readonly kind: 'quote'; readonly text: string };

/** A verb with its objects: `sent 5 RIA to bob`, or after `tried to`: `send 5 RIA to bob`. */
export interface Clause {
  readonly past: string;
  readonly infinitive: string;
  readonly objects: readonly Part[];
}

export const clause = (past: string, infinitive: string, ...objects: readonly Part[]): Clause => ({
  past,
  infinitive,
  objects,
});

/** A sentence names this many deeds, and counts the rest. */
const MAX_CLAUSES = 3;

/**
 * One sentence about a transaction.
 *
 * @param count Deeds in all, if there are more than the clauses.
 * @param isDone False for a transaction that had no effect.
 */
export function sentence(who: Part, clauses: readonly Clause[], isDone: boolean, count = clauses.length): Part[] {
  const named = clauses.slice(0, MAX_CLAUSES);
  const rest = Math.max(count, clauses.length) - named.length;
  const parts: Part[] = [who, isDone ? ' ' : ' tried to '];
  for (const [index, { past, infinitive, objects }] of named.entries()) {
    const isLast = index === named.length - 1 && rest === 0;
    parts.push(index === 0 ? '' : isLast ? ' and ' : ', ', isDone ? past : infinitive, ...spaced(objects));
  }
  if (rest > 0) parts.push(` and ${rest} more ${rest === 1 ? 'action' : 'actions'}`);
  return merged(parts);
}

const spaced = (objects: readonly Part[]): Part[] => (objects.length === 0 ? [] : [' ', ...objects]);

/** Neighbouring words as one part, so that a reader of a test sees the sentence. */
function merged(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part;
    else if (part !== '') all.push(part);
  }
  return all;
}

/** `a fee change`, `an ibc relayer change`. */
export const withArticle = (words: string): string => `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
