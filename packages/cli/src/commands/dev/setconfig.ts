import { type Cli, group, optionSet } from '../../cli.ts';
import type { Change, Target } from '../../dev/config/setconfig.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import { getPaths, type InstanceOptions, instanceFlag, instanceLeaf } from './options.ts';

type Functions = typeof import('../../dev/config/setconfig.ts');

const withService = optionSet((command) =>
  command.option('--service <label>', 'which rollup, if the network has several'),
);

/** `switchyard dev setconfig ...`: one value, in every file if it has to agree. */
export function setconfigCommand(cli: Cli) {
  return group('setconfig', 'change a value everywhere it has to agree, and list those places', [
    setting(cli, {
      name: 'rollupname',
      description: 'give a rollup another name; its state is reset',
      argument: ['<name>', 'letters, digits, _ . -; at most 50'],
      example: 'my-rollup',
      set: ({ setRollupName }, paths, target, value) => setRollupName(paths, target, value),
      more: withService,
    }),
    setting(cli, {
      name: 'nativeasset',
      description: "change the sequencer's native asset, and the fee asset if it is the same; needs a new state",
      argument: ['<denom>', 'such as ntia'],
      example: 'ntia',
      set: ({ setNativeAsset }, paths, target, value) => setNativeAsset(paths, target, value),
    }),
    setting(cli, {
      name: 'feeasset',
      description: 'change what the composer pays fees in, and what the sequencer takes; needs a new state',
      argument: ['<denom>', 'such as ntia or transfer/channel-0/utia'],
      example: 'ntia',
      set: ({ setFeeAsset }, paths, target, value) => setFeeAsset(paths, target, value),
    }),
    setting(cli, {
      name: 'sequencerchainid',
      description: 'give the sequencer another chain id; needs a new state',
      argument: ['<id>', 'letters, digits, _ . -; at most 50'],
      example: 'my-chain-1',
      set: ({ setSequencerChainId }, paths, target, value) => setSequencerChainId(paths, target, value),
    }),
    setting(cli, {
      name: 'blockinterval',
      description: 'set the least time between two sequencer blocks',
      argument: ['<ms>', 'milliseconds, from 1 to 60000'],
      example: '500',
      keepsState: true,
      set: ({ setBlockInterval }, paths, target, value) => setBlockInterval(paths, value, target),
    }),
  ]);
}

interface SettingCommand {
  readonly name: string;
  readonly description: string;
  readonly argument: readonly [flags: string, description: string];
  /** A value of the argument. */
  readonly example: string;
  /** The stored state fits the new value as well. */
  readonly keepsState?: true;
  readonly more?: typeof withService;
  set(functions: Functions, paths: InstancePaths, target: Target, value: string): Change[];
}

function setting(
  cli: Cli,
  { name, description, argument, example, keepsState, set, more = (command) => command }: SettingCommand,
) {
  const command = instanceLeaf(name, description, example)
    .argument(...argument)
    .option('--network <name>', 'which network of networks-config.toml', 'local');
  return more(command).action(async (value, options) => {
    const functions = await import('../../dev/config/setconfig.ts');
    const paths = await getPaths(options, cli);
    const target = { network: options.network, service: options.service, env: cli.world.env };
    const changes = set(functions, paths, target, value);
    const resetNeeded = changes.length > 0 && keepsState !== true && functions.hasState(paths);
    const lines = changes.map(({ file, key, from, to }) => `${file}: ${key}: ${from || 'not set'} -> ${to}`);
    cli.print(
      { changes, resetNeeded },
      changes.length === 0
        ? 'nothing to change: the value is already set'
        : [...lines, ...advice(resetNeeded, keepsState === true, options)],
    );
  });
}

function advice(resetNeeded: boolean, keepsState: boolean, options: InstanceOptions): string[] {
  if (resetNeeded) {
    return [
      'The stored state belongs to the old value. Stop the instance if it runs, then:',
      `  switchyard dev reset state${instanceFlag(options)}`,
    ];
  }
  return [
    `It takes effect on the next \`switchyard dev run\`. ${keepsState ? 'No reset is needed.' : 'Nothing is stored yet, so no reset is needed.'}`,
  ];
}
