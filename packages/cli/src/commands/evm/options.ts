import { Failure } from '@switchyard/service/failure';
import { type Cli, type OptionsOf, optionSet } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { instanceArguments } from '../../dev/instance/home.ts';
import type { EvmRollup } from '../../dev/networks/evm-rollup.ts';
import type { KeyOptions } from '../../key-options.ts';
import type { NamedSecret } from '../../keys.ts';
import { withInstanceNamed } from '../named-instance.ts';

export const DEFAULT_RPC_URL = 'http://127.0.0.1:8545';

export const withNode = optionSet((command) =>
  withInstanceNamed(
    command.option(
      '--rpc-url <url>',
      `JSON-RPC of the node (default: that of a named instance, else ETH_RPC_URL, else the instance's, else ${DEFAULT_RPC_URL})`,
    ),
  ),
);

type EvmOptions = OptionsOf<typeof withNode>;

/**
 * The EVM rollup that was meant; `undefined` if no instance was named and there is none with one.
 *
 * @throws {Failure} when one was named that is not there or has none.
 */
export async function findRollup(options: EvmOptions, cli: Cli): Promise<EvmRollup | undefined> {
  const { evmRollupIn } = await import('../../dev/networks/evm-rollup.ts');
  const { findTarget } = await import('../../target.ts');
  const chosen = await findTarget(options, cli, (instance) => evmRollupIn(instance) !== undefined);
  const found = chosen && evmRollupIn(chosen.instance);
  if (chosen === undefined || found !== undefined) return found;
  const { network, paths } = chosen.instance;
  throw new Failure(
    `${paths.networks}: network ${network.name} has no EVM rollup: add one with \`switchyard dev init --template evm${instanceArguments(paths)}\``,
  );
}

function isNamed({ instance, network }: EvmOptions): boolean {
  return instance !== undefined || network !== undefined;
}

/** Finds the rollup for a command that can do nothing without one. @throws {Failure} */
export async function requireRollup(options: EvmOptions, cli: Cli): Promise<EvmRollup> {
  const found = await findRollup(options, cli);
  if (found !== undefined) return found;
  throw new Failure(
    'no instance with an EVM rollup: name one with --instance, or make one with `switchyard dev init --template evm`',
  );
}

/** The node to ask: by flag, of the instance that was named, by environment, of the instance that runs, else the usual local one. */
export async function getNode(options: EvmOptions, cli: Cli, connect: Connections, rollup?: EvmRollup) {
  return connect.evm(await nodeUrl(options, cli, rollup));
}

/** The node that a transaction of the key is for. @throws {Failure} for a published key if the node is not local. */
export async function nodeForKey(options: EvmOptions & KeyOptions, key: NamedSecret, cli: Cli, connect: Connections) {
  const { mustBeLocal } = await import('../../keys.ts');
  const url = await nodeUrl(options, cli, undefined);
  mustBeLocal(key, url, options);
  return connect.evm(url);
}

async function nodeUrl(options: EvmOptions, cli: Cli, rollup: EvmRollup | undefined): Promise<string> {
  const { askedByUrl } = await import('../../target.ts');
  if (options.rpcUrl !== undefined) return askedByUrl(cli, '--rpc-url', options.rpcUrl);
  // An explicit flag takes precedence over the environment, which may name a node elsewhere.
  const variable = cli.world.env.ETH_RPC_URL ?? '';
  if (variable !== '' && !isNamed(options)) return askedByUrl(cli, 'ETH_RPC_URL', variable);
  const url = (rollup ?? (await findRollup(options, cli)))?.url;
  if (url === undefined)
    cli.nextStep = 'no instance has an EVM rollup: `switchyard dev init --template evm` adds one; or give --rpc-url';
  return url ?? DEFAULT_RPC_URL;
}
