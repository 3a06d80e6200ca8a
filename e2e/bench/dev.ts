import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNetwork, type Network, root, run, until } from '../support/network.ts';
import { noTmux, openTmux, type Tmux } from '../support/tmux.ts';
import { usage } from '../support/usage.ts';
import { pause } from './load.ts';
import { type Measure, repeated, seconds } from './measure.ts';
import { INSTANCE } from './network.ts';

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

const command = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');

const commands: Measure = (options) => {
  const figures = { init: ['dev init', 's', '<= 1'], stop: ['dev stop', 's', '<= 3'] } as const;
  return repeated(options, 'commands', figures, async () => {
    const home = mkdtempSync(join(tmpdir(), 'switchyard-'));
    const init = await seconds(() => run(process.execPath, [command, 'dev', 'init', '--home', home]));
    rmSync(home, { recursive: true, force: true });
    const network = await createNetwork({ instance: INSTANCE });
    try {
      await network.start();
      return { init, stop: await seconds(() => network.switchyard('dev', 'stop', '--instance', INSTANCE)) };
    } finally {
      await network.dispose();
    }
  });
};

const terminal: Measure = async (options) => {
  const missing = await noTmux();
  if (missing !== undefined) {
    options.progress(`the terminal UI is not measured: ${missing}`);
    return [];
  }
  const network = await createNetwork({ instance: INSTANCE });
  addPrinter(network);
  const screen = await openTmux({ columns: 120, rows: 40 }, network.env);
  try {
    await screen.type(`exec ${process.execPath} ${command} dev run --processes --instance ${INSTANCE}`);
    await screen.sees(/all ready/, 60_000);
    const pid = toolPid(network);
    const figures = {
      share: [`terminal UI at ${LINES_PER_SECOND} lines/s, share of a core`, '%', '<= 5'],
      memory: ['the same, resident memory', 'MiB', '<= 150'],
      key: [`the same, slowest of ${KEYS} keys to the screen, tmux included`, 'ms', '<= 100'],
    } as const;
    return await repeated(options, 'terminal', figures, async () => {
      const before = usage(pid);
      await pause(WATCHED_SECONDS * 1_000);
      const { cpuSeconds, residentMiB: memory } = usage(pid);
      const share = ((cpuSeconds - before.cpuSeconds) / WATCHED_SECONDS) * 100;
      return { share, memory, key: await slowestKey(screen) };
    });
  } finally {
    await network.switchyard('dev', 'stop', '--instance', INSTANCE);
    await screen.close();
    await network.dispose();
  }
};

function addPrinter(network: Network): void {
  const program = join(network.home, 'printer.mjs');
  writeFileSync(program, PRINTER);
  chmodSync(program, 0o755);
  const file = join(network.home, network.instance, 'networks-config.toml');
  const service = `\n[networks.local.services.printer]\nname = "printer"\nlocal_path = ${JSON.stringify(program)}\n`;
  writeFileSync(file, readFileSync(file, 'utf8') + service);
}

function toolPid(network: Network): number {
  const run = join(network.home, network.instance, 'run.json');
  // Our own tool wrote it.
  const { tool } = JSON.parse(readFileSync(run, 'utf8')) as { tool: { pid: number } };
  return tool.pid;
}

/** Opens and closes the help; tmux is polled, which takes some milliseconds itself. */
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

/** The development tool: how long its commands take, and what its terminal UI costs while a service prints. */
export const dev = { commands, terminal };
