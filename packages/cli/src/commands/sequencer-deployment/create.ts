import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import { columns } from '../../print.ts';
import { VERSION } from '../../version.ts';
import { type SequencerDeploymentOptions, sequencersOf, withCluster } from './options.ts';

interface Options extends SequencerDeploymentOptions {
  readonly name: string;
  readonly validators?: string;
  readonly fullNodes?: string;
  readonly files?: string;
  readonly chainId?: string;
  readonly nativeDenom?: string;
  readonly blockInterval?: string;
  readonly account?: readonly string[];
  readonly sudo?: string;
  readonly hostname: string;
  readonly ingressClass?: string;
  readonly storageClass?: string;
  readonly storageSize: string;
  readonly image: string;
  readonly cometbftImage: string;
  readonly logLevel: string;
  readonly timeout: string;
  readonly force?: true;
  readonly dryRun?: true;
  readonly showSecrets?: true;
}

const MOST_SECONDS = 86_400;

/** `switchyard sequencer deployment create` */
export function createCommand(cli: Cli): Command {
  return withCluster(
    leaf(
      'create',
      'install a sequencer network in a cluster, or repair or upgrade it; wait until it produces blocks',
      '--validators 4',
      '--name main --validators 7 --full-nodes 2 --chain-id main-1 --storage-class ssd',
      '--dry-run',
    ),
  )
    .option('--name <name>', 'of the network, its Service and its pods', 'sequencer')
    .option('--namespace <name>', 'where it runs (default: its name)')
    .option('--validators <n>', 'nodes that vote on blocks, all with the same power (default: 4)')
    .option('--full-nodes <n>', 'nodes that only follow (default: 0)')
    .option('--files <directory>', 'keys and genesis; made if it is not there (default: NAME-network)')
    .option('--chain-id <id>', 'name of the new chain (default: switchyard-NAME)')
    .option('--native-denom <denom>', 'its asset (default: ntia)')
    .option('--block-interval <ms>', 'pause between two blocks (default: 1000)')
    .option(
      '--account <address=amount>',
      'who holds how much at first; may be repeated (default: one new account, whose key is written to the directory)',
      (value: string, all: readonly string[] = []) => [...all, value],
    )
    .option('--sudo <address>', 'who may change validators and fees (default: the first account)')
    .option('--hostname <domain>', 'its RPC is served at rpc.NAME.<domain>', 'localhost')
    .option('--ingress-class <name>', 'class of its ingress (default: that of the cluster)')
    .option('--storage-class <name>', 'class of its volumes (default: that of the cluster)')
    .option('--storage-size <size>', 'of the volume of each node', '5Gi')
    .option('--image <image>', 'of the application', `localhost/switchyard:${VERSION}`)
    .option('--cometbft-image <image>', 'with the program cometbft on its PATH', COMETBFT_IMAGE)
    .option('--log-level <level>', 'of the application: error, warn, info, debug', 'info')
    .option('--timeout <seconds>', 'how long to wait until it produces blocks', '300')
    .option('--force', 'insist where the checks before it refuse what is risky but possible')
    .option('--dry-run', 'print the Kubernetes objects as YAML; check and apply nothing')
    .option('--show-secrets', 'with --dry-run: with the keys, as `kubectl apply -f -` needs them')
    .action(async (options: Options) => {
      const { files, directory, spec } = await networkOf(options, cli);
      if (files.isNew) cli.note(`keys and genesis of chain ${files.chainId} written to ${directory}: keep them`);
      if (options.dryRun) {
        const { objectsText, sequencerObjects } = await import('@switchyard/deployment');
        const nodes = options.showSecrets ? spec.nodes : spec.nodes.map(withoutKeys);
        const objects = sequencerObjects({ ...spec, nodes });
        cli.print(objects, objectsText(objects).trimEnd());
        return;
      }
      const { integerOf } = await import('../../arguments.ts');
      const timeoutMs = integerOf('--timeout', options.timeout, 1, MOST_SECONDS) * 1_000;
      const sequencers = await sequencersOf(options, cli);
      const deployed = await sequencers.create({ network: spec, force: options.force === true, timeoutMs });
      const { rpc, grpc, outside } = deployed;
      const { chainId, nativeDenom, accountKeyFile } = files;
      cli.print({ ...deployed, chainId, nativeDenom, ...(accountKeyFile === undefined ? {} : { accountKeyFile }) }, [
        `sequencer ${spec.name} in ${spec.namespace}: ${spec.nodes.length} nodes, block ${deployed.height}`,
        ...columns([
          ['chain', chainId],
          ['RPC', rpc],
          ['gRPC', grpc],
          ['RPC outside', outside],
          ...(accountKeyFile === undefined ? [] : [['key of all funds', accountKeyFile]]),
        ]),
        'A rollup on it:',
        `  switchyard rollup config create --sequencer.rpc ${rpc} --sequencer.grpc ${grpc} --sequencer.chain-id ${chainId} --sequencer.initial-block-height 2 --set config.composer.feeAsset=${nativeDenom}`,
      ]);
    });
}

const COMETBFT_IMAGE = 'localhost/cometbft:0.38.26';
const NOT_SHOWN = 'not shown, see --show-secrets';

const withoutKeys = <T extends object>(node: T) => ({ ...node, nodeKey: NOT_SHOWN, validatorKey: NOT_SHOWN });

async function networkOf(options: Options, cli: Cli) {
  const [
    { networkFiles },
    { nodeCounts },
    { addressOf, amountOf, integerOf },
    values,
    { usage },
    { MAX_SEQUENCER_NAME },
  ] = await Promise.all([
    import('../../deployments/sequencer/files.ts'),
    import('../../dev/comet/add.ts'),
    import('../../arguments.ts'),
    import('../../dev/config/values.ts'),
    import('../../failure.ts'),
    import('@switchyard/deployment'),
  ]);
  const { name, namespace = name, chainId, nativeDenom, blockInterval, sudo } = options;
  const label = (option: string, text: string, most: number) => {
    if (text.length > most || !/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(text))
      throw usage(
        `${option}: expected a lower-case letter, then lower-case letters, digits and inner dashes, at most ${most} in all, got ${JSON.stringify(text.slice(0, 100))}`,
      );
  };
  label('--name', name, MAX_SEQUENCER_NAME);
  label('--namespace', namespace, 63);
  for (const [option, text, pattern, expected] of [
    ['--hostname', options.hostname, /^[a-z0-9]([a-z0-9.-]{0,180}[a-z0-9])?$/, 'a domain such as localhost'],
    ['--storage-size', options.storageSize, /^[1-9]\d{0,5}[KMGT]i$/, 'a size such as 5Gi'],
    ['--log-level', options.logLevel, /^(error|warn|info|debug)$/, 'error, warn, info or debug'],
  ] as const)
    if (!pattern.test(text)) throw usage(`${option}: expected ${expected}, got ${JSON.stringify(text.slice(0, 100))}`);
  if (chainId !== undefined) values.checkName('--chain-id', chainId);
  if (sudo !== undefined) addressOf('--sudo', sudo);
  const accounts = options.account?.map((text) => {
    const [address = '', amount = ''] = text.split('=');
    addressOf('--account', address);
    return { address, amount: amountOf('--account', amount) };
  });
  const directory = resolve(cli.world.directory, options.files ?? `${name}-network`);
  const files = networkFiles(directory, {
    ...{ name, namespace, ...nodeCounts(options.validators, options.fullNodes) },
    ...(chainId === undefined ? {} : { chainId }),
    ...(nativeDenom === undefined ? {} : { nativeDenom: values.nativeDenomOf('--native-denom', nativeDenom) }),
    ...(blockInterval === undefined
      ? {}
      : { blockIntervalMs: integerOf('--block-interval', blockInterval, 10, 60_000) }),
    ...(accounts === undefined ? {} : { accounts }),
    ...(sudo === undefined ? {} : { sudo }),
  });
  const { image, cometbftImage: cometImage, storageSize, logLevel } = options;
  const spec = {
    ...{ name, namespace, image, cometImage, storageSize, logLevel },
    ...{ ingressHostname: options.hostname, genesis: files.genesis, nodes: files.nodes },
    ...{ ingressClassName: options.ingressClass, storageClassName: options.storageClass },
  };
  return { directory, files, spec };
}
