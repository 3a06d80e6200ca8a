import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { readJsonFile } from '@switchyard/service/lenient';
import { unnamed } from '../commands/dev/options.ts';
import { homeDirectory, instanceNames } from '../dev/instance/home.ts';
import { type Dynamic, expectedAfter } from './tree.ts';

/**
 * Output of `switchyard __complete -- WORDS` for the shell: the candidates for the last word, one a line, each followed by a
 * tab and a description; `:file` or `:directory` if the shell completes these itself.
 *
 * @param words The command line so far; `--instance`, `--home` and `--network` in it count.
 * @returns nothing when anything is wrong: a shell that completes is no place for messages.
 */
export async function completions(program: CommandUnknownOpts, words: readonly string[], env: NodeJS.ProcessEnv) {
  const before = words.slice(0, -1);
  const expected = expectedAfter(program, before, words.at(-1) ?? '');
  if (typeof expected !== 'string') return expected.map(([word, text]) => (text === '' ? word : `${word}\t${text}`));
  if (expected === 'any') return [];
  if (expected === 'file' || expected === 'directory') return [`:${expected}`];
  return getValues(expected, before, env).catch(() => []);
}

/** Names that exist on this machine, by the options already typed. */
export async function getValues(kind: Dynamic, words: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const option = optionsIn(words);
  const home = homeDirectory(option('--home'), env);
  const directory = join(home, option('--instance') ?? (await unnamed(home, { world: { env }, note: () => {} })));
  switch (kind) {
    case 'instances':
      return instanceNames(home);
    case 'snapshots':
      return directories(join(directory, 'snapshots'));
    case 'networks':
      return Object.keys(await getNetworks(directory));
    case 'services':
      return getServices(directory, option('--network'));
    case 'accounts': {
      const { devAccounts } = await import('@switchyard/network/accounts');
      return devAccounts.map(({ name, address }) => `${address}\t${name}`);
    }
  }
}

/** Looks for the value of an option in both of its forms. Some shells split `--home=x` into three words. */
function optionsIn(words: readonly string[]) {
  return (option: string): string | undefined => {
    const index = words.lastIndexOf(option);
    if (index >= 0) return words[words[index + 1] === '=' ? index + 2 : index + 1];
    return words.findLast((word) => word.startsWith(`${option}=`))?.slice(option.length + 1);
  };
}

function directories(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}

async function getNetworks(directory: string): Promise<Readonly<Record<string, unknown>>> {
  const { isTable, readToml } = await import('../dev/files/toml.ts');
  const { networks } = readToml(join(directory, 'networks-config.toml'));
  return isTable(networks) ? networks : {};
}

/** Services of the named network, else of the running one, else of all. */
async function getServices(directory: string, named: string | undefined): Promise<string[]> {
  const { isTable } = await import('../dev/files/toml.ts');
  const networks = await getNetworks(directory);
  const only = named ?? runningNetwork(directory);
  const names = Object.entries(networks).flatMap(([network, table]) => {
    if (!isTable(table) || !isTable(table.services) || (only !== undefined && only !== network)) return [];
    return Object.entries(table.services).map(([label, service]) =>
      isTable(service) && typeof service.name === 'string' ? service.name : label,
    );
  });
  return [...new Set(names)];
}

function runningNetwork(directory: string): string | undefined {
  return readJsonFile(join(directory, 'run.json'), (run) => run.at('network').text());
}
