import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alice } from '@switchyard/network/accounts';
import { describe, expect, test } from 'vitest';
import { initInstance } from '../dev/init/init.ts';
import { instancePaths } from '../dev/instance/home.ts';
import { rollupCli } from '../rollup-cli.ts';
import { switchyard } from '../switchyard.ts';
import { runWith } from '../testing.ts';
import type { Dynamic } from './tree.ts';
import { completions, getValues } from './values.ts';

const home = mkdtempSync(join(tmpdir(), 'switchyard-completion-'));
for (const name of ['default', 'other']) initInstance(instancePaths(home, name), {});
mkdirSync(join(home, 'no-instance'));
mkdirSync(join(home, 'other', 'snapshots', 'before-upgrade'), { recursive: true });
mkdirSync(join(home, 'other', 'snapshots', '.unfinished.new-1'));
const env = { SWITCHYARD_HOME: home };

const values = (kind: Dynamic, ...words: string[]) => getValues(kind, words, env);

/** Words that may come after these, the last of which is being typed; without descriptions. */
async function after(...words: string[]): Promise<string[]> {
  let found: readonly string[] = [];
  await runWith(
    async (cli) => {
      const program = await switchyard(cli, words.slice(0, -1));
      found = await completions(program, words, env);
      return program;
    },
    ['version'],
  );
  return found.map((line) => line.split('\t')[0] ?? '');
}

test('names that exist on this machine, by the options already typed', async () => {
  expect(await values('instances')).toEqual(['default', 'other']);
  expect(await values('networks', 'dev', 'run')).toContain('local');
  expect(await values('services', '--network', 'local')).toEqual([
    ...['sequencer', 'composer', 'da', 'relayer', 'conductor', 'rollup', 'withdrawer', 'messenger-faucet'],
    'explorer',
  ]);
  expect(await values('services', '--network', 'no-such')).toEqual([]);
  expect(await values('snapshots', '--instance=other')).toEqual(['before-upgrade']);
  // Bash splits the option in this way.
  expect(await values('snapshots', '--instance', '=', 'other')).toEqual(['before-upgrade']);
  expect(await after('dev', 'snapshot', 'restore', '')).toEqual([]);
  expect(await getValues('snapshots', [], { ...env, SWITCHYARD_INSTANCE_NAME: 'other' })).toEqual(['before-upgrade']);
  expect((await values('accounts'))[0]).toBe(`${alice.address}\talice`);
});

test('commands, options and their values come from the tree of commands', async () => {
  expect(await after('')).toEqual(expect.arrayContaining(['dev', 'sequencer', 'completion', 'version']));
  expect((await after('dev', 'snapshot', '')).sort()).toEqual(['list', 'remove', 'restore', 'save']);
  expect(await after('dev', 'versions', '-')).toContain('--json');
  // The value of an option is no command, wherever it stands.
  expect(await after('dev', 'run', '--instance', 'stop', '--head')).toContain('--headless');
  expect(await after('dev', 'run', '--instance', '')).toEqual(['default', 'other']);
  expect(await after('up', '--template', '')).toEqual(['messenger', 'evm', 'messenger,evm', 'empty']);
  expect(await after('new', 'mine', '--template', '')).toContain('token');
  expect(await after('dev', 'run', '--instance=o')).toEqual(['default', 'other']);
  expect(await after('dev', 'run', '--instance', '=', 'o')).toEqual(['default', 'other']);
  expect(await after('--instance', '')).toEqual(['default', 'other']);
  expect(await after('dev', 'snapshot', 'restore', '--instance', 'other', 'b')).toEqual(['before-upgrade']);
  expect(await after('dev', 'snapshot', 'restore', '--instance', 'other', '--', '-')).toEqual(['before-upgrade']);
  expect(await after('dev', 'logs', 'composer', '')).toContain('sequencer');
  expect(await after('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(await after('dev', 'run', '--da', '')).toEqual(['none', 'local', 'celestia']);
  expect(await after('dev', 'run', '--home', '')).toEqual([':directory']);
  expect(await after('dev', 'run', '--evm-path', '')).toEqual([':file']);
  expect(await after('dev', 'snapshot', 'restore', 'one', '')).toEqual([]);
  expect(await after('sequencer', 'transfer', '--amount', '')).toEqual([]);
  expect(await after('nonsense', '')).toContain('dev');
});

test('broken files give nothing, and no failure', async () => {
  const broken = instancePaths(mkdtempSync(join(tmpdir(), 'switchyard-completion-')), 'default');
  mkdirSync(broken.directory);
  writeFileSync(broken.networks, 'a = = b');
  writeFileSync(broken.run, '{');
  expect(await after('dev', 'stop', '--home', broken.home, '')).toEqual([]);
  expect(await after('dev', 'stop', '--home', '/nowhere', '--instance', '')).toEqual([]);
  expect(await after('dev', 'run', '--home', '/proc/1/root/x', '--network', '')).toEqual([]);
});

/** The script of a program, in a file; and a directory with the program as the shell finds it. */
async function getScript(program: 'switchyard' | 'rollup-cli', shell: string) {
  const args = ['completion', shell];
  const { stdout, status } = await runWith(
    (cli) => (program === 'switchyard' ? switchyard(cli, args) : rollupCli(cli)),
    args,
  );
  expect(status).toBe(0);
  const place = mkdtempSync(join(tmpdir(), 'switchyard-completion-'));
  writeFileSync(join(place, 'script'), stdout);
  // Answers like the real one, without a build: its arguments, and two names; or that the shell knows the directories.
  const answers =
    'case "$*" in *--home*) echo :directory ;; *) echo "got:$*"; echo "name-1\tabout it"; echo "--flag\tone" ;; esac';
  writeFileSync(join(place, program), `#!/bin/sh\nshift\n${answers}\n`, { mode: 0o755 });
  return { script: join(place, 'script'), path: `${place}:${process.env.PATH}` };
}

/** Candidates for the last word of a command line, without their descriptions. */
type Complete = (words: readonly string[]) => string[];

const shells: Readonly<Record<string, (script: string, path: string) => Complete>> = {
  bash: (script, path) => (words) =>
    run(
      'bash',
      [
        ...['--norc', '-c'],
        `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _\${1//-/_}; printf '%s\\n' "\${COMPREPLY[@]}"`,
        ...[script, ...words],
      ],
      path,
    ),
  zsh: (script, path) => (words) =>
    run(
      'zsh',
      [
        ...['-f', '-c'],
        `compdef() { :; }; compadd() { print -rl -- $names; }; compset() { PREFIX=\${PREFIX#*=}; }; _files() { print -r -- "files $*"; }
script=$1; shift; source $script; words=("$@"); CURRENT=$#; PREFIX=$words[-1]; _\${1//-/_}`,
        ...['zsh', script, ...words],
      ],
      path,
    ).filter((word) => word.startsWith(words.at(-1)?.replace(/^--[^=]*=/, '') ?? '') || word.startsWith('files')),
  fish: (script, path) => (words) =>
    run(
      'fish',
      ['--no-config', '-c', 'source $argv[1]; complete -C (string join " " -- $argv[2..-1])', script, ...words],
      path,
    ),
};

function run(shell: string, args: readonly string[], path: string): string[] {
  const { stdout, stderr } = spawnSync(shell, args, {
    encoding: 'utf8',
    env: { PATH: path, HOME: home, LANG: 'C.UTF-8' },
  });
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .filter((word) => word !== '');
}

const installed = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

describe.each(Object.entries(shells))('%s', (shell, make) => {
  test.skipIf(!installed(shell))('offers what the program answers to the words so far', async () => {
    const { script, path } = await getScript('switchyard', shell);
    const complete = make(script, path);
    expect(complete(['switchyard', 'dev', 'run', 'n'])).toEqual(['name-1']);
    expect(complete(['switchyard', 'dev', 'run', '--f'])).toEqual(['--flag']);
    expect(complete(['switchyard', 'dev', 'run', '--network', ''])).toContain('got:-- dev run --network ');
    expect(complete(['switchyard', ''])).toContain('got:-- ');
    // The program that stands in repeats the word, and fish looks for it anywhere in a candidate.
    if (shell !== 'fish') expect(complete(['switchyard', 'dev', 'x'])).toEqual([]);
  });

  test.skipIf(!installed(shell))('completes a value after =, and directories', async () => {
    const { script, path } = await getScript('switchyard', shell);
    const complete = make(script, path);
    const after = shell === 'bash' ? ['--network', '=', 'na'] : ['--network=na'];
    const [value] = complete(['switchyard', 'dev', 'run', ...after]);
    expect(value).toBe(shell === 'fish' ? '--network=name-1' : 'name-1');
    const [directory] = complete(['switchyard', 'dev', 'run', '--home', `${home}/no-`]);
    expect(directory?.replace(/\/$/, '')).toBe(shell === 'zsh' ? 'files -' : join(home, 'no-instance'));
  });

  test.skipIf(!installed(shell))('completes rollup-cli too', async () => {
    const { script, path } = await getScript('rollup-cli', shell);
    expect(make(script, path)(['rollup-cli', 'query', 'balance', 'na'])).toEqual(['name-1']);
  });
});

test('scripts say how to load them', async () => {
  const { stdout } = await runWith((cli) => switchyard(cli, ['completion']), ['completion', '--help']);
  expect(stdout).toContain('source <(switchyard completion bash)');
  const wrong = await runWith((cli) => switchyard(cli, ['completion']), ['completion', 'tcsh']);
  expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish')]);
});
