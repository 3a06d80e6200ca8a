import { journeyKey } from '../dev/status/journey.ts';
import { type ActionName, keyLabel } from './actions.ts';
import { parseFilter } from './filter.ts';
import { lastListTop } from './frame.ts';
import { scrollWindow } from './layout.ts';
import { followed, found, jumped, scrolledBy, searched, shownAround, withView } from './log-moves.ts';
import { currentLog, type Model, type Notice, type Screen, toView } from './model.ts';
import { cut, shown, uncoloured } from './text.ts';
import { factsOf } from './view/about.ts';
import { selectedJourney } from './view/path.ts';
import { currentLine, logText, MAX_COPIED } from './window.ts';

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

/** How an action was requested. */
export interface Asked {
  /** Absent: by its word on the command line. */
  readonly key?: string;
  /** A service is an existing one. */
  readonly argument?: string | undefined;
  /** The footer has asked whether everything is to be stopped. */
  readonly isConfirmed?: boolean;
}

type Act = (model: Model, wanted: Asked) => Updated;

export const only = (model: Model): Updated => ({ model, effects: [] });

const changed =
  (change: (model: Model) => Model): Act =>
  (model) =>
    only(change(model));

/** Opens a view; the key of the open one closes it. */
const toggled = (screen: Screen): Act =>
  changed((model) => (model.screen === screen ? back(model) : { ...model, screen, listTop: 0 }));

/** The effects and the changes of every action. */
export const ACTS: Readonly<Record<ActionName, Act>> = {
  up: changed((model) => moved(model, -1)),
  down: changed((model) => moved(model, 1)),
  open: (model, { argument }) => only(opened(selectedBy(model, argument))),
  details: changed((model) => ({ ...model, details: !model.details })),
  restart: (model, { argument }) => ofService(model, 'restart', argument),
  start: (model, { argument }) => ofService(model, 'start', argument),
  stop: (model, { argument }) => ofService(model, 'stop', argument),
  go: (model, { argument }) => only(selectedBy({ ...model, screen: 'main' }, argument)),
  layout: changed((model) => ({ ...model, layout: model.layout === 'list' ? 'panes' : 'list' })),
  fold: changed(folded),
  'page-up': changed((model) => paged(model, -1)),
  'page-down': changed((model) => paged(model, 1)),
  first: changed((model) => jumped(model, 'head')),
  newest: changed((model) => jumped(model, 'newest')),
  head: changed((model) => jumped(model, 'head')),
  tail: changed((model) => jumped(model, 'tail')),
  follow: changed(followed),
  search: (model, { argument }) => only(argument === undefined ? ask(model, 'search') : searched(model, argument)),
  'next-above': changed((model) => found(model, -1)),
  'next-below': changed((model) => found(model, 1)),
  filter: (model, { argument }) => only(argument === undefined ? ask(model, 'filter') : filtered(model, argument)),
  wrap: changed((model) => ({ ...model, wrap: !model.wrap })),
  times: changed((model) => ({ ...model, times: !model.times })),
  borderless: changed((model) => ({ ...model, borderless: !model.borderless })),
  checks: changed((model) => ({ ...model, checks: !model.checks })),
  'copy-line': copiedLine,
  copy: copied,
  logs: toggled('merged'),
  transactions: toggled('path'),
  facts: toggled('about'),
  summary: toggled('summary'),
  error: changed(atLastError),
  help: changed((model) =>
    model.screen === 'help' ? back(model) : { ...model, screen: 'help', behind: model.screen, listTop: 0 },
  ),
  command: changed((model) => ask(model, 'command')),
  quit: (model, { key, isConfirmed = false }) =>
    key === 'q' && !isConfirmed && !model.ending
      ? only(replied(model, 'q again stops everything; any other key cancels', { asksToQuit: true }))
      : quit(model, key === undefined ? ':quit' : keyLabel(key)),
  back: changed(back),
};

function quit(model: Model, why: string): Updated {
  if (model.ending) return only(model);
  return { model: { ...model, ending: true, prompt: undefined }, effects: [{ kind: 'quit', why }] };
}

const ask = (model: Model, kind: 'search' | 'filter' | 'command'): Model => ({
  ...model,
  prompt: { kind, text: '' },
});

/** Without an argument, the selected service, if that is on the screen. */
function ofService(model: Model, kind: 'restart' | 'stop' | 'start', argument: string | undefined): Updated {
  const { screen, panes, selected } = model;
  const isSeen = screen === 'main' || screen === 'full';
  const pane = argument === undefined ? panes[isSeen ? selected : -1] : panes.find(({ name }) => name === argument);
  if (model.ending) return only(model);
  return pane === undefined
    ? only(replied(model, `${kind}: expected a service, such as :${kind} ${panes[0]?.name ?? 'NAME'}`))
    : { model, effects: [{ kind, service: pane.name }] };
}

const replied = (model: Model, text: string, more?: Pick<Notice, 'asksToQuit'>): Model => ({
  ...model,
  notice: { text, at: model.now, isReply: true, ...more },
});

function selectedBy(model: Model, service: string | undefined): Model {
  const index = model.panes.findIndex(({ name }) => name === service);
  return index === -1 ? model : { ...model, selected: index };
}

const opened = (model: Model): Model => (model.panes.length > 0 ? { ...model, screen: 'full', listTop: 0 } : model);

function moved(model: Model, by: number): Model {
  const { screen, panes, selected, listTop, facts } = model;
  switch (screen) {
    case 'main':
      return panes.length === 0 ? model : { ...model, selected: (selected + by + panes.length) % panes.length };
    case 'path': {
      const index = Math.max(0, Math.min(facts.path.length - 1, selectedJourney(model) + by));
      const journey = facts.path[index];
      // The first row always stands for the newest.
      return { ...model, journey: journey === undefined || index === 0 ? undefined : journeyKey(journey) };
    }
    case 'about':
      return { ...model, fact: Math.max(0, Math.min(factsOf(model).length - 1, model.fact + by)) };
    case 'help':
    case 'summary':
      return { ...model, listTop: Math.max(0, Math.min(lastListTop(model), listTop + by)) };
    case 'full':
    case 'merged':
      return scrolledBy(model, by);
  }
}

function paged(model: Model, pages: 1 | -1): Model {
  const by = pages * Math.max(1, scrollWindow(model).rows - 1);
  // The arrows of the main view select a service.
  return model.screen === 'main' ? scrolledBy(model, by) : moved(model, by);
}

/** Closes the opened view; in the main view, ends a search and then a filter. */
function back(model: Model): Model {
  if (model.screen === 'help') return { ...model, screen: model.behind, listTop: 0 };
  if (model.screen !== 'main') return { ...model, screen: 'main', listTop: 0 };
  const current = currentLog(model);
  if (current === undefined) return model;
  const { search } = toView(model, current.name);
  return withView(model, current.name, search === undefined ? { filter: undefined } : { search: undefined });
}

function folded(model: Model): Model {
  const panes = model.panes.map((pane, index) => (index === model.selected ? { ...pane, folded: !pane.folded } : pane));
  return { ...model, panes };
}

function filtered(model: Model, text: string): Model {
  const current = currentLog(model);
  const parsed = parseFilter(text);
  if (!parsed.ok) return { ...model, prompt: { kind: 'filter', text, problem: parsed.reason } };
  return current === undefined ? model : withView(model, current.name, { filter: parsed.filter });
}

/** Opens the log with the newest error if it is. */
function atLastError(model: Model): Model {
  const { lastError } = model;
  if (lastError === undefined) return replied(model, 'no service has logged an error');
  const open = opened(selectedBy(model, lastError.service));
  const unfiltered = withView(open, lastError.service, { filter: undefined, search: undefined });
  return { ...shownAround(unfiltered, lastError.number), lastError: { ...lastError, isSeen: true } };
}

function copied(model: Model): Updated {
  const current = currentLog(model);
  if (model.screen === 'path' || model.screen === 'about') return copiedLine(model);
  if (current === undefined) return only(model);
  const { text, lines } = logText(current.log, toView(model, current.name));
  return copy(model, text, `${lines} ${lines === 1 ? 'line' : 'lines'}`);
}

function copiedLine(model: Model): Updated {
  switch (model.screen) {
    case 'path': {
      const journey = model.facts.path[selectedJourney(model)];
      return journey === undefined ? only(model) : copy(model, journey.outcome?.hash ?? journey.hash, 'the hash');
    }
    case 'about': {
      const item = factsOf(model)[model.fact];
      return item === undefined
        ? only(model)
        : copy(model, item.value, cut(shown(item.value, { colour: false }), MAX_NAMED));
    }
    default: {
      const current = currentLog(model);
      const line = current && currentLine(current.log, toView(model, current.name));
      return line === undefined ? only(model) : copy(model, uncoloured(line.text), 'the line');
    }
  }
}

/** Columns of a copied text in the footer. */
const MAX_NAMED = 40;

/** Terminals take a bounded text only. */
function copy(model: Model, text: string, what: string): Updated {
  const bytes = Buffer.byteLength(text);
  const notice =
    bytes > MAX_COPIED
      ? `${what} not copied: ${bytes} bytes, a terminal takes at most ${MAX_COPIED}`
      : `${what} copied, where the terminal lets programs do that (OSC 52)`;
  return { model: replied(model, notice), effects: bytes > MAX_COPIED ? [] : [{ kind: 'copy', text }] };
}
