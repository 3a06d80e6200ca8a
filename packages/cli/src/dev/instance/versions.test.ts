import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { devVersionCommand } from '../../commands/dev/dev.ts';
import { switchyard } from '../../switchyard.ts';
import { runWith } from '../../testing.ts';
import { VERSION } from '../../version.ts';
import { scratchInstance } from '../testing.ts';

test('each service with its version and program: ours as they are, others as in the file', async () => {
  const paths = scratchInstance();
  const program = join(paths.home, 'my-rollup');
  writeFileSync(program, '', { mode: 0o755 });
  const text = readFileSync(paths.networks, 'utf8').replace(
    'name = "rollup"\nversion = "v0.1.0"\ndownload_url = ""\nlocal_path = ""',
    `name = "mine"\nversion = "v7"\ndownload_url = ""\nlocal_path = ${JSON.stringify(program)}`,
  );
  writeFileSync(
    paths.networks,
    text.replace('name = "composer"\nversion = "v0.1.0"', 'name = "composer"\nversion = "v0.0.1"'),
  );
  const args = ['--home', paths.home, '--instance', paths.name];
  const { stdout } = await runWith((cli) => devVersionCommand(cli), args);
  expect(stdout.split('\n')).toEqual([
    `switchyard ${VERSION}; network local of instance test`,
    `  sequencer         v${VERSION}  built in: sequencer`,
    `  composer          v${VERSION}  built in: composer (networks-config.toml: v0.0.1)`,
    `  conductor         v${VERSION}  built in: conductor`,
    `  mine              v7      ${program}`,
    `  withdrawer        v${VERSION}  built in: withdrawer`,
    `  messenger-faucet  v${VERSION}  built in: faucet`,
    `  explorer          v${VERSION}  built in: explorer`,
    '',
  ]);
  const json = await runWith((cli) => devVersionCommand(cli), [...args, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    switchyard: VERSION,
    network: 'local',
    services: [{}, {}, {}, {}, {}, {}, {}],
  });
});

test('switchyard version names what a report of a problem needs', async () => {
  const { stdout } = await runWith((cli) => switchyard(cli, ['version']), ['version', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    version: VERSION,
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
  });
});
