import { didYouMean } from '@switchyard/service/settings';
import { ACTIONS, type ActionName } from './actions.ts';
import type { Model } from './model.ts';

/** A line that was typed after `:`. */
export type Command =
  | { readonly ok: true; readonly action: ActionName; readonly argument?: string | undefined }
  | { readonly ok: false; readonly reason: string };

/** Actions that have a word: an action that only ends the line itself, or edits it, would have no use there. */
const WORDS: readonly ActionName[] = [...new Set(ACTIONS.map(({ name }) => name))].filter((name) => name !== 'command');

/** Parses `restart composer`, `filter warn`, `composer`. Any beginning that only one word or service has stands for it. */
export function parseCommand(model: Pick<Model, 'panes'>, line: string): Command {
  const [word = ''] = line.trim().split(/\s/, 1);
  const rest = line.trim().slice(word.length).trim();
  const services = model.panes.map(({ name }) => name);
  const found = oneOf(word, WORDS);
  if (found === undefined) {
    const service = rest === '' ? oneOf(word, services) : undefined;
    if (service !== undefined) return { ok: true, action: 'go', argument: service };
    return refused(word, [...WORDS, ...services], 'action or service');
  }
  const takes = ACTIONS.find(({ name }) => name === found)?.takes;
  if (takes === 'text') return { ok: true, action: found, argument: rest };
  if (rest === '')
    return found === 'go' ? { ok: false, reason: 'go: expected a service' } : { ok: true, action: found };
  if (takes === undefined) return { ok: false, reason: `${found}: takes no argument, got ${rest}` };
  const service = oneOf(rest, services);
  return service === undefined ? refused(rest, services, 'service') : { ok: true, action: found, argument: service };
}

function refused(word: string, names: readonly string[], kind: string): Command {
  const several = names.filter((name) => name.startsWith(word));
  if (word === '' || several.length === 0)
    return { ok: false, reason: `${word}: no such ${kind}${didYouMean(word, names)}` };
  return { ok: false, reason: `${word}: which ${kind}: ${several.join(', ')}?` };
}

function oneOf<T extends string>(word: string, names: readonly T[]): T | undefined {
  const exact = names.find((name) => name === word);
  const starts = word === '' ? [] : names.filter((name) => name.startsWith(word));
  return exact ?? (starts.length === 1 ? starts[0] : undefined);
}

/** Words that may stand for the last one of a line; none if a text is expected. */
export function candidates(model: Pick<Model, 'panes'>, line: string): readonly string[] {
  const [, word = '', gap = '', rest = ''] = /^(\S*)(\s*)(.*)$/s.exec(line.trimStart()) ?? [];
  const services = model.panes.map(({ name }) => name);
  if (gap === '') return [...WORDS, ...services].filter((name) => name.startsWith(word));
  const action = oneOf(word, WORDS);
  if (ACTIONS.find(({ name }) => name === action)?.takes !== 'service') return [];
  return services.filter((name) => name.startsWith(rest));
}

/** The line with its last word as long as all candidates agree; with a blank after the only one. */
export function completed(model: Pick<Model, 'panes'>, line: string): string {
  const all = candidates(model, line);
  const [first] = all;
  if (first === undefined) return line;
  let agreed = first;
  for (const name of all) while (!name.startsWith(agreed)) agreed = agreed.slice(0, -1);
  const before = line.slice(0, line.length - (/\S*$/.exec(line)?.[0].length ?? 0));
  const isAction = before.trim() === '' && ACTIONS.some(({ name, takes }) => name === first && takes !== undefined);
  return before + agreed + (all.length === 1 && isAction ? ' ' : '');
}
