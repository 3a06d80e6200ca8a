import { PassThrough } from 'node:stream';
import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import type { Effect } from './acting.ts';
import { getFrame } from './frame.ts';
import type { KeyName } from './keys.ts';
import { createModel, type Model, type ModelSource, type PaneSource } from './model.ts';
import type { UiFacts } from './polling.ts';
import { parseTuiConfig } from './settings.ts';
import { PLAIN, type Theme } from './theme.ts';
import { type Input, update } from './update.ts';

const NAMES: readonly KeyName[] = [
  'up',
  'down',
  'page-up',
  'page-down',
  'home',
  'end',
  'enter',
  'tab',
  'escape',
  'backspace',
  'ctrl-c',
];
const isName = (text: string): text is KeyName => NAMES.some((name) => name === text);

/** Noon of a day, by the clock of the tests. */
export const NOW = 1_700_000_000_000;

export const service = (name: string, role: PaneSource['role'] = 'generic', port = 0): PaneSource => ({
  name,
  role,
  version: 'v1',
  program: `/bin/${name} --flag`,
  logFile: `/home/logs/${name}.log`,
  listens: port === 0 ? [] : [{ use: 'API', url: `http://127.0.0.1:${port}`, port }],
});

export const FOUR: readonly PaneSource[] = [
  service('sequencer', 'sequencer', 26_657),
  service('composer', 'composer', 50_053),
  service('rollup', 'rollup', 3_030),
  service('conductor', 'conductor', 50_054),
];

/** A UI without a terminal: keys go in, rows come out. */
export function createUi({ toml = '', ...given }: Partial<ModelSource> & { readonly toml?: string } = {}) {
  const effects: Effect[] = [];
  let model: Model = createModel({
    instance: 'default',
    network: 'local',
    endpoints: [
      { name: 'rollup', url: 'http://127.0.0.1:3030' },
      { name: 'RPC', url: 'http://127.0.0.1:26657' },
      { name: 'gRPC', url: '127.0.0.1:8080' },
      { name: 'composer gRPC', url: '127.0.0.1:50052' },
    ],
    services: FOUR,
    settings: parseTuiConfig(`timestamps = false\n${toml}`, 'tui-config.toml').settings,
    size: { columns: 80, rows: 24 },
    ...given,
  });
  const take = (input: Input) => {
    const updated = update(model, input);
    model = updated.model;
    effects.push(...updated.effects);
  };
  const ui = {
    get model() {
      return model;
    },
    effects,
    take,
    /** Keys by their names, and characters. */
    press(...keys: readonly string[]) {
      for (const key of keys) {
        for (const each of isName(key) ? [{ name: key }] : [...key].map((char) => ({ char }))) {
          take({ kind: 'key', key: each, at: NOW });
        }
      }
      return ui;
    },
    event(event: SupervisorEvent) {
      take({ kind: 'event', event, at: NOW });
      return ui;
    },
    lines(name: string, count: number, text = (index: number) => `line ${index}`) {
      for (let index = 0; index < count; index += 1) ui.event({ kind: 'line', service: name, text: text(index) });
      return ui;
    },
    ready() {
      const services = model.panes.map(({ name }, index) => ({
        name,
        state: 'ready' as const,
        pid: 100 + index,
        uptimeMs: 65_000,
        restarts: 0,
      }));
      take({ kind: 'status', services });
      return ui;
    },
    notice(text: string, at = NOW) {
      take({ kind: 'notice', text, at, timeOfDay: NOW });
      return ui;
    },
    facts(facts: Partial<UiFacts>) {
      take({ kind: 'facts', facts });
      return ui;
    },
    resize(columns: number, rows: number) {
      take({ kind: 'size', size: { columns, rows } });
      return ui;
    },
    /** The rows as they stand on the screen, the cursor movement before the right border left out. */
    rows(theme: Theme = PLAIN): string[] {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the cursor movement
      const movement = /\u001b\[(\d+)G/;
      return getFrame(model, theme, NOW).map((line) => {
        const [before = '', column, after = ''] = line.split(movement);
        return column === undefined ? line : before.padEnd(Number(column) - 1) + after;
      });
    },
    text: () => ui.rows().join('\n'),
  };
  return ui;
}

/** A keyboard without a terminal. */
export class FakeKeyboard extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** This keyboard, typed as the stream of a terminal, of which it has every member that is used. */
  get stream(): NodeJS.ReadStream {
    return this as unknown as NodeJS.ReadStream;
  }
}
