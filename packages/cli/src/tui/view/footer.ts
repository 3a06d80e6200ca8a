import { isDown } from '../actions.ts';
import { candidates } from '../command-line.ts';
import { currentLog, type Model, type Prompt, viewOf } from '../model.ts';
import { cut, flow, shown } from '../text.ts';
import type { Theme } from '../theme.ts';

const NOTICE_MS = 15_000;

/** The key hints, and in their place a prompt or, in the last row, the latest notice: the rows above do not move. */
export function footerLines(model: Model, theme: Theme, now: number): string[] {
  const { columns, rows } = model.size;
  const most = rows < 16 || (rows < 30 && model.screen === 'help') ? 1 : 2;
  const help = hintRows(hints(model), columns, most, theme);
  const message = messageLines(model, theme, now);
  // Without room for a log, the hints are left out.
  if (rows < 5) return message.slice(0, rows);
  if (model.prompt !== undefined) {
    const explained = explanation(model, model.prompt, theme);
    const lines = [...message, ...(message.length > 1 ? [] : explained)];
    return lines.concat(help.slice(lines.length).map(() => ''));
  }
  return [...help.slice(0, help.length - message.length), ...message];
}

/** The meaning of Enter; on the command line, the words that may stand there. */
function explanation(model: Model, { kind, text }: Prompt, theme: Theme): string[] {
  const { columns } = model.size;
  const words = kind === 'command' && text !== '' ? candidates(model, text) : [];
  return words.length === 0
    ? flow(PROMPTS[kind].split(' '), columns, ' ')
    : flow([theme.dim('Tab'), ...words.map((word) => shown(word, { colour: false }))], columns).slice(0, 2);
}

/** Fits as many hints as there is room for, the first ones and always the last two. */
function hintRows(all: readonly Hint[], columns: number, most: number, theme: Theme): string[] {
  const texts = all.map(
    ({ key, does, state }) => `${theme.key(key)} ${does}${state === undefined ? '' : tag(state, theme)}`,
  );
  const last = texts.splice(-2);
  for (;;) {
    const rows = flow([...texts, ...last], columns);
    if (rows.length <= most || texts.length === 0) return rows.slice(0, most);
    texts.pop();
  }
}

function tag(on: boolean, theme: Theme): string {
  return on ? ` ${theme.good('ON')}` : ` ${theme.dim('off')}`;
}

function messageLines({ prompt, notice, size, ...model }: Model, theme: Theme, now: number): string[] {
  if (prompt !== undefined) {
    const typed = prompt.text.slice(-Math.max(1, size.columns - prompt.kind.length - 4));
    const problem = prompt.problem === undefined ? [] : [cut(theme.bad(prompt.problem), size.columns)];
    return [cut(`${theme.key(prompt.kind)}: ${typed}${theme.inverse(' ')}`, size.columns), ...problem];
  }
  if (notice !== undefined && (now - notice.at < NOTICE_MS || model.ending)) {
    return [cut(theme.pending(shown(notice.text, { colour: false })), size.columns)];
  }
  return [];
}

const PROMPTS = {
  search: 'Enter finds the newest line with this text, Esc cancels',
  filter: 'Enter shows a level (error, warn, info, debug) and worse, or what matches an expression; Esc cancels',
  command: 'an action and a service, such as restart composer; Tab completes, Enter runs it, Esc cancels',
} as const;

interface Hint {
  readonly key: string;
  readonly does: string;
  /** State of a switch. */
  readonly state?: boolean;
}

/** Keys of the current screen, the most wanted first; the last two are always shown. */
export function hints(model: Model): Hint[] {
  const { screen, layout, wrap, times, borderless } = model;
  const help: Hint = { key: '?', does: 'help' };
  const command: Hint = { key: ':', does: 'command' };
  const looking: Hint[] = [{ key: '/', does: 'search' }, ...found(model), { key: 'f', does: 'filter' }];
  const follow: Hint = { key: 'a', does: 'follow', state: isFollowing(model) };
  const service: Hint[] = [
    { key: 'r', does: 'restart' },
    { key: 's', does: startOrStop(model) },
  ];
  const wrapping: Hint = { key: 'w', does: 'wrap', state: wrap };
  const timing: Hint = { key: 'T', does: 'times', state: times };
  const views: Hint[] = [
    { key: 't', does: 'transactions' },
    { key: 'i', does: 'info' },
  ];
  const full: Hint[] = [
    { key: '↑/↓', does: 'scroll' },
    { key: '0/1', does: 'head/tail' },
    follow,
    ...looking,
    ...checksHint(model),
    wrapping,
    { key: 'b', does: 'borderless', state: borderless },
    { key: 'y/c', does: 'copy' },
  ];
  const back: Hint[] = [help, { key: 'q/Esc', does: 'back' }];
  switch (screen) {
    case 'main':
      return [
        { key: '↑/↓', does: 'select' },
        { key: 'Enter', does: 'log' },
        ...service,
        ...looking,
        follow,
        { key: 'l', does: 'all logs' },
        ...views,
        command,
        ...checksHint(model),
        ...(layout === 'panes' ? [{ key: 'm', does: 'fold' }] : []),
        wrapping,
        timing,
        { key: 'v', does: layout === 'list' ? 'panes' : 'list' },
        help,
        { key: 'q', does: 'stop all' },
      ];
    case 'full':
      return [...full, ...service, timing, { key: 'l', does: 'all logs' }, command, ...back];
    case 'merged':
      return [...full, timing, command, ...back];
    case 'path':
      return [
        { key: '↑/↓', does: 'select' },
        { key: 'Enter', does: 'details', state: model.details },
        { key: 'y', does: 'copy hash' },
        command,
        ...back,
      ];
    case 'about':
      return [{ key: '↑/↓', does: 'select' }, { key: 'y', does: 'copy' }, command, ...back];
    case 'summary':
      return [{ key: 'e', does: 'last error' }, ...views, command, ...back];
    case 'help':
      return [
        { key: '↑/↓', does: 'scroll' },
        { key: 'q/Esc', does: 'back' },
        { key: 'Ctrl+C', does: 'stop all' },
      ];
  }
}

function isFollowing(model: Model): boolean {
  const log = currentLog(model);
  return log === undefined || viewOf(model, log.name).anchor === undefined;
}

/** Only a log that has such lines has a use for the key. */
function checksHint(model: Model): Hint[] {
  const log = currentLog(model)?.log;
  return log === undefined || log.checks === 0 ? [] : [{ key: 'h', does: 'checks', state: model.checks }];
}

function found(model: Model): Hint[] {
  const log = currentLog(model);
  const searching = log !== undefined && viewOf(model, log.name).search !== undefined;
  return searching ? [{ key: 'n/N', does: 'next above/below' }] : [];
}

function startOrStop({ panes, selected }: Model): string {
  return isDown(panes[selected]) ? 'start' : 'stop';
}
