import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import type { Connections, RollupPort } from '../../connections.ts';
import { instanceArguments } from '../../dev/instance/home.ts';
import { Failure } from '../../failure.ts';
import { type KeyOptions, withKey } from '../../key-options.ts';

export const DEFAULT_ROLLUP_URL = 'http://127.0.0.1:3030';

export interface RollupOptions {
  readonly rollupUrl?: string;
  readonly instance?: string;
  readonly network?: string;
  readonly home?: string;
}

/** Options of the commands that sign. */
export interface SubmitOptions extends RollupOptions, KeyOptions {
  readonly chainId?: string;
  readonly prefix: string;
  readonly feeAsset: string;
  readonly wait: boolean;
  readonly timeout: string;
}

export function withRollup(command: Command): Command {
  return command
    .option(
      '--rollup-url <url>',
      `HTTP address of the rollup (ROLLUP_URL; default: that of the instance, else ${DEFAULT_ROLLUP_URL})`,
    )
    .option('--instance <name>', 'which instance (SWITCHYARD_INSTANCE_NAME; default: the one that runs)')
    .option('--network <name>', "which network of the instance's networks-config.toml (default: the one that runs)")
    .option('--home <directory>', 'root of all instances (SWITCHYARD_HOME; default ~/.switchyard)');
}

export function withSubmit(command: Command, keyVariables: readonly string[]): Command {
  return withRollup(withKey(command, keyVariables))
    .option('--chain-id <id>', "the rollup's chain id (ROLLUP_CHAIN_ID; default: asked from the rollup)")
    .option('--prefix <prefix>', 'prefix of addresses', 'astria')
    .option('--fee-asset <asset>', 'asset that pays the fee: one that the rollup takes', 'nria')
    .option('--timeout <seconds>', 'longest wait for the execution', '60')
    .option('--no-wait', 'return when the rollup has accepted the transaction, do not wait for its execution');
}

/**
 * The rollup to ask: by flag, of the instance that was named, by environment, of the instance that runs, else the usual
 * local one.
 *
 * @throws {Failure} when the URL is none, the instance has no messenger, or it is not clear which instance is meant.
 */
export async function rollupOf(options: RollupOptions, cli: Cli, connect: Connections): Promise<RollupPort> {
  return connect.rollup(await rollupUrl(options, cli));
}

async function rollupUrl(options: RollupOptions, cli: Cli): Promise<string> {
  const [{ urlOf }, { askedByUrl, targetOf }] = await Promise.all([
    import('../../arguments.ts'),
    import('../../target.ts'),
  ]);
  if (options.rollupUrl !== undefined) {
    askedByUrl(cli, '--rollup-url', options.rollupUrl);
    return urlOf('--rollup-url', options.rollupUrl);
  }
  const isNamed = options.instance !== undefined || options.network !== undefined;
  const variable = cli.world.env.ROLLUP_URL ?? '';
  if (!isNamed && variable !== '') {
    askedByUrl(cli, 'ROLLUP_URL', variable);
    return urlOf('ROLLUP_URL', variable);
  }
  const { messengerUrlOf } = await import('../../dev/networks/messenger.ts');
  const chosen = await targetOf(options, cli, (instance) => messengerUrlOf(instance) !== undefined);
  if (chosen === undefined) return DEFAULT_ROLLUP_URL;
  const url = messengerUrlOf(chosen.instance);
  if (url !== undefined) return url;
  const { network, paths } = chosen.instance;
  throw new Failure(
    `${paths.networks}: network ${network.name} has no messenger: add one with \`switchyard dev init --template messenger${instanceArguments(paths)}\``,
  );
}
