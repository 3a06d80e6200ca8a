import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unnamed } from '../commands/dev/options.ts';
import { readJsonFile } from '../dev/files/read-json.ts';
import { homeDirectory } from '../dev/instance/home.ts';

/** Values that only this machine knows. */
export const DYNAMIC = ['instances', 'networks', 'services', 'snapshots', 'accounts'] as const;
export type Dynamic = (typeof DYNAMIC)[number];

/**
 * Output of `switchyard __complete KIND -- WORDS` for the shell: one value a line, followed by a tab and a description.
 *
 * @param words The command line so far; `--instance`, `--home` and `--network` in it count.
 * @returns nothing when anything is wrong: a shell that completes is no place for messages.
 */
export async function completions(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const [kind, , ...words] = args;
  const option = optionsIn(words);
  const home = homeDirectory(option('--home'), env);
  try {
    const directory = join(home, option('--instance') ?? (await unnamed(home, { world: { env }, note: () => {} })));
    switch (kind) {
      case 'instances':
        return directories(home).filter((name) => existsSync(join(home, name, 'networks-config.toml')));
      case 'snapshots':
        return directories(join(directory, 'snapshots'));
      case 'networks':
        return Object.keys(await networksOf(directory));
      case 'services':
        return await servicesOf(directory, option('--network'));
      case 'accounts': {
        const { devAccounts } = await import('@switchyard/network/accounts');
        return devAccounts.map(({ name, address }) => `${address}\t${name}`);
      }
      default:
        return [];
    }
  } catch {
    return [];
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

async function networksOf(directory: string): Promise<Readonly<Record<string, unknown>>> {
  const { isTable, readToml } = await import('../dev/files/toml.ts');
  const { networks } = readToml(join(directory, 'networks-config.toml'));
  return isTable(networks) ? networks : {};
}

/** Services of the network that was named, else of the one that runs, else of all. */
async function servicesOf(directory: string, named: string | undefined): Promise<string[]> {
  const { isTable } = await import('../dev/files/toml.ts');
  const networks = await networksOf(directory);
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
