import { Failure, requireChain } from '@switchyard/service/failure';
import { readPrefix, readTimeout, readValidFor } from '../../arguments.ts';
import { type Cli, type OptionsOf, optionSet } from '../../cli.ts';
import type { Connections, RollupPort } from '../../connect.ts';
import { instanceArguments } from '../../dev/instance/home.ts';
import { withKey } from '../../key-options.ts';
import { withInstanceNamed } from '../named-instance.ts';

export const DEFAULT_ROLLUP_URL = 'http://127.0.0.1:3030';

export const withRollup = optionSet((command) =>
  withInstanceNamed(command)
    .option(
      '--rollup-url <url>',
      `HTTP address of the rollup (ROLLUP_URL; default: that of the instance, else ${DEFAULT_ROLLUP_URL})`,
    )
    .option(
      '--chain-id <id>',
      'chain id that the rollup must have; when signing: for which (then also ROLLUP_CHAIN_ID; default: asked from the rollup)',
    ),
);

type RollupOptions = OptionsOf<typeof withRollup>;

/** For commands that sign. */
export const withSubmit = (keyVariables: readonly string[]) =>
  optionSet((command) =>
    withRollup(withKey(keyVariables)(command))
      .option('--prefix <prefix>', 'prefix of addresses', readPrefix, 'astria')
      .option('--fee-asset <asset>', 'asset that pays the fee, accepted by the rollup', 'nria')
      .option('--timeout <seconds>', 'longest wait for the execution', readTimeout, 60)
      .option(
        '--valid-for <blocks>',
        'blocks behind the newest one within which it may be executed; 0 is without end',
        readValidFor,
        64,
      )
      .option('--no-wait', 'return when the rollup has accepted the transaction, do not wait for its execution')
      .option('--sign-only', 'print the signed transaction in hex, send nothing'),
  );

export type SubmitOptions = OptionsOf<ReturnType<typeof withSubmit>>;

/**
 * The rollup to ask: by flag, of the instance that was named, by environment, of the instance that runs, else the usual
 * local one.
 *
 * @throws {Failure} when the URL is invalid, the instance has no messenger, or it is not clear which instance is meant.
 */
export async function getRollup(options: RollupOptions, cli: Cli, connect: Connections): Promise<RollupPort> {
  return connect.rollup(await rollupUrl(options, cli));
}

/** The rollup of `getRollup`, of the chain that was named, if one was. @throws {Failure} */
export async function askedRollup(options: RollupOptions, cli: Cli, connect: Connections): Promise<RollupPort> {
  const rollup = await getRollup(options, cli, connect);
  await requireChain('--chain-id', options.chainId, async () => (await rollup.status()).chainId);
  return rollup;
}

async function rollupUrl(options: RollupOptions, cli: Cli): Promise<string> {
  const { askedByUrl, findTarget } = await import('../../target.ts');
  if (options.rollupUrl !== undefined) return askedByUrl(cli, '--rollup-url', options.rollupUrl);
  const isNamed = options.instance !== undefined || options.network !== undefined;
  const variable = cli.world.env.ROLLUP_URL ?? '';
  if (!isNamed && variable !== '') return askedByUrl(cli, 'ROLLUP_URL', variable);
  const { findMessengerUrl } = await import('../../dev/networks/listener-url.ts');
  const chosen = await findTarget(options, cli, (instance) => findMessengerUrl(instance) !== undefined);
  if (chosen === undefined) return DEFAULT_ROLLUP_URL;
  const url = findMessengerUrl(chosen.instance);
  if (url !== undefined) return url;
  const { network, paths } = chosen.instance;
  throw new Failure(
    `${paths.networks}: network ${network.name} has no messenger: add one with \`switchyard dev init --template messenger${instanceArguments(paths)}\``,
  );
}
