import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initInstance } from '../dev/init/init.ts';
import { readInstance } from '../dev/instance/instance.ts';
import { planServices } from '../dev/services/services.ts';
import type { SupervisorEvent } from '../dev/supervisor/events.ts';
import { BUILT, scratchPaths } from '../dev/testing.ts';
import { parseTuiConfig } from './settings.ts';
import { sourceOf } from './source.ts';
import { createUi, NOW } from './testing.ts';

/*
 * The screens in docs/terminal-ui.md: the services of a new instance with both rollups, and lines as these log them. This
 * renews them:
 *
 *   npx vitest run --project unit packages/cli/src/tui/documented.test.ts -u
 */

const PAGE = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'terminal-ui.md');
const BLOCK = /(?<=\n```text\n)[\s\S]*?(?=\n```\n)/g;

/** A time of one evening, whatever the time zone. */
const at = (clock: string) => {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return new Date(2026, 10, 20, hours, minutes, 0).getTime() + Math.round(seconds * 1_000);
};

function newInstance() {
  const paths = scratchPaths('default');
  initInstance(paths, { template: 'messenger,evm' });
  const instance = readInstance(paths, 'local', {});
  const services = planServices(instance, {}, BUILT);
  const { settings } = parseTuiConfig('', 'tui-config.toml');
  const source = sourceOf({ instance, services, startPage: 'http://127.0.0.1:3000' }, settings);
  const ofUser = (path: string) => path.replace(paths.home, '/home/me/.switchyard');
  return createUi({
    ...source,
    services: source.services.map((service) => ({ ...service, logFile: ofUser(service.logFile) })),
  });
}

type Ui = ReturnType<typeof newInstance>;
const happens = (ui: Ui, clock: string, event: SupervisorEvent) => ui.take({ kind: 'event', event, at: at(clock) });
const logs = (ui: Ui, service: string, text: string) => happens(ui, text.slice(0, 12), { kind: 'line', service, text });

/** All services start, each with its last lines. */
function start(ui: Ui): void {
  for (const [index, { name }] of ui.model.panes.entries()) {
    happens(ui, `23:06:59.${310 + index * 23}`, { kind: 'started', service: name, pid: 27_055 + index * 11 });
  }
  happens(ui, '23:07:00.202', { kind: 'not-ready', service: 'sequencer', reason: 'is starting' });
  logs(ui, 'sequencer', '23:07:00.867 INFO  starting version=0.1.0 pid=27055');
  logs(ui, 'rollup', '23:07:01.014 INFO  starting version=0.1.0 pid=27077');
  logs(ui, 'sequencer', '23:07:01.308 INFO  solo engine produces blocks height=200 chain=sequencer-test-chain-0');
  logs(ui, 'sequencer', '23:07:01.385 INFO  sequencer is ready chain=sequencer-test-chain-0 height=200');
  logs(
    ui,
    'rollup',
    '23:07:01.746 INFO  rollup node listening http=http://127.0.0.1:3030 execution=http://127.0.0.1:50051',
  );
  happens(ui, '23:07:01.991', { kind: 'ready', service: 'sequencer', ms: 2_681 });
  happens(ui, '23:07:02.106', {
    kind: 'not-ready',
    service: 'conductor',
    reason: 'the sequencer at http://127.0.0.1:8080 is not reachable',
  });
  happens(ui, '23:07:02.345', { kind: 'not-ready', service: 'rollup', reason: 'the composer is not reachable' });
  logs(ui, 'composer', '23:07:02.563 INFO  connected to sequencer url=http://127.0.0.1:26657');
  logs(ui, 'rollup', '23:07:02.634 INFO  execution: execution session opened peer=127.0.0.1 soft=200 firm=200');
  logs(ui, 'rollup', '23:07:02.829 INFO  forwarder: connected to composer url=http://127.0.0.1:50052');
  for (const conductor of ['conductor', 'evm-conductor'])
    logs(ui, conductor, '23:07:02.861 INFO  blocks executed height=201');
  for (const faucet of ['messenger-faucet', 'faucet', 'sequencer-faucet'])
    logs(ui, faucet, '23:07:02.907 INFO  connected to the chain');
  logs(ui, 'evm', '23:07:02.940 INFO  pool: connected to composer url=http://127.0.0.1:50052');
  logs(ui, 'da', '23:07:02.961 INFO  block with blobs height=204 txs=1');
  logs(ui, 'relayer', '23:07:02.990 INFO  blocks posted height=200 daHeight=204 batches=1 bytes=945 fees=352');
  logs(ui, 'explorer', '23:07:03.044 INFO  reading blocks chain=sequencer-test-chain-0 height=201');
  for (const [index, { name }] of ui.model.panes.slice(1).entries()) {
    const ms = 3_700 + index * 61;
    happens(ui, `23:07:03.${100 + index * 50}`, { kind: 'ready', service: name, ms });
  }
  ui.take({
    kind: 'notice',
    text: 'all services are ready: i shows URLs, accounts and commands to try',
    at: NOW - 60_000,
    timeOfDay: at('23:07:03.572'),
  });
  facts(ui, 231);
  status(ui);
}

/** Of an idle network: percent of a core, and mebibytes. */
const USAGE: Readonly<Record<string, readonly [number, number]>> = {
  sequencer: [1.4, 88],
  composer: [0.8, 78],
  rollup: [2.2, 90],
  evm: [0.8, 154],
  explorer: [3.2, 85],
};

function facts(ui: Ui, height: number, stopped?: string): void {
  const heightOf = (service: string) =>
    service === stopped ? {} : { height, firm: height - 1, layerHeight: 2 * height, lag: 0 };
  const usageOf = (name: string) => {
    const [cpuPercent, mebibytes] = USAGE[name] ?? [0.6, 80];
    return { cpuPercent, residentBytes: mebibytes * 1_048_576 };
  };
  ui.facts({
    sequencerHeight: height,
    rollups: [
      { name: 'messenger', service: 'rollup', ...heightOf('rollup') },
      { name: 'evm', service: 'evm', ...heightOf('evm') },
    ],
    layer: { service: 'relayer', height: 2 * height + 1, postedHeight: height, lag: 0 },
    lags: { conductor: 0, 'evm-conductor': 0 },
    queued: 0,
    rates: Array.from({ length: 12 }, () => 0),
    usage: Object.fromEntries(ui.model.panes.map(({ name }) => [name, usageOf(name)])),
  });
}

function status(ui: Ui, stopped?: string): void {
  ui.take({
    kind: 'status',
    services: ui.model.panes.map(({ name }, index) =>
      name === stopped
        ? { name, state: 'stopped', pid: undefined, restarts: 0 }
        : { name, state: 'ready', pid: 27_055 + index * 11, uptimeMs: 61_000, restarts: 0 },
    ),
  });
}

/** In the order of the page. */
function screens(): string[] {
  const ui = newInstance();
  start(ui);
  const main = ui.text();

  ui.press('down', 'down', 'enter');
  logs(ui, 'rollup', '23:08:02.543 INFO  stopping why=SIGTERM');
  logs(ui, 'rollup', '23:08:02.586 INFO  stopped');
  happens(ui, '23:08:02.611', { kind: 'stopped', service: 'rollup', killed: false });
  facts(ui, 233, 'rollup');
  status(ui, 'rollup');
  const whole = ui.text();

  logs(
    ui,
    'conductor',
    '23:08:02.875 WARN  waiting for the rollup url=http://127.0.0.1:50051 error=connection refused',
  );
  logs(ui, 'explorer', '23:08:03.245 WARN  the rollup cannot be read, trying again url=http://127.0.0.1:3030');
  happens(ui, '23:08:15.117', { kind: 'started', service: 'rollup', pid: 29_270 });
  logs(ui, 'conductor', '23:08:15.552 WARN  the rollup ended the session; opening another one');
  happens(ui, '23:08:15.719', { kind: 'ready', service: 'rollup', ms: 602 });
  facts(ui, 241);
  status(ui);
  ui.press('escape', 'l', 'f', 'warn', 'enter');
  return [main, whole, ui.text()].map((text) => text.replace(/ +$/gm, ''));
}

test('docs/terminal-ui.md shows the screens as they are', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const shown = screens();
  expect(page.match(BLOCK)).toHaveLength(shown.length);
  expect(shown.every((text) => text.split('\n').length <= 24)).toBe(true);
  let next = 0;
  const renewed = page.replace(BLOCK, () => shown[next++] ?? '');
  await expect(renewed).toMatchFileSnapshot(PAGE);
});
