import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startInstance } from '../run/start.ts';
import { programsInstance, scratchPaths } from '../testing.ts';
import { requireVersion } from './binary.ts';

/** A program that answers every argument with this script. */
function program(script: string): string {
  const path = join(scratchPaths().home, 'cometbft');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

test.each([['0.38.26'], ['v0.38.17'], ['0.38.26+abc123']])('%s is one that works with ours', async (version) => {
  await expect(requireVersion(program(`echo ${version}`))).resolves.toBeUndefined();
});

test.each([
  ['another series', 'echo 1.0.1', 'expected cometbft 0.38 (tried with 0.38.26), got 1.0.1'],
  ['no CometBFT', 'echo hello', 'got "hello"'],
  ['one that fails', 'exit 3', 'got Command failed'],
])('%s is refused before anything is started', async (_, script, message) => {
  const paths = scratchPaths();
  const home = join(paths.home, 'node');
  mkdirSync(join(home, 'config'), { recursive: true });
  writeFileSync(join(home, 'config', 'config.toml'), '');
  programsInstance(paths, { cometbft: '' }, { cometbft: `args = ["start", "--home", ${JSON.stringify(home)}]` });
  const described = readFileSync(paths.networks, 'utf8');
  writeFileSync(paths.networks, described.replace(/local_path = .*/, 'local_path = ""'));
  const env = { PATH: process.env.PATH, SWITCHYARD_COMETBFT: program(script) };
  const starting = startInstance({ paths, network: 'local', env });
  await expect(starting).rejects.toThrow(message);
});
