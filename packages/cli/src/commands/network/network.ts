import * as net from 'node:net';
import { resolve } from 'node:path';
import { usage } from '@switchyard/service/failure';
import { addressArgument, integerReader, readAccounts } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { MadeTestnet } from '../../dev/comet/testnet.ts';
import { columns } from '../../print.ts';

/** `switchyard network ...`: the files of a network on several machines. */
export function networkCommands(cli: Cli) {
  return [testnetCommand(cli), placeCommand(cli)];
}

/** `switchyard network testnet`: the files of a network whose nodes run on machines of their own. */
function testnetCommand(cli: Cli) {
  return leaf(
    'testnet',
    'write a directory for each node of a new network, ready to be copied to its machine',
    '--output nodes --validators 4 --hosts 10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4 --dev-accounts',
  )
    .requiredOption('--output <directory>', 'where; must be new or empty')
    .option('--validators <n>', 'nodes that vote on blocks, all with the same power', '4')
    .option('--full-nodes <n>', 'nodes that only follow', '0')
    .option(
      '--hosts <names>',
      'name or address of each machine, separated by commas, validators first (default: node-0,node-1,...)',
    )
    .option('--chain-id <id>', 'name of the new chain', 'switchyard-testnet')
    .option('--native-denom <denom>', 'its asset', 'ntia')
    .option('--block-interval <ms>', 'pause between two blocks', integerReader('--block-interval', 10, 60_000), 1000)
    .option('--listen <address>', 'where RPC and gRPC of each node answer; 0.0.0.0: for everybody', '127.0.0.1')
    .option(
      '--account <address=amount>',
      'who holds how much at first; may be repeated (default: one new account, whose key is written to DIR)',
      readAccounts,
    )
    .option('--sudo <address>', 'account that may change validators and fees (default: the first account)')
    .option('--dev-accounts', 'give the funds to the published test keys: only for networks that hold nothing of value')
    .action(async (options) => {
      const { besideOnMachine, makeTestnet } = await import('../../dev/comet/testnet.ts');
      const { nodeCounts } = await import('../../dev/comet/add.ts');
      const { checkName, getNativeDenom } = await import('../../dev/config/values.ts');
      checkName('--chain-id', options.chainId);
      const { validators = 4, fullNodes = 0 } = nodeCounts(options.validators, options.fullNodes);
      if (options.devAccounts === true && options.account !== undefined)
        throw usage('--dev-accounts and --account: expected one of them, got both');
      if (net.isIP(options.listen) === 0)
        throw usage(`--listen: expected an IP address, got ${JSON.stringify(options.listen)}`);
      if (options.sudo !== undefined) addressArgument('--sudo', options.sudo);
      const made = makeTestnet({
        output: resolve(cli.world.directory, options.output),
        validators,
        fullNodes,
        hosts: options.hosts === undefined ? [] : options.hosts.split(',').map((host) => host.trim()),
        chainId: options.chainId,
        nativeDenom: getNativeDenom('--native-denom', options.nativeDenom),
        listen: options.listen,
        metricsListen: '127.0.0.1',
        beside: besideOnMachine(options.listen),
        blockIntervalMs: options.blockInterval,
        accounts: options.devAccounts === true ? 'published' : (options.account ?? []),
        sudo: options.sudo,
      });
      cli.print(made, lines(made));
    });
}

function lines({ output, chainId, nodes, account }: MadeTestnet): string[] {
  return [
    `network ${chainId} in ${output}`,
    ...columns(nodes.map(({ name, kind, host, nodeId }) => [`  ${name}`, kind, host, nodeId])),
    ...(account === undefined
      ? []
      : [`${account.address} holds all funds and may change the network; its key is ${account.keyFile}`]),
    'Copy each directory to its machine, and to no other. Its README.md has the two commands that start the node.',
  ];
}

/** `switchyard network place`: the step that a pod of a sequencer network runs before its processes. */
function placeCommand(cli: Cli) {
  return leaf(
    'place',
    'put the files of one node into the home of its CometBFT, as its pod does when it starts',
    '--node sequencer-0 --files /etc/switchyard/network --keys /etc/switchyard/keys --home /data/cometbft',
  )
    .requiredOption('--node <name>', 'whose; its files begin with this name and a dot')
    .requiredOption('--files <directory>', 'with genesis.json, and the settings of each node')
    .requiredOption('--keys <directory>', 'with the keys of each node')
    .requiredOption('--home <directory>', 'of CometBFT, made if it is not there')
    .option(
      '--wait <seconds>',
      'how long to wait until the names of its peers can be resolved',
      integerReader('--wait', 0, 3_600),
      30,
    )
    .action(async (options) => {
      const { placeNode, waitForNames } = await import('../../dev/comet/place.ts');
      const { node, wait, ...named } = options;
      const [files, keys, home] = [named.files, named.keys, named.home].map((path) =>
        resolve(cli.world.directory, path),
      );
      const peers = placeNode({ node, files: files ?? '', keys: keys ?? '', home: home ?? '' });
      const missing = await waitForNames(peers, 1_000 * wait);
      const rest = missing.length === 0 ? '' : `; not found yet, so they have to call first: ${missing.join(', ')}`;
      cli.print({ node, home, missing }, `${node} is in ${home}${rest}`);
    });
}
