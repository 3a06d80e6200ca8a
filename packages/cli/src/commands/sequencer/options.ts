import { requireChain, usage } from '@switchyard/service/failure';
import { addressArgument, readPrefix, urlArgument } from '../../arguments.ts';
import { type Cli, type OptionsOf, optionSet } from '../../cli.ts';
import type { Connections, SequencerPort } from '../../connect.ts';
import type { Preset } from '../../dev/networks/presets.ts';
import { withKey } from '../../key-options.ts';

export const DEFAULT_SEQUENCER_URL = 'http://127.0.0.1:26657';
export const KEY_VARIABLES = ['SEQUENCER_PRIVATE_KEY'] as const;

/** The account that the tutorials pay from. */
export const ACCOUNT_VARIABLE = 'SEQUENCER_ACCOUNT_ADDRESS';

/** The address that was given, else that of the variable. @throws {Failure} if it is invalid, or neither is given. */
export async function getAccount(given: string | undefined, { world }: Cli): Promise<string> {
  const address = given ?? world.env[ACCOUNT_VARIABLE] ?? '';
  if (address === '') throw usage(`expected an address, got none: give ADDRESS, or set ${ACCOUNT_VARIABLE}`);
  addressArgument(given === undefined ? ACCOUNT_VARIABLE : 'address', address);
  return address;
}

export const withSequencer = optionSet((command) =>
  command
    .option(
      '-u, --sequencer-url <url>',
      `CometBFT RPC of the sequencer (SEQUENCER_URL; default: the network's, else that of the instance that runs, else ${DEFAULT_SEQUENCER_URL})`,
    )
    .option('--network <name>', "take URL, chain id and assets from this network of an instance's networks-config.toml")
    .option(
      '--sequencer.chain-id <id>',
      "chain id that the sequencer must have; when signing: for which (then also ROLLUP_SEQUENCER_CHAIN_ID; default: the network's, else asked from the sequencer)",
    )
    .option('--instance <name>', 'instance that has the network; alone: its network local')
    .option('--home <directory>', 'root of all instances (SWITCHYARD_HOME; default ~/.switchyard)'),
);

type SequencerOptions = OptionsOf<typeof withSequencer>;

/** For commands that sign and pay. */
export const withSigning = optionSet((command) =>
  withSequencer(withKey(KEY_VARIABLES)(command))
    .option('--prefix <prefix>', 'prefix of addresses', readPrefix, 'astria')
    .option('--fee-asset <asset>', "asset that pays the fee (default: the network's, else what the sequencer takes)"),
);

/** For those among them that also move or name an asset. */
export const withAsset = optionSet((command) =>
  withSigning(command).option('--asset <asset>', "which asset (default: the network's, else that of the fee)"),
);

/** The network that was named, on its own or by its instance; `undefined` when neither was. @throws {Failure} */
export async function findPreset(options: SequencerOptions, cli: Cli): Promise<Preset | undefined> {
  if (options.network === undefined && options.instance === undefined) return undefined;
  const { networkPreset } = await import('../../dev/networks/presets.ts');
  const { findTarget } = await import('../../target.ts');
  const chosen = await findTarget(options, cli, () => true);
  return chosen && networkPreset(chosen.instance.paths, chosen.instance.network.name, cli.world.env);
}

/** The node of `getNode`, of the chain that was named, if one was. @throws {Failure} */
export async function getSequencer(options: SequencerOptions, cli: Cli, connect: Connections): Promise<SequencerPort> {
  const node = await getNode(options, cli, connect);
  const chainId = options['sequencer.chainId'];
  await requireChain('--sequencer.chain-id', chainId, () => node.chainId());
  return node;
}

/**
 * The node to ask: by flag, else by environment, else as the network has it, else of the instance that runs, else the
 * usual local one.
 *
 * @throws {Failure} when the URL is invalid.
 */
export async function getNode(options: SequencerOptions, cli: Cli, connect: Connections, preset?: Preset) {
  const { askedByUrl, findTarget } = await import('../../target.ts');
  const { sequencerUrl } = options;
  if (sequencerUrl !== undefined) return connect.sequencer(askedByUrl(cli, '--sequencer-url', sequencerUrl));
  const network = preset ?? (await findPreset(options, cli));
  const variable = cli.world.env.SEQUENCER_URL ?? '';
  if (variable !== '') {
    const url = askedByUrl(cli, 'SEQUENCER_URL', variable);
    if (network !== undefined && network.rpc !== url) {
      cli.note(`SEQUENCER_URL = ${url} is used, and not ${network.rpc} of network ${network.network}`);
    }
    return connect.sequencer(url);
  }
  const rpc = network?.rpc ?? (await findTarget(options, cli, () => true))?.instance.network.sequencerRpc;
  if (rpc === undefined) return connect.sequencer(DEFAULT_SEQUENCER_URL);
  return connect.sequencer(urlArgument(`sequencer_rpc of ${network?.network ?? 'the network'}`, rpc));
}
