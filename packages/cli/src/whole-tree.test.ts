import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import { type Cli, createCli } from './cli.ts';
import { wholeProgram } from './commands/completion.ts';
import type { Connections } from './connect.ts';
import { getExamples } from './examples.ts';
import { rollupCli } from './rollup-cli.ts';
import { switchyard } from './switchyard.ts';
import { runWith } from './testing.ts';

const nowhere = () => Promise.reject(new Error('no node is asked'));
const connect: Connections = {
  rollup: nowhere,
  sequencer: nowhere,
  evm: nowhere,
  composer: nowhere,
  withdrawer: nowhere,
};
const world = { env: {}, directory: '/', stdout: { write() {} }, stderr: { write() {} }, ask: nowhere, onStop() {} };
const cli = createCli(world);

const PROGRAMS = {
  switchyard: {
    whole: () => wholeProgram((args) => switchyard(cli, args, connect)),
    build: (args: readonly string[]) => (one: Cli) => switchyard(one, args, connect),
  },
  'rollup-cli': {
    whole: async () => rollupCli(cli, connect),
    build: () => (one: Cli) => rollupCli(one, connect),
  },
} as const;

interface Found {
  readonly command: CommandUnknownOpts;
  /** Words after the program's name. */
  readonly path: readonly string[];
}

function below(command: CommandUnknownOpts, path: readonly string[] = []): Found[] {
  return [{ command, path }, ...command.commands.flatMap((child) => below(child, [...path, child.name()]))];
}

/** Splits an example into words as a shell would, for the syntax that the examples use. */
const words = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Options of other programs: helm, docker and cluster tools. */
const FOREIGN = ['--values', '--file'];

// Defect: Message named an option that did not exist
test('the options that texts of these commands name exist', async () => {
  const all = await Promise.all(Object.values(PROGRAMS).map(({ whole }) => whole()));
  const options = all.flatMap((program) => below(program)).flatMap(({ command }) => command.options);
  const known = new Set([...options.map(({ long }) => long), ...FOREIGN, '--help']);
  const unknown = ['commands', 'deployments'].flatMap((place) => {
    const directory = join(import.meta.dirname, place);
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    return files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => {
        const named = readFileSync(join(directory, file), 'utf8').match(/(?<![\w-])--[a-z][\w.-]*[a-z\d]/g) ?? [];
        return named.filter((option) => !known.has(option)).map((option) => `${file}: ${option}`);
      });
  });
  expect(unknown).toEqual([]);
});

describe.each(Object.entries(PROGRAMS))('%s', async (name, { whole, build }) => {
  const commands = below(await whole());
  const run = (args: readonly string[]) => runWith(build(args), args);
  const leaves = commands.filter(({ command }) => command.commands.length === 0);

  test('has all of its commands', () => {
    expect(leaves.length).toBeGreaterThan(name === 'switchyard' ? 45 : 7);
  });

  test.each(commands.map(({ path }) => [path.join(' '), path]))('the help of "%s" has an example', async (_, path) => {
    const { status, stdout } = await run([...path, '--help']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/\nExamples?:\n {2}\S/);
    const [, examples = ''] = stdout.split(/\nExamples?:\n/);
    expect(examples).toContain(`  ${[name, ...path].join(' ')}`);
  });

  const groups = commands.filter(({ command }) => command.commands.some((child) => child.name() !== 'get'));
  test.each(groups.map(({ path }) => [path.join(' '), path]))(
    'an unknown command of "%s" is a mistake with --help too',
    async (_, path) => {
      const { status, stdout, stderr } = await run([...path, 'no-such-command', '--help']);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain("unknown command 'no-such-command'");
    },
  );

  test.each(leaves.map(({ command, path }) => [path.join(' '), command, path] as const))(
    'the examples of "%s" can be typed as they are',
    async (_, __, path) => {
      // A tree of its own, whose commands do nothing when they are called.
      const program = await whole();
      let called = 0;
      const count = () => {
        called += 1;
      };
      for (const { command } of below(program)) {
        command.exitOverride().configureOutput({ writeErr() {}, outputError() {} });
        if (command.commands.length === 0) command.action(count);
      }
      const own = below(program).find((found) => found.path.join() === path.join());
      const examples = own === undefined ? [] : getExamples(own.command);
      for (const example of examples) await program.parseAsync(words(example).slice(1), { from: 'user' });
      expect(called).toBe(examples.length);
      expect(called).toBeGreaterThan(0);
    },
  );

  test.each(leaves.map(({ path }) => [path.join(' '), path]))('an error of "%s" in usage is JSON', async (_, path) => {
    const { status, stdout, stderr } = await run([...path, '--json', '--no-such-option']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage', status: 2, message: expect.stringMatching(/--help`$/) },
    });
  });

  const ofInstances = leaves.filter(({ command }) => command.options.some(({ long }) => long === '--instance'));
  test.each(ofInstances.map(({ command, path }) => [path.join(' '), command, path] as const))(
    'an error of "%s" about its work is JSON',
    async (_, command, path) => {
      const example = words(getExamples(command)[0] ?? '').slice(1 + path.length);
      const args = [...path, ...example, '--json', '--home', '/dev/null/none', '--instance', 'none'];
      const { status, stderr } = await run(args);
      expect(status).not.toBe(0);
      const lines = stderr.trimEnd().split('\n');
      expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
        error: { code: expect.stringMatching(/^(usage|failed)$/), status, message: expect.stringMatching(/\S/) },
      });
      for (const line of lines.slice(0, -1)) expect(JSON.parse(line)).toEqual({ note: expect.any(String) });
    },
  );
});
