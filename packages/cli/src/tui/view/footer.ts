import type { Model } from '../model.ts';
import { currentLog, viewOf } from '../model.ts';
import { cut, flow, shown } from '../text.ts';
import type { Theme } from '../theme.ts';

const NOTICE_MS = 15_000;

/** The prompt or the latest notice, and the key hints in as many rows as they need. */
export function footerLines(model: Model, theme: Theme, now: number): string[] {
  const { columns, rows } = model.size;
  const message = messageLines(model, theme, now);
  const help =
    model.prompt === undefined
      ? flow(
          hints(model).map(
            ({ key, does, state }) => `${theme.bold(key)} ${does}${state === undefined ? '' : tag(state, theme)}`,
          ),
          columns,
        )
      : flow(`Enter ${PROMPTS[model.prompt.kind]}; Esc cancels`.split(' '), columns, ' ');
  // Without room for a log, the hints are left out.
  return rows < 5 ? message.slice(0, rows) : [...message, ...help];
}

function tag(on: boolean, theme: Theme): string {
  return on ? ` ${theme.good('ON')}` : ` ${theme.dim('off')}`;
}

function messageLines({ prompt, notice, size, ...model }: Model, theme: Theme, now: number): string[] {
  if (prompt !== undefined) {
    const typed = prompt.text.slice(-Math.max(1, size.columns - prompt.kind.length - 4));
    const problem = prompt.problem === undefined ? [] : [cut(theme.bad(prompt.problem), size.columns)];
    return [...problem, cut(`${theme.highlight(prompt.kind)}: ${typed}${theme.inverse(' ')}`, size.columns)];
  }
  if (notice !== undefined && (now - notice.at < NOTICE_MS || model.ending)) {
    return [cut(theme.pending(shown(notice.text, { colour: false })), size.columns)];
  }
  return [];
}

const PROMPTS = {
  search: 'goes to the newest line with this text',
  filter:
    'shows lines of this level (error, warn, info, debug) and worse, or that match this expression; nothing shows all',
} as const;

interface Hint {
  readonly key: string;
  readonly does: string;
  /** Of a switch. */
  readonly state?: boolean;
}

/** Keys of the current screen. */
export function hints(model: Model): Hint[] {
  const { screen, autoScroll, wrap, borderless } = model;
  const scroll: Hint = { key: 'a', does: 'auto-scroll', state: autoScroll };
  const wrapping: Hint = { key: 'w', does: 'wrap', state: wrap };
  const looking: Hint[] = [{ key: '/', does: 'search' }, ...found(model), { key: 'f', does: 'filter' }];
  const service: Hint[] = [
    { key: 'r', does: 'restart' },
    { key: 's', does: startOrStop(model) },
  ];
  const merged: Hint = { key: 'l', does: 'merged log' };
  const views: Hint[] = [
    { key: 't', does: 'transactions' },
    { key: 'i', does: 'info' },
    { key: '?', does: 'help' },
  ];
  const scrolling: Hint = { key: '↑/↓', does: 'scroll' };
  const leave: Hint[] = [
    { key: 'q/Esc', does: 'back' },
    { key: 'Ctrl+C', does: 'stop all and quit' },
  ];
  const full: Hint[] = [
    scrolling,
    { key: '0/1', does: 'jump to head/tail' },
    scroll,
    wrapping,
    { key: 'b', does: 'borderless', state: borderless },
  ];
  switch (screen) {
    case 'main':
      return [
        { key: '↑/↓', does: 'select pane' },
        { key: 'Enter', does: 'open full screen' },
        { key: 'm', does: 'fold/unfold' },
        scroll,
        wrapping,
        ...service,
        ...looking,
        merged,
        ...views,
        { key: 'q', does: 'stop all and quit' },
      ];
    case 'full':
      return [...full, ...service, ...looking, merged, ...views, ...leave];
    case 'merged':
      return [...full, ...looking, ...views, ...leave];
    case 'path':
    case 'about':
    case 'help':
      return [scrolling, ...leave];
  }
}

function found(model: Model): Hint[] {
  const log = currentLog(model);
  const searching = log !== undefined && viewOf(model, log.name).search !== undefined;
  return searching ? [{ key: 'n/N', does: 'next above/below' }] : [];
}

function startOrStop({ panes, selected }: Model): string {
  const state = panes[selected]?.status.state;
  return state === 'stopped' || state === 'failed' || state === 'finished' ? 'start' : 'stop';
}
