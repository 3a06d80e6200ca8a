import type { SupervisorEvent } from '../dev/supervisor/events.ts';
import { ACTS, only, type Updated } from './acting.ts';
import { actionFor } from './actions.ts';
import { isCheck } from './checks.ts';
import type { NetworkFacts } from './facts.ts';
import { levelOf } from './filter.ts';
import type { Key } from './keys.ts';
import { lifeLine } from './life-lines.ts';
import type { LogLine } from './log-buffer.ts';
import type { AboutItem, LastError, Model, PaneStatus, Size } from './model.ts';
import { typed } from './prompt.ts';

/** Everything that can happen to the UI. Times of the day are in milliseconds since the Unix epoch. */
export type Input =
  | { readonly kind: 'key'; readonly key: Key; readonly at: number }
  | { readonly kind: 'event'; readonly event: SupervisorEvent; readonly at: number }
  | { readonly kind: 'status'; readonly services: readonly (PaneStatus & { readonly name: string })[] }
  | { readonly kind: 'facts'; readonly facts: Partial<NetworkFacts> }
  | { readonly kind: 'about'; readonly items: readonly AboutItem[] }
  | { readonly kind: 'size'; readonly size: Size }
  /** `at` is on the monotonic clock, as that of a key; `timeOfDay` for the log. */
  | { readonly kind: 'notice'; readonly text: string; readonly at: number; readonly timeOfDay: number };

/** The next state. Lines are appended to the mutable logs; everything else is a new model. */
export function update(model: Model, input: Input): Updated {
  switch (input.kind) {
    case 'key':
      return pressed(
        { ...model, now: input.at, notice: model.notice?.isReply === true ? undefined : model.notice },
        input.key,
      );
    case 'event':
      return only(appended(model, input.event, input.at));
    case 'status': {
      const statuses = new Map(input.services.map((status) => [status.name, status]));
      return only({
        ...model,
        panes: model.panes.map((pane) => ({ ...pane, status: statuses.get(pane.name) ?? pane.status })),
      });
    }
    case 'facts':
      return only({ ...model, facts: { ...model.facts, ...input.facts } });
    case 'about':
      return only({ ...model, about: input.items });
    case 'size':
      return only({ ...model, size: input.size });
    case 'notice':
      model.merged.push({ service: 'switchyard', text: input.text, at: input.timeOfDay, kind: 'life' });
      return only({ ...model, notice: { text: input.text, at: input.at } });
  }
}

function appended(model: Model, event: SupervisorEvent, at: number): Model {
  const line = event.kind === 'line' ? outputLine(event, at) : lifeLine(event, at);
  const log = model.panes.find(({ name }) => name === event.service)?.log;
  const lastError = log === undefined ? undefined : errorIn(line, log.end);
  log?.push(line);
  model.merged.push(line);
  return lastError === undefined ? model : { ...model, lastError };
}

const outputLine = ({ service, text }: { service: string; text: string }, at: number): LogLine => ({
  ...{ service, text, at, kind: 'output' },
  ...(isCheck(text) && { isCheck: true }),
});

function errorIn({ service, text, at, kind }: LogLine, number: number): LastError | undefined {
  const level = kind === 'output' ? levelOf(text) : undefined;
  const isError = kind === 'bad' || level === 'error' || level === 'fatal';
  return isError ? { service, text, at, number, isSeen: false } : undefined;
}

function pressed(model: Model, key: Key): Updated {
  const pressedKey = 'name' in key ? key.name : key.char;
  if (model.prompt !== undefined && pressedKey !== 'ctrl-c') return typed(model, model.prompt, key);
  const action = actionFor(model, pressedKey);
  return action === undefined ? only(model) : ACTS[action](model, { key: pressedKey });
}
