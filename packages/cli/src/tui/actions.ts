import type { Model, Pane, Screen } from './model.ts';

/*
 * Everything a person can do: the keys, the words of the command line and the help are made from this table.
 */

export interface Action {
  /** Its word on the command line. */
  readonly name: string;
  /** Characters, and names of keys that have none. */
  readonly keys: readonly string[];
  readonly section: keyof typeof TABLE;
  /** Neighbours with the same text share a line of the help. */
  readonly help: string;
  /** Screens on which its keys mean it; absent: all. */
  readonly on?: readonly Screen[];
  /** Argument on the command line; a service may be left out if one is selected. */
  readonly takes?: 'service' | 'text';
  /** Whether a key means this action now, and not a later one with the same key. */
  applies?(model: Model, key: string): boolean;
}

const WHOLE = ['full', 'merged'] as const;
const LOGS = ['main', ...WHOLE] as const;
const ONE = ['main', 'full'] as const;

const MOVE = 'select a service or a fact; in a log, scroll';
const OPEN = 'the whole log of the selected service; details';
const STOP = 'stop it; start it again';
const LAYOUT = 'a list, or a log for each service; fold one of these';
const PAGE = 'scroll by a page; the other logs are still followed';
const ENDS = 'the first line; the newest line, and follow';
const TAIL = 'in a whole log: its head, its tail, and pause';
const SEARCH = 'search; the next match above; the next below';
const SWITCHES = 'wrap lines; times; no borders; lines about health checks';
const COPY = 'copy the selected line, fact or hash; the whole log';
const WELL = 'whether all is well, and what to do; the last error';
const ASK = 'this help; an action by its word, Tab completes';

const TABLE = {
  Services: [
    { name: 'up', keys: ['up', 'k'], help: MOVE },
    { name: 'down', keys: ['down', 'j'], help: MOVE },
    { name: 'go', keys: [], help: MOVE, takes: 'service' },
    { name: 'open', keys: ['enter', 'tab'], help: OPEN, on: ['main'], takes: 'service' },
    { name: 'details', keys: ['enter', 'tab'], help: OPEN, on: ['path'] },
    { name: 'restart', keys: ['r'], on: ONE, takes: 'service', help: 'restart it; its old process is gone first' },
    {
      name: 'start',
      keys: ['s'],
      help: STOP,
      on: ONE,
      takes: 'service',
      applies: (model: Model) => isDown(model.panes[model.selected]),
    },
    { name: 'stop', keys: ['s'], help: STOP, on: ONE, takes: 'service' },
    { name: 'layout', keys: ['v'], help: LAYOUT, on: ['main'] },
    { name: 'fold', keys: ['m'], help: LAYOUT, on: ['main'], applies: (model: Model) => model.layout === 'panes' },
  ],
  Logs: [
    { name: 'page-up', keys: ['page-up'], help: PAGE },
    { name: 'page-down', keys: ['page-down'], help: PAGE },
    { name: 'first', keys: ['home', 'g'], help: ENDS, on: LOGS },
    { name: 'newest', keys: ['end', 'G'], help: ENDS, on: LOGS },
    { name: 'head', keys: ['0'], help: TAIL, on: WHOLE },
    { name: 'tail', keys: ['1'], help: TAIL, on: WHOLE },
    { name: 'follow', keys: ['a', ' '], on: LOGS, help: 'follow the newest line of this log, or pause' },
    { name: 'search', keys: ['/'], help: SEARCH, on: LOGS, takes: 'text' },
    { name: 'next-above', keys: ['n'], help: SEARCH, on: LOGS },
    { name: 'next-below', keys: ['N'], help: SEARCH, on: LOGS },
    {
      name: 'filter',
      keys: ['f'],
      on: LOGS,
      takes: 'text',
      help: 'filter: error, warn, info, debug, or an expression',
    },
    { name: 'wrap', keys: ['w'], help: SWITCHES, on: LOGS },
    { name: 'times', keys: ['T'], help: SWITCHES, on: LOGS },
    { name: 'borderless', keys: ['b'], help: SWITCHES, on: WHOLE },
    { name: 'checks', keys: ['h'], on: LOGS, help: SWITCHES },
    { name: 'copy-line', keys: ['y'], on: [...LOGS, 'path', 'about'], help: COPY },
    { name: 'copy', keys: ['c'], on: [...WHOLE, 'path', 'about'], help: COPY },
  ],
  Views: [
    { name: 'logs', keys: ['l'], help: 'the logs of all services as one' },
    { name: 'transactions', keys: ['t'], help: 'the latest transactions' },
    { name: 'facts', keys: ['i'], help: 'what runs where, development accounts, commands to try' },
    { name: 'summary', keys: ['o'], help: WELL },
    { name: 'error', keys: ['e'], help: WELL },
    { name: 'help', keys: ['?'], help: ASK },
    { name: 'command', keys: [':'], help: ASK },
    {
      name: 'quit',
      keys: ['ctrl-c', 'q'],
      help: 'stop everything and end: Ctrl+C, or q q in the main view',
      applies: ({ screen }: Model, key: string) => key !== 'q' || screen === 'main',
    },
    { name: 'back', keys: ['escape', 'q'], help: 'back; in the main view Esc ends a search, then a filter' },
  ],
} as const satisfies Readonly<Record<string, readonly Omit<Action, 'section'>[]>>;

export type ActionName = (typeof TABLE)[keyof typeof TABLE][number]['name'];

type NamedAction = Action & { readonly name: ActionName };

const inSection = (section: Action['section']): readonly NamedAction[] =>
  TABLE[section].map((action) => ({ ...action, section }));

export const ACTIONS: readonly NamedAction[] = [...inSection('Services'), ...inSection('Logs'), ...inSection('Views')];

/** The action that a key means on the current screen. */
export function actionFor(model: Model, key: string): ActionName | undefined {
  const { screen } = model;
  return ACTIONS.find(
    ({ keys, on, applies }) => keys.includes(key) && (on?.includes(screen) ?? true) && (applies?.(model, key) ?? true),
  )?.name;
}

/** Whether it has to be started before it can be stopped. */
export function isDown(pane: Pane | undefined): boolean {
  const state = pane?.status.state;
  return state === 'stopped' || state === 'failed' || state === 'finished';
}

const LABELS: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  enter: 'Enter',
  tab: 'Tab',
  ' ': 'Space',
  'page-up': 'PgUp',
  'page-down': 'PgDn',
  home: 'Home',
  end: 'End',
  escape: 'Esc',
  'ctrl-c': 'Ctrl+C',
};

/** Text on the key. */
export const keyLabel = (key: string): string => LABELS[key] ?? key;
