import { scrollWindow } from './layout.ts';
import type { LogBuffer } from './log-buffer.ts';
import { currentLog, type LogView, type Model, toView } from './model.ts';
import { findLine, isAtHead, scrolled } from './window.ts';

/*
 * Moves within the current log. No other log moves with it.
 */

export function withView(model: Model, name: string, change: Partial<LogView>): Model {
  return { ...model, views: { ...model.views, [name]: { ...toView(model, name), ...change } } };
}

/** Changes how the current log is shown; nothing if there is none. */
function changed(model: Model, change: (log: LogBuffer, view: LogView) => Partial<LogView>): Model {
  const current = currentLog(model);
  if (current === undefined) return model;
  const { name, log } = current;
  return withView(model, name, change(log, toView(model, name)));
}

/** Scrolling past its end follows it again. */
export const scrolledBy = (model: Model, by: number): Model =>
  changed(model, (log, view) => {
    const anchor = scrolled(log, view, by, scrollWindow(model));
    return { anchor: by > 0 && anchor >= log.end ? undefined : anchor };
  });

/** Pauses the current log, or follows its newest line again. */
export const followed = (model: Model): Model =>
  changed(model, (log, { anchor }) => ({ anchor: anchor === undefined ? log.end : undefined }));

/** To the first page, to the last one and stay there, or to the newest line and follow. */
export const jumped = (model: Model, where: 'head' | 'tail' | 'newest'): Model =>
  changed(model, (log) => ({ anchor: { head: log.first, tail: log.end, newest: undefined }[where] }));

/** Goes to the newest line with the query, above the bottom row. */
export const searched = (model: Model, query: string): Model =>
  found(
    changed(model, () => ({ search: query === '' ? undefined : { query } })),
    -1,
  );

export function found(model: Model, step: 1 | -1): Model {
  const current = currentLog(model);
  const search = current === undefined ? undefined : toView(model, current.name).search;
  if (current === undefined || search === undefined) return model;
  const { name, log } = current;
  const view = toView(model, name);
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
export const shownAround = (model: Model, number: number): Model =>
  changed(model, (log) => ({ anchor: Math.min(log.end, number + 1 + Math.floor(scrollWindow(model).rows / 2)) }));
