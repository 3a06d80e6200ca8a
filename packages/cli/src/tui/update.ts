import type { SupervisorEvent } from '../dev/supervisor/events.ts';
import { journeyKey, type NetworkFacts } from './facts.ts';
import { parseFilter } from './filter.ts';
import { lastListTop } from './frame.ts';
import type { Key } from './keys.ts';
import { scrollWindow } from './layout.ts';
import { lifeLine } from './life-lines.ts';
import { currentLog, type LogView, type Model, type PaneStatus, type Prompt, type Size, viewOf } from './model.ts';
import { selectedJourney } from './view/path.ts';
import { findLine, logText, scrolled } from './window.ts';

/** Everything that can happen to the UI. Times of the day are in milliseconds since the Unix epoch. */
export type Input =
  | { readonly kind: 'key'; readonly key: Key; readonly at: number }
  | { readonly kind: 'event'; readonly event: SupervisorEvent; readonly at: number }
  | { readonly kind: 'status'; readonly services: readonly (PaneStatus & { readonly name: string })[] }
  | { readonly kind: 'facts'; readonly facts: Partial<NetworkFacts> }
  | { readonly kind: 'about'; readonly lines: readonly string[] }
  | { readonly kind: 'size'; readonly size: Size }
  /** `at` is on the monotonic clock, as that of a key; `timeOfDay` for the log. */
  | { readonly kind: 'notice'; readonly text: string; readonly at: number; readonly timeOfDay: number };

/** Request of the UI. */
export type Effect =
  | { readonly kind: 'restart' | 'stop' | 'start'; readonly service: string }
  /** To the clipboard. */
  | { readonly kind: 'copy'; readonly text: string }
  | { readonly kind: 'quit'; readonly why: string };

export interface Updated {
  readonly model: Model;
  readonly effects: readonly Effect[];
}

/** The next state. Lines are appended to the mutable logs; everything else is a new model. */
export function update(model: Model, input: Input): Updated {
  switch (input.kind) {
    case 'key':
      return pressed({ ...model, now: input.at }, input.key);
    case 'event':
      append(model, input.event, input.at);
      return only(model);
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
      return only({ ...model, about: input.lines });
    case 'size':
      return only({ ...model, size: input.size });
    case 'notice':
      model.merged.push({ service: 'switchyard', text: input.text, at: input.timeOfDay, kind: 'life' });
      return only({ ...model, notice: { text: input.text, at: input.at } });
  }
}

const only = (model: Model): Updated => ({ model, effects: [] });

function append(model: Model, event: SupervisorEvent, at: number): void {
  const line =
    event.kind === 'line'
      ? { service: event.service, text: event.text, at, kind: 'output' as const }
      : lifeLine(event, at);
  model.panes.find(({ name }) => name === event.service)?.log.push(line);
  model.merged.push(line);
}

function pressed(model: Model, key: Key): Updated {
  if ('name' in key && key.name === 'ctrl-c') return quit(model, 'Ctrl+C');
  if (model.prompt !== undefined) return only(typed(model, model.prompt, key));
  return 'name' in key ? only(namedKey(model, key.name)) : characterKey(model, key.char);
}

function quit(model: Model, why: string): Updated {
  if (model.ending) return only(model);
  return { model: { ...model, ending: true, prompt: undefined }, effects: [{ kind: 'quit', why }] };
}

function characterKey(model: Model, char: string): Updated {
  const { screen } = model;
  const isFull = screen === 'full' || screen === 'merged';
  switch (char) {
    case 'q':
      return screen === 'main' ? quit(model, 'q') : only(back(model));
    case '?':
      return only(screen === 'help' ? back(model) : { ...model, screen: 'help', behind: screen, listTop: 0 });
    case 't':
      return only(screen === 'path' ? back(model) : opened(model, 'path'));
    case 'i':
      return only(screen === 'about' ? back(model) : opened(model, 'about'));
    case 'l':
      return only(screen === 'merged' ? back(model) : opened(model, 'merged'));
    case 'j':
      return only(moved(model, 1));
    case 'k':
      return only(moved(model, -1));
    case 'c':
      return copied(model);
  }
  if (screen !== 'main' && !isFull) return only(model);
  switch (char) {
    case 'a':
    case ' ':
      return only(followed(model));
    case 'w':
      return only({ ...model, wrap: !model.wrap });
    case 'T':
      return only({ ...model, times: !model.times });
    case 'b':
      return only(isFull ? { ...model, borderless: !model.borderless } : model);
    case 'v':
      return only(screen === 'main' ? { ...model, layout: model.layout === 'list' ? 'panes' : 'list' } : model);
    case 'm':
      return only(screen === 'main' && model.layout === 'panes' ? folded(model) : model);
    case '0':
      return only(isFull ? jumped(model, 'head') : model);
    case '1':
      return only(isFull ? jumped(model, 'tail') : model);
    case 'g':
      return only(jumped(model, 'head'));
    case 'G':
      return only(jumped(model, 'newest'));
    case '/':
      return only({ ...model, prompt: { kind: 'search', text: '' } });
    case 'f':
      return only({ ...model, prompt: { kind: 'filter', text: '' } });
    case 'n':
      return only(found(model, -1));
    case 'N':
      return only(found(model, 1));
    case 'r':
    case 's':
      return serviceKey(model, char);
    default:
      return only(model);
  }
}

function serviceKey(model: Model, char: 'r' | 's'): Updated {
  const pane = model.screen === 'merged' ? undefined : model.panes[model.selected];
  if (pane === undefined || model.ending) return only(model);
  const { state } = pane.status;
  const isDown = state === 'stopped' || state === 'failed' || state === 'finished';
  const kind = char === 'r' ? 'restart' : isDown ? 'start' : 'stop';
  return { model, effects: [{ kind, service: pane.name }] };
}

function namedKey(model: Model, name: Exclude<Key, { char: string }>['name']): Model {
  const isLog = model.screen === 'main' || model.screen === 'full' || model.screen === 'merged';
  const page = () => Math.max(1, scrollWindow(model).rows - 1);
  switch (name) {
    case 'up':
      return moved(model, -1);
    case 'down':
      return moved(model, 1);
    case 'page-up':
      return isLog ? scrolledBy(model, -page()) : moved(model, -page());
    case 'page-down':
      return isLog ? scrolledBy(model, page()) : moved(model, page());
    case 'home':
      return isLog ? jumped(model, 'head') : model;
    case 'end':
      return isLog ? jumped(model, 'newest') : model;
    case 'enter':
    case 'tab':
      if (model.screen === 'path') return { ...model, details: !model.details };
      return model.screen === 'main' && model.panes.length > 0 ? { ...model, screen: 'full' } : model;
    case 'escape':
      return back(model);
    case 'backspace':
    case 'ctrl-c':
      return model;
  }
}

function moved(model: Model, by: number): Model {
  const { screen, panes, selected, listTop, facts } = model;
  switch (screen) {
    case 'main':
      return panes.length === 0 ? model : { ...model, selected: (selected + by + panes.length) % panes.length };
    case 'path': {
      const index = Math.max(0, Math.min(facts.path.length - 1, selectedJourney(model) + by));
      const journey = facts.path[index];
      // The first row stands for whatever is newest.
      return { ...model, journey: journey === undefined || index === 0 ? undefined : journeyKey(journey) };
    }
    case 'about':
    case 'help':
      return { ...model, listTop: Math.max(0, Math.min(lastListTop(model), listTop + by)) };
    case 'full':
    case 'merged':
      return scrolledBy(model, by);
  }
}

/** Moves the current log and no other one. Scrolling past its end follows it again. */
function scrolledBy(model: Model, by: number): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  const { name, log } = current;
  const anchor = scrolled(log, viewOf(model, name), by, scrollWindow(model));
  const isAtEnd = by > 0 && anchor.kind === 'end' && anchor.number >= log.end;
  return withView(model, name, { anchor: isAtEnd ? undefined : anchor });
}

/** Closes what was opened; in the main view, ends a search and then a filter. */
function back(model: Model): Model {
  if (model.screen === 'help') return { ...model, screen: model.behind, listTop: 0 };
  if (model.screen !== 'main') return { ...model, screen: 'main', listTop: 0 };
  const current = currentLog(model);
  if (current === undefined) return model;
  const { search } = viewOf(model, current.name);
  return withView(model, current.name, search === undefined ? { filter: undefined } : { search: undefined });
}

function opened(model: Model, screen: 'path' | 'merged' | 'about'): Model {
  return { ...model, screen, listTop: 0 };
}

function folded(model: Model): Model {
  const panes = model.panes.map((pane, index) => (index === model.selected ? { ...pane, folded: !pane.folded } : pane));
  return { ...model, panes };
}

/** Pauses the current log where it is, or follows its newest line again. */
function followed(model: Model): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  const { name, log } = current;
  const isPaused = viewOf(model, name).anchor !== undefined;
  return withView(model, name, { anchor: isPaused ? undefined : { kind: 'end', number: log.end } });
}

function copied(model: Model): Updated {
  const { screen, facts } = model;
  const current = currentLog(model);
  if (screen === 'path') {
    const journey = facts.path[selectedJourney(model)];
    return journey === undefined ? only(model) : copy(model, journey.outcome?.hash ?? journey.hash, 'the hash');
  }
  if (current === undefined || (screen !== 'full' && screen !== 'merged')) return only(model);
  const { text, lines } = logText(current.log, viewOf(model, current.name));
  return copy(model, text, `${lines} ${lines === 1 ? 'line' : 'lines'}`);
}

function copy(model: Model, text: string, what: string): Updated {
  const notice = { text: `${what} copied, where the terminal lets programs do that (OSC 52)`, at: model.now };
  return { model: { ...model, notice }, effects: [{ kind: 'copy', text }] };
}

function withView(model: Model, name: string, change: Partial<LogView>): Model {
  return { ...model, views: { ...model.views, [name]: { ...viewOf(model, name), ...change } } };
}

/** To the first page, to the last one and stay there, or to the newest line and follow. */
function jumped(model: Model, where: 'head' | 'tail' | 'newest'): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  const { name, log } = current;
  const anchors = {
    head: { kind: 'top', number: log.first },
    tail: { kind: 'end', number: log.end },
    newest: undefined,
  } as const;
  return withView(model, name, { anchor: anchors[where] });
}

function typed(model: Model, prompt: Prompt, key: Key): Model {
  if ('char' in key) return { ...model, prompt: { ...prompt, text: prompt.text + key.char, problem: undefined } };
  switch (key.name) {
    case 'escape':
      return { ...model, prompt: undefined };
    case 'backspace':
      return { ...model, prompt: { ...prompt, text: [...prompt.text].slice(0, -1).join(''), problem: undefined } };
    case 'enter':
      return prompt.kind === 'search' ? searched(model, prompt.text) : filtered(model, prompt);
    default:
      return model;
  }
}

function filtered(model: Model, prompt: Prompt): Model {
  const current = currentLog(model);
  const parsed = parseFilter(prompt.text);
  if (!parsed.ok) return { ...model, prompt: { ...prompt, problem: parsed.reason } };
  if (current === undefined) return { ...model, prompt: undefined };
  return withView({ ...model, prompt: undefined }, current.name, { filter: parsed.filter });
}

/** Goes to the newest line with the query, above what is at the bottom now. */
function searched(model: Model, query: string): Model {
  const current = currentLog(model);
  const asked = { ...model, prompt: undefined };
  if (current === undefined) return asked;
  if (query === '') return withView(asked, current.name, { search: undefined });
  return found(withView(asked, current.name, { search: { query } }), -1);
}

function found(model: Model, step: 1 | -1): Model {
  const current = currentLog(model);
  const search = current === undefined ? undefined : viewOf(model, current.name).search;
  if (current === undefined || search === undefined) return model;
  const { name, log } = current;
  const view = viewOf(model, name);
  const bottom = view.anchor?.kind === 'end' ? Math.min(view.anchor.number, log.end) : log.end;
  const from = search.match ?? bottom;
  const match = findLine(log, view, search.query, from, step);
  if (match === undefined) {
    const where = search.match === undefined ? '' : step === -1 ? ' above' : ' below';
    return { ...model, notice: { text: `no line${where} with ${search.query}`, at: model.now } };
  }
  // In the middle of the window, if there are enough lines below.
  const end = Math.min(log.end, match + 1 + Math.floor(scrollWindow(model).rows / 2));
  return withView(model, name, {
    search: { ...search, match },
    anchor: { kind: 'end', number: end },
  });
}
