import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type Cli, group } from '../../cli.ts';
import type { Added } from '../../dev/networks/add.ts';
import { columns } from '../../print.ts';
import { getPaths, instanceFlag, instanceLeaf } from './options.ts';

/** `switchyard dev network ...`: which sequencer networks an instance knows. */
export function networkCommand(cli: Cli) {
  return group('network', 'add, list and remove networks whose sequencer runs elsewhere', [
    addCommand(cli),
    listCommand(cli),
    removeCommand(cli),
  ]);
}

function addCommand(cli: Cli) {
  return instanceLeaf(
    'add',
    'add a network whose sequencer runs elsewhere; fetches missing values from it',
    'testnet --grpc https://grpc.example --rpc https://rpc.example',
  )
    .argument('<name>', 'for --network')
    .requiredOption('--grpc <url>', 'gRPC of a sequencer node')
    .requiredOption('--rpc <url>', 'CometBFT RPC of the same node')
    .option('--chain-id <id>', 'the chain that it has to be of (default: asked from the node)')
    .option('--asset <denom>', 'asset in which fees are paid (default: the first that the node takes)')
    .option('--rollup-name <name>', "name of the rollup there (default: the local network's)")
    .option('--composer-key-file <path>', 'key that pays (default: a new one, in the directory config)')
    .option('--allow-dev-key', 'let a published test key pay: only for networks that hold nothing of value')
    .action(async (name, options) => {
      const { addNetwork } = await import('../../dev/networks/add.ts');
      const { remoteNode } = await import('../../dev/networks/node.ts');
      const { urlArgument } = await import('../../arguments.ts');
      const [grpc, rpc] = [urlArgument('--grpc', options.grpc), urlArgument('--rpc', options.rpc)];
      const { composerKeyFile: key } = options;
      const keyFile = key && resolve(cli.world.directory, key.replace(/^~(?=$|\/)/, homedir()));
      const paths = await getPaths(options, cli);
      const node = remoteNode(rpc, grpc);
      try {
        const added = await addNetwork(paths, { ...options, name, grpc, rpc, keyFile }, node);
        cli.print({ instance: paths.name, ...added }, lines(added, instanceFlag(options)));
      } finally {
        node.close();
      }
    });
}

function lines({ name, chainId, asset, rollupName, height, composer, written }: Added, flags: string): string[] {
  const run = `  switchyard dev run --network ${name}${flags}`;
  const next =
    composer.balance > 0n
      ? [`The composer pays from ${composer.address}, which holds ${composer.balance} ${asset}. Start it with:`, run]
      : [`The composer pays from ${composer.address}, which holds nothing yet. Send it some ${asset}, then:`, run];
  return [
    `network ${name}: chain ${chainId}, both endpoints answer, fees in ${asset}`,
    `rollup ${rollupName} begins after sequencer block ${height}`,
    ...written.map((file) => `  wrote ${file}`),
    ...next,
  ];
}

function listCommand(cli: Cli) {
  return instanceLeaf('list', 'show the networks of an instance', '').action(async (options) => {
    const { listNetworks } = await import('../../dev/networks/list.ts');
    const paths = await getPaths(options, cli);
    const networks = listNetworks(paths, cli.world.env);
    const rows = networks.map(({ name, kind, chainId, rpc, asset, rollupName, running }) => [
      name,
      kind,
      chainId,
      rpc,
      asset,
      `rollup ${rollupName}`,
      running ? 'running' : '',
    ]);
    cli.print({ instance: paths.name, networks }, columns(rows));
  });
}

function removeCommand(cli: Cli) {
  return instanceLeaf('remove', 'take a network out of networks-config.toml; its key and its state stay', 'testnet')
    .argument('<name>', 'which')
    .action(async (name, options) => {
      const { removeNetwork } = await import('../../dev/networks/list.ts');
      const paths = await getPaths(options, cli);
      removeNetwork(paths, name);
      cli.print({ instance: paths.name, removed: name }, [
        `removed network ${name} from ${paths.networks}`,
        `Its key, genesis and state stay, in ${paths.config} and ${paths.data}.`,
      ]);
    });
}
