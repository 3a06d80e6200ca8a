import type { ServiceStatus } from '@switchyard/network/supervisor/events';
import { NO_FACTS } from '../dev/status/transactions.ts';
import type { Filter } from './filter.ts';
import { LogBuffer, type LogLine } from './log-buffer.ts';
import type { UiFacts } from './polling.ts';
import type { Folding, Layout, TuiSettings } from './settings.ts';

/** A service as the UI shows it. */
export interface Pane {
  readonly name: string;
  /** Role of the service in the network, which decides about its title. */
  readonly role: Folding;
  readonly version: string;
  /** Program and arguments, for people. */
  readonly program: string;
  readonly logFile: string;
  /** `RPC http://127.0.0.1:26657` */
  readonly listens: readonly { readonly use: string; readonly url: string; readonly port: number }[];
  readonly log: LogBuffer;
  readonly folded: boolean;
  readonly status: PaneStatus;
}

export type PaneStatus = Pick<ServiceStatus, 'state' | 'restarts'> &
  Partial<Pick<ServiceStatus, 'pid' | 'uptimeMs' | 'reason'>>;

/** How one log is shown. */
export interface LogView {
  /** Number of the line after the last one shown; the first line of a log stands for its first page. Absent: the newest lines are followed. */
  readonly anchor?: number | undefined;
  readonly filter?: Filter | undefined;
  readonly search?: { readonly query: string; readonly match?: number | undefined } | undefined;
  /** Whether lines about health checks are shown. */
  readonly checks?: boolean | undefined;
}

export type Screen = 'main' | 'full' | 'merged' | 'path' | 'about' | 'help' | 'summary';

export interface Prompt {
  readonly kind: 'search' | 'filter' | 'command';
  readonly text: string;
  readonly problem?: string | undefined;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Everything the screen is made from. Only the logs are mutable. */
export interface Model {
  readonly instance: string;
  readonly network: string;
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  readonly panes: readonly Pane[];
  readonly merged: LogBuffer;
  readonly selected: number;
  readonly screen: Screen;
  /** The screen to return to from the help. */
  readonly behind: Screen;
  /** Views by service; the merged log under {@link MERGED}. */
  readonly views: Readonly<Record<string, LogView>>;
  /** Layout of the main view. */
  readonly layout: Layout;
  readonly wrap: boolean;
  /** Whether lines begin with their time. */
  readonly times: boolean;
  readonly borderless: boolean;
  /** Whether lines about health checks and polling are shown. */
  readonly checks: boolean;
  /** First line shown of a text that is longer than the screen. */
  readonly listTop: number;
  /** The selected transaction; absent: the newest one. */
  readonly journey?: string | undefined;
  /** Whether the selected transaction is shown in detail. */
  readonly details: boolean;
  readonly prompt?: Prompt | undefined;
  /** The latest message of the tool. */
  readonly notice?: Notice | undefined;
  readonly size: Size;
  readonly facts: UiFacts;
  /** URLs, funded accounts and commands to try; known once all services are ready. */
  readonly about: readonly AboutItem[];
  /** Index of the selected one among the facts that can be copied. */
  readonly fact: number;
  readonly lastError?: LastError | undefined;
  /** Time of the last key press, on the monotonic clock. */
  readonly now: number;
  /** Everything is being stopped. */
  readonly ending: boolean;
}

export const NOTICE_MS = 15_000;

export interface Notice {
  readonly text: string;
  /** On the monotonic clock. */
  readonly at: number;
  /** It answers a key, and is gone with the next one. */
  readonly isReply?: boolean;
  /** It asks whether everything is to be stopped. */
  readonly asksToQuit?: boolean;
}

/** A line of the view of facts. */
export type AboutItem =
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'fact'; readonly label: string; readonly value: string; readonly note?: string }
  | { readonly kind: 'command'; readonly value: string };

export interface LastError extends Pick<LogLine, 'service' | 'text' | 'at'> {
  /** Number of the line in the log of its service. */
  readonly number: number;
  /** It has been looked at. */
  readonly isSeen: boolean;
}

/** No service has an empty name. */
export const MERGED = '';

export type PaneSource = Omit<Pane, 'log' | 'folded' | 'status'>;

export interface ModelSource extends Pick<Model, 'instance' | 'network' | 'endpoints' | 'size'> {
  /** In start order. */
  readonly services: readonly PaneSource[];
  readonly settings: TuiSettings;
}

export function createModel(source: ModelSource): Model {
  const { settings, services } = source;
  const { maxUiLogLines } = settings;
  const isGeneric = ({ role }: PaneSource) => role === 'generic' || role === 'cometbft';
  const ordered =
    settings.genericStartPosition === 'before'
      ? [...services.filter(isGeneric), ...services.filter((service) => !isGeneric(service))]
      : services;
  // Without auto-scroll, a log starts at its first line.
  const start: LogView = settings.autoScroll ? {} : { anchor: 0 };
  return {
    instance: source.instance,
    network: source.network,
    endpoints: source.endpoints,
    panes: ordered.map((service) => ({
      ...service,
      log: new LogBuffer(maxUiLogLines),
      folded: settings[`${service.role}StartsMinimized`],
      status: { state: 'waiting', restarts: 0 },
    })),
    merged: new LogBuffer(maxUiLogLines),
    selected: 0,
    screen: 'main',
    behind: 'main',
    views: Object.fromEntries([MERGED, ...services.map(({ name }) => name)].map((name) => [name, start])),
    layout: settings.layout,
    wrap: settings.wrapLines,
    times: settings.timestamps,
    borderless: settings.borderless,
    checks: false,
    listTop: 0,
    details: true,
    size: source.size,
    facts: { ...NO_FACTS, usage: {} },
    about: [],
    fact: 0,
    now: 0,
    ending: false,
  };
}

export type NamedLog = Pick<Pane, 'name' | 'log'>;

/** The log that keys act on: that of the selected pane, or the merged one. */
export function currentLog(model: Model): NamedLog | undefined {
  return model.screen === 'merged' ? { name: MERGED, log: model.merged } : model.panes[model.selected];
}

export function toView({ views, checks }: Model, name: string): LogView {
  return { ...views[name], checks };
}
