import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { group, leaf } from '../../cli.ts';
import { runWith } from '../../testing.ts';
import { getPaths, type InstanceOptions, instanceFlag, withInstance } from './options.ts';

/** The instance that a command finds, and how a hint names it. */
function asker(tuiConfig?: string) {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-options-'));
  if (tuiConfig !== undefined) writeFileSync(join(home, 'tui-config.toml'), tuiConfig);
  return async (args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) => {
    const ran = await runWith(
      (cli) =>
        group('dev', 'x', [
          withInstance(leaf('which', 'x', '')).action(async (options: InstanceOptions) =>
            cli.print({}, `${(await getPaths(options, cli)).name}${instanceFlag(options)}`),
          ),
        ]),
      ['which', ...args],
      { env: { SWITCHYARD_HOME: home, ...env } },
    );
    return (ran.stdout + ran.stderr).trim();
  };
}
const MINE = 'override_instance_name = "mine"';

test('the flag wins over the variable, the variable over the file, the file over the default', async () => {
  const [plain, overridden] = [asker(), asker(MINE)];
  const variable = { SWITCHYARD_INSTANCE_NAME: 'other' };
  expect([
    await plain(),
    await overridden(),
    await overridden([], variable),
    await overridden([], { ASTRIA_GO_INSTANCE: 'old', SWITCHYARD_INSTANCE_NAME: '' }),
    await overridden([], { ASTRIA_GO_INSTANCE: 'old', ...variable }),
    await overridden(['--instance', 'default'], variable),
  ]).toEqual(['default', 'mine', 'other', 'old', 'other', 'default --instance default']);
});

test('a variable that names no instance is refused, not passed over', async () => {
  expect(await asker(MINE)([], { SWITCHYARD_INSTANCE_NAME: '/tmp/x' })).toContain('instance name: expected lower-case');
});

test.each([
  ['override_instance_name = "../x"', 'override_instance_name: expected lower-case'],
  ['override_instance_name = ', 'not valid TOML'],
])('a file with mistakes is reported and stops no command: %s', async (text, problem) => {
  const output = await asker(text)();
  expect(output).toMatch(/^default\n/);
  expect(output).toContain(problem);
});

test('other mistakes of the file are no business of a command', async () => {
  expect(await asker('wrap_lines = 5')()).toBe('default');
});
