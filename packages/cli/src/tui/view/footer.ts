import { isDown } from '../actions.ts';
import { candidates } from '../command-line.ts';
import { currentLog, type LogView, type Model, NOTICE_MS, type Prompt, type Screen, toView } from '../model.ts';
import { cut, flow, shown } from '../text.ts';
import type { Theme } from '../theme.ts';

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

interface HintRule extends Omit<Hint, 'state'> {
  state?(model: Model): boolean;
  /** Absent: always. */
  applies?(model: Model): boolean;
}

const isSelectedDown = ({ panes, selected }: Model) => isDown(panes[selected]);

function currentView(model: Model): LogView {
  const log = currentLog(model);
  return log === undefined ? {} : toView(model, log.name);
}

const HINTS = {
  select: { key: '↑/↓', does: 'select' },
  scroll: { key: '↑/↓', does: 'scroll' },
  open: { key: 'Enter', does: 'log' },
  details: { key: 'Enter', does: 'details', state: ({ details }) => details },
  restart: { key: 'r', does: 'restart' },
  start: { key: 's', does: 'start', applies: isSelectedDown },
  stop: { key: 's', does: 'stop', applies: (model) => !isSelectedDown(model) },
  ends: { key: '0/1', does: 'head/tail' },
  follow: { key: 'a', does: 'follow', state: (model) => currentView(model).anchor === undefined },
  search: { key: '/', does: 'search' },
  next: { key: 'n/N', does: 'next above/below', applies: (model) => currentView(model).search !== undefined },
  filter: { key: 'f', does: 'filter' },
  // Only a log that has such lines has a use for the key.
  checks: {
    ...{ key: 'h', does: 'checks', state: ({ checks }) => checks },
    applies: (model) => (currentLog(model)?.log.checks ?? 0) > 0,
  },
  wrap: { key: 'w', does: 'wrap', state: ({ wrap }) => wrap },
  times: { key: 'T', does: 'times', state: ({ times }) => times },
  borderless: { key: 'b', does: 'borderless', state: ({ borderless }) => borderless },
  copy: { key: 'y/c', does: 'copy' },
  copyFact: { key: 'y', does: 'copy' },
  copyHash: { key: 'y', does: 'copy hash' },
  logs: { key: 'l', does: 'all logs' },
  transactions: { key: 't', does: 'transactions' },
  info: { key: 'i', does: 'info' },
  error: { key: 'e', does: 'last error' },
  command: { key: ':', does: 'command' },
  fold: { key: 'm', does: 'fold', applies: ({ layout }) => layout === 'panes' },
  panes: { key: 'v', does: 'panes', applies: ({ layout }) => layout === 'list' },
  list: { key: 'v', does: 'list', applies: ({ layout }) => layout === 'panes' },
  help: { key: '?', does: 'help' },
  back: { key: 'q/Esc', does: 'back' },
  quit: { key: 'q', does: 'stop all' },
  end: { key: 'Ctrl+C', does: 'stop all' },
} as const satisfies Readonly<Record<string, HintRule>>;

type HintName = keyof typeof HINTS;

const SERVICE: readonly HintName[] = ['restart', 'start', 'stop'];
const LOOK: readonly HintName[] = ['search', 'next', 'filter'];
const WHOLE: readonly HintName[] = ['scroll', 'ends', 'follow', ...LOOK, 'checks', 'wrap', 'borderless', 'copy'];
const BACK: readonly HintName[] = ['command', 'help', 'back'];

const BY_SCREEN: Readonly<Record<Screen, readonly HintName[]>> = {
  main: [
    ...(['select', 'open', ...SERVICE, ...LOOK, 'follow', 'logs', 'transactions', 'info', 'command'] as const),
    ...(['checks', 'fold', 'wrap', 'times', 'panes', 'list', 'help', 'quit'] as const),
  ],
  full: [...WHOLE, ...SERVICE, 'times', 'logs', ...BACK],
  merged: [...WHOLE, 'times', ...BACK],
  path: ['select', 'details', 'copyHash', ...BACK],
  about: ['select', 'copyFact', ...BACK],
  summary: ['error', 'transactions', 'info', ...BACK],
  help: ['scroll', 'back', 'end'],
};

/** Keys of the current screen, the most wanted first; the last two are always shown. */
export function hints(model: Model): Hint[] {
  const rules = BY_SCREEN[model.screen].map((name): HintRule => HINTS[name]);
  return rules
    .filter(({ applies }) => applies?.(model) ?? true)
    .map(({ key, does, state }) => ({ key, does, ...(state && { state: state(model) }) }));
}
