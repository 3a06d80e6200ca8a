import { eventText } from '@switchyard/network/supervisor/describe-event';
import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import { ACTS, only, type Updated } from './acting.ts';
import { actionFor } from './actions.ts';
import { completed, parseCommand } from './command-line.ts';
import { findLevel } from './filter.ts';
import type { Key } from './keys.ts';
import type { LogLine } from './log-buffer.ts';
import {
  type AboutItem,
  type LastError,
  type Model,
  NOTICE_MS,
  type PaneStatus,
  type Prompt,
  type Size,
} from './model.ts';
import type { UiFacts } from './polling.ts';

/** Everything that can happen to the UI. Times of the day are in milliseconds since the Unix epoch. */
export type Input =
  | { readonly kind: 'key'; readonly key: Key; readonly at: number }
  | { readonly kind: 'event'; readonly event: SupervisorEvent; readonly at: number }
  | { readonly kind: 'status'; readonly services: readonly (PaneStatus & { readonly name: string })[] }
  | { readonly kind: 'facts'; readonly facts: Partial<UiFacts> }
  | { readonly kind: 'about'; readonly items: readonly AboutItem[] }
  | { readonly kind: 'size'; readonly size: Size }
  /** `at` is on the monotonic clock, as that of a key; `timeOfDay` for the log. */
  | { readonly kind: 'notice'; readonly text: string; readonly at: number; readonly timeOfDay: number };

/** The next state. Lines are appended to the mutable logs; everything else is a new model. */
export function update(model: Model, input: Input): Updated {
  switch (input.kind) {
    case 'key':
      return pressed(model, input.key, input.at);
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
  const level = kind === 'output' ? findLevel(text) : undefined;
  const isError = kind === 'bad' || level === 'error' || level === 'fatal';
  return isError ? { service, text, at, number, isSeen: false } : undefined;
}

function pressed(before: Model, key: Key, now: number): Updated {
  const { notice } = before;
  const isConfirmed = notice?.asksToQuit === true && now - notice.at < NOTICE_MS;
  const model = { ...before, now, notice: notice?.isReply === true ? undefined : notice };
  const pressedKey = 'name' in key ? key.name : key.char;
  if (model.prompt !== undefined && pressedKey !== 'ctrl-c') return typed(model, model.prompt, key);
  const action = actionFor(model, pressedKey);
  return action === undefined ? only(model) : ACTS[action](model, { key: pressedKey, isConfirmed });
}

/** No pattern, no service and no command is as long. */
const MAX_TYPED = 1_000;

/** The next state when a key is pressed while something is typed. */
function typed(model: Model, prompt: Prompt, key: Key): Updated {
  const edited = (text: string) => only({ ...model, prompt: { ...prompt, text, problem: undefined } });
  if ('char' in key) return edited((prompt.text + key.char).slice(0, MAX_TYPED));
  switch (key.name) {
    case 'escape':
      return only({ ...model, prompt: undefined });
    case 'backspace':
      return edited([...prompt.text].slice(0, -1).join(''));
    case 'tab':
      return prompt.kind === 'command' ? edited(completed(model, prompt.text)) : only(model);
    case 'enter':
      return entered({ ...model, prompt: undefined }, prompt);
    default:
      return only(model);
  }
}

function entered(model: Model, prompt: Prompt): Updated {
  const { kind, text } = prompt;
  if (kind !== 'command') return ACTS[kind](model, { argument: text });
  if (text.trim() === '') return only(model);
  const command = parseCommand(model, text);
  if (!command.ok) return only({ ...model, prompt: { ...prompt, problem: command.reason } });
  return ACTS[command.action](model, { argument: command.argument });
}

type LifeEvent = Exclude<SupervisorEvent, { kind: 'line' }>;

/** The line about its lifecycle that the tool adds to a service's log. */
function lifeLine(event: LifeEvent, at: number): LogLine {
  return {
    service: event.service,
    text: `[switchyard] ${eventText(event)}`,
    at,
    kind: isBad(event) ? 'bad' : 'life',
  };
}

function isBad(event: LifeEvent): boolean {
  if (event.kind === 'exited') return event.exit.code !== 0;
  return event.kind === 'failed' || (event.kind === 'stopped' && event.killed);
}

/** Characters of a line in which a request is looked for. */
const MAX_MATCHED = 400;

/**
 * A request for one of the pages that this tool, the explorer and systems of monitoring ask again and again, as access logs of
 * most servers print it: `GET /healthz`, `method=GET url=/status`, `"path":"/metrics"`, or the health service of gRPC.
 */
const CHECK =
  /(?:\b(?:GET|HEAD)\b["' ]{1,3}|\b(?:url|uri|path|target|route)"?[=:] ?"?)(?:https?:\/\/[^/\s"]{1,80})?\/(?:healthz?|readyz?|livez|metrics|status|v1\/status|v1\/recent|v1\/posted|v1\/outcomes)(?=[\s"'?,&]|$)|\bgrpc\.health\.v1\.Health\b/;
/** A status of HTTP that is an error. */
const FAILED = /(?:[ =:"](?:status(?:_?code)?"?[=:] ?"?)| HTTP\/[\d.]{1,3}"? )[45]\d\d\b/i;

/** Whether a line only reports that a health check or a poll was answered. */
export function isCheck(line: string): boolean {
  const text = line.slice(0, MAX_MATCHED);
  if (!CHECK.test(text) || FAILED.test(text)) return false;
  const level = findLevel(text);
  return level !== 'warn' && level !== 'error' && level !== 'fatal';
}
