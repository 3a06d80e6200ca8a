import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNetwork, type Network, root, run, until } from '../support/network.ts';
import { noTmux, openTmux, type Tmux } from '../support/tmux.ts';
import { usage } from './processes.ts';
import type { Row } from './statistics.ts';

export interface DevOptions {
  readonly runs: number;
  readonly progress: (text: string) => void;
}

const LINES_PER_SECOND = 2_000;
const WATCHED_SECONDS = 20;
const KEYS = 20;

/** About 2,000 lines a second, by the clock. */
const PRINTER = `#!/usr/bin/env node
let n = 0;
const began = performance.now();
setInterval(() => {
  const due = ((performance.now() - began) * ${LINES_PER_SECOND}) / 1000;
  let text = '';
  for (; n < due; n += 1) text += 'INFO line ' + n + ' of a service that has a lot to say about everything it does\\n';
  process.stdout.write(text);
}, 10);
`;

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return (performance.now() - start) / 1000;
}

/** The development tool: how long its commands take, and what its terminal UI costs while a service prints. */
export async function devRows({ runs, progress }: DevOptions): Promise<Row[]> {
  const seconds = { init: [] as number[], ready: [] as number[], stop: [] as number[] };
  for (let index = 0; index < runs; index += 1) {
    seconds.init.push(await init());
    const network = await createNetwork({ instance: 'bench' });
    seconds.ready.push(await timed(() => network.start()));
    seconds.stop.push(await timed(() => network.switchyard('dev', 'stop', '--instance', 'bench')));
    await network.dispose();
    progress(
      `init ${seconds.init.at(-1)?.toFixed(2)} s, ready ${seconds.ready.at(-1)?.toFixed(2)} s, stop ${seconds.stop.at(-1)?.toFixed(2)} s`,
    );
  }
  return [
    { name: 'dev init', unit: 's', goal: '<= 1', runs: seconds.init },
    { name: 'dev run to ready', unit: 's', goal: '<= 5', runs: seconds.ready },
    { name: 'dev stop', unit: 's', goal: '<= 3', runs: seconds.stop },
    ...(await terminalUi(runs, progress)),
  ];
}

async function init(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-'));
  try {
    const command = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
    return await timed(() => run(process.execPath, [command, 'dev', 'init', '--home', home]));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function terminalUi(runs: number, progress: DevOptions['progress']): Promise<Row[]> {
  const missing = await noTmux();
  if (missing !== undefined) {
    progress(`the terminal UI is not measured: ${missing}`);
    return [];
  }
  const network = await createNetwork({ instance: 'bench' });
  addPrinter(network);
  const terminal = await openTmux({ columns: 120, rows: 40 }, network.env);
  try {
    const command = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
    await terminal.type(`exec ${process.execPath} ${command} dev run --instance bench`);
    await terminal.sees(/all ready/, 60_000);
    const pid = Number(await toolPid(network));
    const shares: number[] = [];
    const memory: number[] = [];
    const keys: number[] = [];
    for (let index = 0; index < runs; index += 1) {
      const before = usage(pid);
      await new Promise((resolve) => setTimeout(resolve, WATCHED_SECONDS * 1_000));
      const after = usage(pid);
      shares.push(((after.cpuSeconds - before.cpuSeconds) / WATCHED_SECONDS) * 100);
      memory.push(after.residentMiB);
      keys.push(await slowestKey(terminal));
      progress(
        `UI: ${shares.at(-1)?.toFixed(1)} % of a core, ${memory.at(-1)?.toFixed(0)} MiB, key ${keys.at(-1)?.toFixed(0)} ms`,
      );
    }
    return [
      { name: `terminal UI at ${LINES_PER_SECOND} lines/s, share of a core`, unit: '%', goal: '<= 5', runs: shares },
      { name: 'the same, resident memory', unit: 'MiB', goal: '<= 150', runs: memory },
      {
        name: `the same, slowest of ${KEYS} keys to the screen, tmux included`,
        unit: 'ms',
        goal: '<= 100',
        runs: keys,
      },
    ];
  } finally {
    await network.switchyard('dev', 'stop', '--instance', 'bench');
    await terminal.close();
    await network.dispose();
  }
}

function addPrinter(network: Network): void {
  const program = join(network.home, 'printer.mjs');
  writeFileSync(program, PRINTER);
  chmodSync(program, 0o755);
  const file = join(network.home, network.instance, 'networks-config.toml');
  const service = `\n[networks.local.services.printer]\nname = "printer"\nlocal_path = ${JSON.stringify(program)}\n`;
  writeFileSync(file, readFileSync(file, 'utf8') + service);
}

async function toolPid(network: Network): Promise<number> {
  const run = join(network.home, network.instance, 'run.json');
  // Our own tool wrote it.
  const { tool } = JSON.parse(readFileSync(run, 'utf8')) as { tool: { pid: number } };
  return tool.pid;
}

/** Opens and closes the help; tmux is asked again and again, which takes some milliseconds itself. */
async function slowestKey(terminal: Tmux): Promise<number> {
  let slowest = 0;
  for (let index = 0; index < KEYS; index += 1) {
    const opens = index % 2 === 0;
    const start = performance.now();
    await terminal.press(opens ? '?' : 'Escape');
    await until('the help', async () =>
      (await terminal.rows()).some((row) => row.startsWith('Services')) === opens ? true : undefined,
    );
    slowest = Math.max(slowest, performance.now() - start);
  }
  return slowest;
}
