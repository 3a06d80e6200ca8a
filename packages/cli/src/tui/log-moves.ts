import { scrollWindow } from './layout.ts';
import { currentLog, type LogView, type Model, viewOf } from './model.ts';
import { findLine, isAtHead, scrolled } from './window.ts';

/*
 * Moves within the current log. No other log moves with it.
 */

export function withView(model: Model, name: string, change: Partial<LogView>): Model {
  return { ...model, views: { ...model.views, [name]: { ...viewOf(model, name), ...change } } };
}

/** Scrolling past its end follows it again. */
export function scrolledBy(model: Model, by: number): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  const { name, log } = current;
  const anchor = scrolled(log, viewOf(model, name), by, scrollWindow(model));
  const isAtEnd = by > 0 && anchor >= log.end;
  return withView(model, name, { anchor: isAtEnd ? undefined : anchor });
}

/** Pauses the current log, or follows its newest line again. */
export function followed(model: Model): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  const { name, log } = current;
  const isPaused = viewOf(model, name).anchor !== undefined;
  return withView(model, name, { anchor: isPaused ? undefined : log.end });
}

/** To the first page, to the last one and stay there, or to the newest line and follow. */
export function jumped(model: Model, where: 'head' | 'tail' | 'newest'): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  const { name, log } = current;
  const anchors = { head: log.first, tail: log.end, newest: undefined };
  return withView(model, name, { anchor: anchors[where] });
}

/** Goes to the newest line with the query, above the bottom row. */
export function searched(model: Model, query: string): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  if (query === '') return withView(model, current.name, { search: undefined });
  return found(withView(model, current.name, { search: { query } }), -1);
}

export function found(model: Model, step: 1 | -1): Model {
  const current = currentLog(model);
  const search = current === undefined ? undefined : viewOf(model, current.name).search;
  if (current === undefined || search === undefined) return model;
  const { name, log } = current;
  const view = viewOf(model, name);
  const bottom = isAtHead(log, view) ? log.end : Math.min(view.anchor ?? log.end, log.end);
  const from = search.match ?? bottom;
  const match = findLine(log, view, search.query, from, step);
  if (match === undefined) {
    const where = search.match === undefined ? '' : step === -1 ? ' above' : ' below';
    return { ...model, notice: { text: `no line${where} with ${search.query}`, at: model.now, isReply: true } };
  }
  return withView(shownAround(model, match), name, { search: { ...search, match } });
}

/** Scrolls the current log so that a line is in the middle of the window, if there are enough lines below. */
export function shownAround(model: Model, number: number): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  const end = Math.min(current.log.end, number + 1 + Math.floor(scrollWindow(model).rows / 2));
  return withView(model, current.name, { anchor: end });
}
