import type { Model, Pane, Screen } from './model.ts';

/*
 * Everything a person can do: the keys, the words of the command line and the help are made from this table.
 */

export interface Action {
  /** Its word on the command line. */
  readonly name: string;
  /** Characters, and names of keys that have none. */
  readonly keys: readonly string[];
  readonly section: 'Services' | 'Logs' | 'Views';
  /** Neighbours with the same text share a line of the help. */
  readonly help: string;
  /** Screens on which its keys mean it; absent: all. */
  readonly on?: readonly Screen[];
  /** Argument on the command line; a service may be left out where one is selected. */
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

const TABLE = [
  { name: 'up', keys: ['up', 'k'], section: 'Services', help: MOVE },
  { name: 'down', keys: ['down', 'j'], section: 'Services', help: MOVE },
  { name: 'go', keys: [], section: 'Services', help: MOVE, takes: 'service' },
  { name: 'open', keys: ['enter', 'tab'], section: 'Services', help: OPEN, on: ['main'], takes: 'service' },
  { name: 'details', keys: ['enter', 'tab'], section: 'Services', help: OPEN, on: ['path'] },
  {
    name: 'restart',
    keys: ['r'],
    section: 'Services',
    on: ONE,
    takes: 'service',
    help: 'restart it; its old process is gone first',
  },
  {
    name: 'start',
    keys: ['s'],
    section: 'Services',
    help: STOP,
    on: ONE,
    takes: 'service',
    applies: (model: Model) => isDown(model.panes[model.selected]),
  },
  { name: 'stop', keys: ['s'], section: 'Services', help: STOP, on: ONE, takes: 'service' },
  { name: 'layout', keys: ['v'], section: 'Services', help: LAYOUT, on: ['main'] },
  {
    name: 'fold',
    keys: ['m'],
    section: 'Services',
    help: LAYOUT,
    on: ['main'],
    applies: (model: Model) => model.layout === 'panes',
  },
  { name: 'page-up', keys: ['page-up'], section: 'Logs', help: PAGE },
  { name: 'page-down', keys: ['page-down'], section: 'Logs', help: PAGE },
  { name: 'first', keys: ['home', 'g'], section: 'Logs', help: ENDS, on: LOGS },
  { name: 'newest', keys: ['end', 'G'], section: 'Logs', help: ENDS, on: LOGS },
  { name: 'head', keys: ['0'], section: 'Logs', help: TAIL, on: WHOLE },
  { name: 'tail', keys: ['1'], section: 'Logs', help: TAIL, on: WHOLE },
  {
    name: 'follow',
    keys: ['a', ' '],
    section: 'Logs',
    on: LOGS,
    help: 'follow the newest line of this log, or pause',
  },
  { name: 'search', keys: ['/'], section: 'Logs', help: SEARCH, on: LOGS, takes: 'text' },
  { name: 'next-above', keys: ['n'], section: 'Logs', help: SEARCH, on: LOGS },
  { name: 'next-below', keys: ['N'], section: 'Logs', help: SEARCH, on: LOGS },
  {
    name: 'filter',
    keys: ['f'],
    section: 'Logs',
    on: LOGS,
    takes: 'text',
    help: 'filter: error, warn, info, debug, or an expression',
  },
  { name: 'wrap', keys: ['w'], section: 'Logs', help: SWITCHES, on: LOGS },
  { name: 'times', keys: ['T'], section: 'Logs', help: SWITCHES, on: LOGS },
  { name: 'borderless', keys: ['b'], section: 'Logs', help: SWITCHES, on: WHOLE },
  {
    name: 'checks',
    keys: ['h'],
    section: 'Logs',
    on: LOGS,
    help: SWITCHES,
  },
  {
    name: 'copy-line',
    keys: ['y'],
    section: 'Logs',
    on: [...LOGS, 'path', 'about'],
    help: COPY,
  },
  {
    name: 'copy',
    keys: ['c'],
    section: 'Logs',
    on: [...WHOLE, 'path', 'about'],
    help: COPY,
  },
  { name: 'logs', keys: ['l'], section: 'Views', help: 'the logs of all services as one' },
  { name: 'transactions', keys: ['t'], section: 'Views', help: 'the latest transactions' },
  { name: 'facts', keys: ['i'], section: 'Views', help: 'what runs where, development accounts, commands to try' },
  { name: 'summary', keys: ['o'], section: 'Views', help: WELL },
  { name: 'error', keys: ['e'], section: 'Views', help: WELL },
  { name: 'help', keys: ['?'], section: 'Views', help: ASK },
  { name: 'command', keys: [':'], section: 'Views', help: ASK },
  {
    name: 'quit',
    keys: ['ctrl-c', 'q'],
    section: 'Views',
    help: 'stop everything and end, from anywhere (q: main view)',
    applies: ({ screen }: Model, key: string) => key !== 'q' || screen === 'main',
  },
  {
    name: 'back',
    keys: ['escape', 'q'],
    section: 'Views',
    help: 'back; in the main view Esc ends a search, then a filter',
  },
] as const satisfies readonly Action[];

export type ActionName = (typeof TABLE)[number]['name'];

export const ACTIONS: readonly (Action & { readonly name: ActionName })[] = TABLE;

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
