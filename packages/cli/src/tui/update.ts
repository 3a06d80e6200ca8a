import type { SupervisorEvent } from '../dev/supervisor/events.ts';
import type { NetworkFacts } from './facts.ts';
import { parseFilter } from './filter.ts';
import { lastListTop, scrollWindow } from './frame.ts';
import type { Key } from './keys.ts';
import { lifeLines } from './life-lines.ts';
import {
  currentLog,
  type LogView,
  MERGED,
  type Model,
  type PaneStatus,
  type Prompt,
  type Size,
  viewOf,
} from './model.ts';
import { findLine, scrolled } from './window.ts';

/** Everything that can happen to the UI. */
export type Input =
  | { readonly kind: 'key'; readonly key: Key; readonly at: number }
  | { readonly kind: 'event'; readonly event: SupervisorEvent }
  | { readonly kind: 'status'; readonly services: readonly (PaneStatus & { readonly name: string })[] }
  | { readonly kind: 'facts'; readonly facts: Partial<NetworkFacts> }
  | { readonly kind: 'about'; readonly lines: readonly string[] }
  | { readonly kind: 'size'; readonly size: Size }
  | { readonly kind: 'notice'; readonly text: string; readonly at: number };

/** What the UI requests. */
export type Effect =
  | { readonly kind: 'restart' | 'stop' | 'start'; readonly service: string }
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
      return only(applyEvent(model, input.event));
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
      model.merged.push({ service: 'switchyard', text: input.text, kind: 'life' });
      return only({ ...model, notice: { text: input.text, at: input.at } });
  }
}

const only = (model: Model): Updated => ({ model, effects: [] });

function applyEvent(model: Model, event: SupervisorEvent): Model {
  const pane = model.panes.find(({ name }) => name === event.service);
  const lines =
    event.kind === 'line' ? [{ service: event.service, text: event.text, kind: 'output' as const }] : lifeLines(event);
  for (const line of lines) {
    pane?.log.push(line);
    model.merged.push(line);
  }
  return model;
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
  const isLog = model.screen === 'main' || model.screen === 'full' || model.screen === 'merged';
  const isFull = model.screen === 'full' || model.screen === 'merged';
  const pane = model.screen === 'merged' ? undefined : model.panes[model.selected];
  switch (char) {
    case 'q':
      return model.screen === 'main' ? quit(model, 'q') : only(back(model));
    case '?':
      return only(
        model.screen === 'help' ? back(model) : { ...model, screen: 'help', behind: model.screen, listTop: 0 },
      );
    case 't':
      return only(model.screen === 'path' ? back(model) : opened(model, 'path'));
    case 'i':
      return only(model.screen === 'about' ? back(model) : opened(model, 'about'));
    case 'l':
      return only(model.screen === 'merged' ? back(model) : opened(model, 'merged'));
    case 'a':
      return only(isLog ? withAutoScroll(model, !model.autoScroll) : model);
    case 'w':
      return only(isLog ? { ...model, wrap: !model.wrap } : model);
    case 'b':
      return only(isFull ? { ...model, borderless: !model.borderless } : model);
    case 'm':
      return only(model.screen === 'main' ? folded(model) : model);
    case '0':
      return only(isFull ? jumped(model, 'head') : model);
    case '1':
      return only(isFull ? jumped(model, 'tail') : model);
    case '/':
      return only(isLog ? { ...model, prompt: { kind: 'search', text: '' } } : model);
    case 'f':
      return only(isLog ? { ...model, prompt: { kind: 'filter', text: '' } } : model);
    case 'n':
      return only(isLog ? found(model, -1) : model);
    case 'N':
      return only(isLog ? found(model, 1) : model);
    case 'r':
      return isLog && pane !== undefined && !model.ending
        ? { model, effects: [{ kind: 'restart', service: pane.name }] }
        : only(model);
    case 's': {
      if (!isLog || pane === undefined || model.ending) return only(model);
      const { state } = pane.status;
      const isDown = state === 'stopped' || state === 'failed' || state === 'finished';
      return { model, effects: [{ kind: isDown ? 'start' : 'stop', service: pane.name }] };
    }
    default:
      return only(model);
  }
}

function namedKey(model: Model, name: Exclude<Key, { char: string }>['name']): Model {
  const page = model.screen === 'main' ? 1 : Math.max(1, scrollWindow(model).rows - 1);
  switch (name) {
    case 'up':
      return moved(model, -1);
    case 'down':
      return moved(model, 1);
    case 'page-up':
      return moved(model, -page);
    case 'page-down':
      return moved(model, page);
    case 'home':
      return model.screen === 'full' || model.screen === 'merged' ? jumped(model, 'head') : model;
    case 'end':
      return model.screen === 'full' || model.screen === 'merged' ? jumped(model, 'tail') : model;
    case 'enter':
      return model.screen === 'main' && model.panes.length > 0 ? { ...model, screen: 'full' } : model;
    case 'escape':
      return back(model);
    case 'backspace':
    case 'ctrl-c':
      return model;
  }
}

function moved(model: Model, by: number): Model {
  const { screen, panes, selected, listTop } = model;
  switch (screen) {
    case 'main':
      return panes.length === 0 ? model : { ...model, selected: (selected + by + panes.length) % panes.length };
    case 'path':
    case 'about':
    case 'help':
      return { ...model, listTop: Math.max(0, Math.min(lastListTop(model), listTop + by)) };
    case 'full':
    case 'merged': {
      const current = currentLog(model);
      if (current === undefined) return model;
      const still = withAutoScroll(model, false);
      const anchor = scrolled(current.log, viewOf(still, current.name), by, scrollWindow(still));
      return withView(still, current.name, { anchor });
    }
  }
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

/** Switched off, every log stays where it is; switched on, every log goes to its newest line. */
function withAutoScroll(model: Model, autoScroll: boolean): Model {
  if (autoScroll === model.autoScroll) return model;
  const logs = [{ name: MERGED, log: model.merged }, ...model.panes];
  const views = Object.fromEntries(
    logs.map(({ name, log }): [string, LogView] => {
      const view = viewOf(model, name);
      return [name, { ...view, anchor: autoScroll ? undefined : (view.anchor ?? { kind: 'end', number: log.end }) }];
    }),
  );
  return { ...model, autoScroll, views };
}

function withView(model: Model, name: string, change: Partial<LogView>): Model {
  return { ...model, views: { ...model.views, [name]: { ...viewOf(model, name), ...change } } };
}

function jumped(model: Model, where: 'head' | 'tail'): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  const { name, log } = current;
  const anchor =
    where === 'head' ? { kind: 'top' as const, number: log.first } : { kind: 'end' as const, number: log.end };
  return withView(withAutoScroll(model, false), name, { anchor });
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
  return withView(withAutoScroll(model, false), name, {
    search: { ...search, match },
    anchor: { kind: 'end', number: end },
  });
}
