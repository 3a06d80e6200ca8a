import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, type Network, root, until } from '../support/network.ts';
import { noTmux, openTmux, type Tmux } from '../support/tmux.ts';

/*
 * The terminal UI as a person has it: a real terminal, real services, every key.
 */

const missing = await noTmux();
if (missing !== undefined) process.stderr.write(`SKIPPED: the terminal UI in a real terminal: ${missing}\n`);

/** Takes a while to end, prints a line each tenth of a second, and another one when signalled to end. */
const PROGRAM = `#!/bin/sh
trap 'echo "asked to end"; exit 0' TERM
n=0
while true; do n=$((n+1)); echo "WARN tick $n 日本"; echo "INFO tock $n $(printf 'x%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70)END"; sleep 0.1; done
`;

let network: Network;
let terminal: Tmux;

beforeAll(async () => {
  if (missing !== undefined) return;
  network = await createNetwork();
  const program = join(network.home, 'ticker');
  writeFileSync(program, PROGRAM);
  chmodSync(program, 0o755);
  const file = join(network.home, network.instance, 'networks-config.toml');
  const service = `\n[networks.local.services.ticker]\nname = "ticker"\nlocal_path = ${JSON.stringify(program)}\n`;
  writeFileSync(file, readFileSync(file, 'utf8') + service);
  // However long a slow machine takes, the first lines are still there.
  writeFileSync(join(network.home, 'tui-config.toml'), 'max_ui_log_lines = 0\n');
});

afterEach(async () => {
  if (missing !== undefined) return;
  // The terminal may close before everything has ended.
  await network?.switchyard('dev', 'stop', '--instance', network.instance);
  await terminal?.close();
});

afterAll(() => network?.dispose());

async function started(
  columns: number,
  rows: number,
  { env = {}, mode = '' }: { readonly env?: NodeJS.ProcessEnv; readonly mode?: '' | '--processes' } = {},
): Promise<void> {
  terminal = await openTmux({ columns, rows }, { ...network.env, ...env });
  const command = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
  await terminal.type(
    `${process.execPath} ${command} dev run ${mode} --instance ${network.instance}; echo "ended with $?"`,
  );
  await terminal.sees(/all ready/, 60_000);
}

/** The screen is whole: as many rows as the terminal has, borders above each other, the help not cut. */
async function expectWhole(columns: number, rows: number, ...help: readonly string[]): Promise<void> {
  // A picture may be taken in the middle of a frame.
  await until('the screen is whole', async () => {
    const seen = await terminal.rows();
    expect(seen).toHaveLength(rows);
    for (const row of seen) {
      if (row.startsWith('╭')) expect(row).toMatch(/╮$/);
      if (row.startsWith('╰')) expect(row).toHaveLength(columns);
      if (row.startsWith('│')) expect(row).toMatch(/│$/);
    }
    const text = seen.join('  ');
    for (const words of help) expect(text).toContain(words);
    return true;
  });
}

/** A reply to a key takes the place of the notice that all is ready, which else covers the help for a quarter of a minute, and ends with the next key. */
async function dismissNotice(): Promise<void> {
  await terminal.press('i');
  await terminal.sees(/start page +http:/);
  await terminal.press('y');
  await terminal.sees(/^http:\S+ copied/m);
  expect(await terminal.clipboard()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await terminal.press('q');
}

const getState = async (name: string) => {
  const { stdout } = await network.switchyard('dev', 'status', '--instance', network.instance, '--json');
  // Our own tool wrote it.
  const { services } = JSON.parse(stdout) as { services: { name: string; state: string; pid?: number }[] };
  return services.find((service) => service.name === name);
};

const MAIN_HELP = [
  '↑/↓ select',
  'Enter log',
  'r restart',
  's stop',
  '/ search',
  'f filter',
  'a follow',
  'l all logs',
  't transactions',
  'i info',
  ': command',
  'w wrap',
  '? help',
  'q stop all',
];

describe.skipIf(missing !== undefined)('in a terminal', () => {
  test('of 80 × 24, every key does what the help describes', async () => {
    await started(80, 24, { mode: '--processes' });
    await dismissNotice();
    await expectWhole(80, 24, ...MAIN_HELP);
    const services = ['sequencer', 'composer', 'rollup', 'conductor', 'explorer', 'ticker'];
    for (const service of services) await terminal.sees(new RegExp(`^ ${service} +ready `, 'm'));
    expect(await terminal.modes()).toEqual({ alternate: true, cursor: false, wrap: false });
    await terminal.sees(/^sequencer \d+ {2}messenger \d+ lag \d+ /m);
    await terminal.sees(/rollup http:\/\/127\.0\.0\.1:\d+/);
    await terminal.sees(/^ rollup +ready +height \d+ +0 +\d+s +[\d.]+% +\d+M /m);

    // Up goes around to the last service. Its log is below, with the time of arrival.
    await terminal.press('Up');
    await terminal.sees(/╭─ ticker ─[\s\S]*│\d\d:\d\d:\d\d\.\d{3} (WARN tick|INFO tock) \d+/);
    await terminal.press('T');
    await terminal.sees(/│(WARN tick|INFO tock) \d+/);

    // Scrolling in its log pauses that one, and no other.
    await terminal.press('PageUp');
    await terminal.sees(/╭─ ticker ─ paused, \d+ below[\s\S]*a follow off/);
    await terminal.press('l');
    await terminal.sees(/╭─ all services ─+╮[\s\S]*a follow ON/);
    await terminal.press('q', 'Down');
    await terminal.sees(/╭─ sequencer ─ ports [\s\S]*a follow ON/);

    // A log for each service.
    await terminal.press('v');
    for (const service of ['sequencer', 'composer']) await terminal.sees(new RegExp(`╭─ ${service} ─ ready`));
    await terminal.press('m');
    await terminal.sees(/╭─ sequencer ─ ready .*╮\n╰/);
    await terminal.press('m', 'v', 'Enter');
    await terminal.sees(/program builtin:sequencer {2}version .*\nlog file .*\nlistens CometBFT RPC http/);
    await expectWhole(80, 24, '0/1 head/tail', 'b borderless off', '? help', 'q/Esc back');
    await terminal.press('Escape');
    await terminal.sees(/^ rollup +ready/m);

    // In the ticker's full screen: scrolling.
    await terminal.press('Up', 'a', 'Tab');
    await terminal.sees(/a follow ON/);
    await terminal.press('Up');
    const still = await terminal.sees(/paused, \d+ below[\s\S]*a follow off/);
    const ticks = (text: string) => Array.from(text.matchAll(/tick (\d+)/g), ([, number]) => Number(number));
    await until('more lines came', async () => {
      const now = ticks(await terminal.sees(/tick/));
      expect(now).toEqual(ticks(still));
      return (await getState('ticker'))?.state === 'ready' ? true : undefined;
    });
    await terminal.press('0');
    await terminal.sees(/\[switchyard\] started, pid \d+/);
    await terminal.press('Down');
    await terminal.sees(/│WARN tick 1 日本/);
    await terminal.press('1');
    await terminal.seesNo(/WARN tick 1 /);
    await terminal.press('a');
    await terminal.sees(/a follow ON/);
    await terminal.press('w');
    await terminal.sees(/w wrap ON/);
    await terminal.sees(/^│x*END +│$/m);
    await terminal.press('c');
    await terminal.sees(/^\d+ lines copied/m);
    expect(await terminal.clipboard()).toMatch(
      /^\[switchyard\] started, pid \d+\n[\s\S]*\nWARN tick 1 日本\nINFO tock 1 /,
    );
    await terminal.press('w', 'b');
    await terminal.sees(/b borderless ON/);
    expect((await terminal.rows()).join('')).not.toContain('│');
    await terminal.press('b');
    await terminal.sees(/b borderless off/);

    // Search and filter.
    await terminal.press('/');
    await terminal.sees(/^search:/m);
    await terminal.press('tick 3 ', 'Enter');
    await terminal.sees(/search tick 3 [\s\S]*tick 3 日本[\s\S]*n\/N next/);
    await terminal.press('/', 'no such thing', 'Enter');
    await terminal.sees(/no line with no such thing/);
    await terminal.press('/', 'Enter', 'a', 'f', 'warn', 'Enter');
    await terminal.sees(/filter warn/);
    await terminal.seesNo(/tock/);
    await terminal.press('f', '(', 'Enter');
    await terminal.sees(/not a regular expression/);
    await terminal.press('Escape', 'f', 'tock.*END$', 'Enter');
    await terminal.seesNo(/tick \d/);
    await terminal.press('f', 'Enter');
    await terminal.sees(/tick \d/);

    // One service: stop, start, restart.
    const before = await getState('ticker');
    await terminal.press('f', 'asked to end', 'Enter');
    await terminal.sees(/filter asked to end/);
    await terminal.press('r');
    await terminal.sees(/│asked to end/);
    await terminal.press('f', 'Enter');
    await until('another process runs', async () => {
      const now = await getState('ticker');
      return now?.pid !== undefined && now.pid !== before?.pid ? true : undefined;
    });
    await terminal.press('s');
    await terminal.sees(/ticker ─ stopped[\s\S]*s start/);
    await terminal.press(':', 'start tick', 'Tab', 'Enter');
    await terminal.sees(/ticker ─ ready/);

    // Other views.
    await terminal.press('l');
    await terminal.sees(/╭─ all services/);
    await terminal.sees(/│ticker +│ (WARN tick|INFO tock) \d+/);
    await expectWhole(80, 24, 'q/Esc back');
    await terminal.press('?');
    for (const words of ['fold one of these', 'the logs of all services', 'stop everything and end']) {
      expect(await terminal.sees(/^Services /m)).toContain(words);
    }
    await terminal.press('q');
    await terminal.sees(/╭─ all services/);
    await terminal.press('q', 't');
    await terminal.sees(/No transaction has come to the composer yet/);
    await terminal.press('q');
    await terminal.sees(/^ rollup +ready/m);

    await terminal.press('q');
    await terminal.sees(/q again stops everything/);
    await terminal.press('q');
    await terminal.sees(/all services stopped[\s\S]*ended with 0/, 60_000);
    expect(await terminal.history()).not.toMatch(/^ready /m);
    expect(await terminal.modes()).toEqual({ alternate: false, cursor: true, wrap: true });
  });

  test('of 200 × 50, a transaction is followed from the queue into a rollup block', async () => {
    await started(200, 50);
    await dismissNotice();
    await expectWhole(200, 50, ...MAIN_HELP);
    const key = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
    const submitted = await network.rollupCli('submit', 'text', 'hello', 'alice', '--private-key', key, '--json');
    // Our own tool wrote it.
    const { hash } = JSON.parse(submitted.stdout) as { hash: string };
    await terminal.press('t');
    await terminal.sees(new RegExp(`messenger +${hash} +firm +\\d+ +\\d+ +[\\d.]+ m?s`));
    await terminal.sees(
      new RegExp(`hash +${hash}[\\s\\S]*bundle +[0-9a-f]{64}[\\s\\S]*in rollup block \\d+[\\s\\S]*firm +yes`),
    );
    await expectWhole(200, 50, 'q/Esc back');
    await terminal.press('c');
    await terminal.sees(/the hash copied/);
    expect(await terminal.clipboard()).toBe(hash);
    await terminal.press('q', 'l', 'w', 'b');
    await terminal.sees(/b borderless ON/);
    await terminal.press('b', 'q', 'Down', 'Enter');
    await terminal.sees(/╭─ composer ─ ready · queue 0 · pid \d+ · up /);
    await expectWhole(200, 50, 'b borderless off');
    await terminal.press('q');

    // Resized to next to nothing and back.
    await terminal.resize(1, 1);
    await terminal.resize(20, 3);
    await terminal.resize(300, 2);
    await terminal.resize(40, 10);
    await terminal.sees(/^ conductor +ready/m);
    await expectWhole(40, 10, '? help', 'q stop all');
    await terminal.resize(80, 24);
    await terminal.sees(/^ rollup +ready/m);
    await expectWhole(80, 24, ...MAIN_HELP);

    // A rollup that is down: its state in the place of its height.
    await terminal.press('Down', 's');
    await terminal.sees(/^sequencer \d+ {2}messenger stopped /m);
    await terminal.sees(/^ rollup +stopped/m);

    await terminal.press('C-c');
    await terminal.sees(/ended with 0/, 60_000);
    expect(await terminal.modes()).toEqual({ alternate: false, cursor: true, wrap: true });
  });

  test.each([
    ['SIGTERM', 0],
    ['SIGHUP', 0],
    ['SIGQUIT', 131],
  ] as const)('is as it was before after %s', async (signal, status) => {
    await started(80, 24);
    process.kill(await terminal.child(), signal);
    await terminal.sees(new RegExp(`ended with ${status}`), 60_000);
    expect(await terminal.modes()).toEqual({ alternate: false, cursor: true, wrap: true });
    await terminal.type('echo it is sane');
    await terminal.sees(/^it is sane$/m);
  });

  test('that lacks colours and letters shows all the same', async () => {
    await started(80, 24, { env: { NO_COLOR: '1', LC_ALL: 'C' } });
    const screen = await terminal.styled();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that of the escape sequences
    expect(screen).not.toMatch(/[^\n\x1b\x20-\x7e]/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that of the escape sequences
    expect(screen).not.toMatch(/\x1b\[(?:\d+;)*(?:[34][0-8]|9\d|10\d)[;m]/);
    await terminal.sees(/^\+- sequencer - ports /m);
    await terminal.press('q', 'q');
    await terminal.sees(/ended with 0/, 60_000);
  });

  test('is as it was before after an unforeseen error, and the error can be read', async () => {
    const onSignal = "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a bug of ours') }))";
    await started(80, 24, { env: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(onSignal)}"` } });
    process.kill(await terminal.child(), 'SIGUSR2');
    const text = await terminal.sees(/ended with [1-9]/, 60_000);
    expect(text).toContain('a bug of ours');
    expect(await terminal.modes()).toEqual({ alternate: false, cursor: true, wrap: true });
    await terminal.type('echo it is sane');
    await terminal.sees(/^it is sane$/m);
  });
});
