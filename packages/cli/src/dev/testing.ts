import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InitOptions, initInstance } from './init/init.ts';
import { type InstancePaths, instancePaths } from './instance/home.ts';
import { BUILTINS, type Builtins } from './services/builtin.ts';

/** Builtins whose entry files exist, built or not. */
export const BUILT: Builtins = builtAt(import.meta.filename);

function builtAt(entry: string): Builtins {
  const found = Object.keys(BUILTINS).map((name) => [name, entry]);
  // The entries keep the names of the table.
  return Object.fromEntries(found) as Builtins;
}

/** Paths of an instance in an empty home of its own. */
export function scratchPaths(name = 'test'): InstancePaths {
  return instancePaths(mkdtempSync(join(tmpdir(), 'switchyard-cli-')), name);
}

/** Paths of an instance after `dev init`. */
export function scratchInstance(options: InitOptions = {}): InstancePaths {
  const paths = scratchPaths();
  // Most tests are about other services.
  initInstance(paths, { dataAvailability: 'none', ...options });
  return paths;
}

const EARLIER = join(import.meta.dirname, '..', '..', 'testdata', 'instance-0.1');

/** Paths of an instance with the settings that version 0.1 wrote, which spell out derived values. */
export function earlierInstance(template = 'messenger'): InstancePaths {
  const paths = scratchInstance({ template });
  const directory = join(EARLIER, template.replace(',', '-'));
  copyFileSync(join(directory, 'networks-config.toml'), paths.networks);
  copyFileSync(join(directory, 'base-config.toml'), paths.base);
  return paths;
}

/** Fills an instance whose services are small programs of the user's, run by this Node. */
export function programsInstance(
  paths: InstancePaths,
  scripts: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): void {
  mkdirSync(paths.config, { recursive: true });
  const services = Object.entries(scripts).map(([name, script]) => {
    const program = join(paths.home, `${name}.cjs`);
    writeFileSync(program, `#!${process.execPath}\n${script}\n`, { mode: 0o755 });
    return `[networks.local.services.${name}]\nlocal_path = ${JSON.stringify(program)}\n${more[name] ?? ''}\n`;
  });
  const network = ['sequencer_chain_id', 'sequencer_grpc', 'sequencer_rpc', 'rollup_name', 'native_denom'];
  writeFileSync(paths.base, 'greeting = "hello"\n');
  writeFileSync(
    paths.networks,
    `[networks.local]\nstart_page = ""\n${network.map((key) => `${key} = "http://127.0.0.1:9"\n`).join('')}${services.join('')}`,
  );
}
