import { resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { Failure, usage } from '@switchyard/service/failure';
import type { SequencerNetwork } from '@switchyard/stack';
import { addressArgument, integerReader, readAccounts, readTimeout } from '../../arguments.ts';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import { withKubeconfig } from '../../deployments/cluster/kubeconfig.ts';
import type { SequencerDeployed, Sequencers } from '../../deployments/sequencer/sequencers.ts';
import { LAYERS } from '../../dev/init/templates.ts';
import { columns } from '../../print.ts';
import { VERSION } from '../../version.ts';

const COMETBFT_IMAGE = 'localhost/cometbft:0.38.26';
const CELESTIA_VARIABLE = 'CELESTIA_PRIV_KEY';

const withNetwork = optionSet((command) =>
  withKubeconfig(command)
    .option('--name <name>', 'name of the network, its Service and its pods', 'sequencer')
    .option('--namespace <name>', 'where it runs (default: its name)')
    .option('--validators <n>', 'nodes that vote on blocks, all with the same power (default: 4)')
    .option('--full-nodes <n>', 'nodes that only follow (default: 0)')
    .option('--files <directory>', 'keys and genesis; made if it is not there (default: NAME-network)')
    .option('--chain-id <id>', 'name of the new chain (default: switchyard-NAME)')
    .option('--native-denom <denom>', 'its asset (default: ntia)')
    .option(
      '--block-interval <ms>',
      'pause between two blocks (default: 1000)',
      integerReader('--block-interval', 10, 60_000),
    )
    .option(
      '--account <address=amount>',
      'who holds how much at first; may be repeated (default: one new account, whose key is written to the directory)',
      readAccounts,
    )
    .option('--sudo <address>', 'account that may change validators and fees (default: the first account)')
    .addOption(
      new Option(
        '--data-availability <layer>',
        'what a relayer posts its blocks to: a network of Celestia, or for development only the local layer, which runs next to it (default: as before, at first none)',
      ).choices(LAYERS),
    )
    .option('--celestia-grpc <urls>', 'gRPC of consensus nodes of Celestia, separated by commas')
    .option('--celestia-chain-id <id>', 'chain id of that network')
    .option('--celestia-key-file <path>', `key of the account that pays there (${CELESTIA_VARIABLE})`)
    .option('--passphrase-file <path>', 'file of mode 600 with the passphrase of an encrypted key (default: asked for)')
    .option('--hostname <domain>', 'its RPC is served at rpc.NAME.<domain>', 'localhost')
    .option('--ingress-class <name>', 'class of its ingress (default: that of the cluster)')
    .option('--storage-class <name>', 'class of its volumes (default: that of the cluster)')
    .option('--storage-size <size>', 'size of the volume of each node', '5Gi')
    .option('--image <image>', 'image of the application', `localhost/switchyard:${VERSION}`)
    .option('--cometbft-image <image>', 'with the program cometbft on its PATH', COMETBFT_IMAGE)
    .option('--log-level <level>', 'log level of the application: error, warn, info, debug', 'info')
    .option('--timeout <seconds>', 'how long to wait until it produces blocks', readTimeout, 300)
    .option('--force', 'override checks that refuse risky but possible deployments')
    .option('--dry-run', 'print the Kubernetes objects as YAML; check and apply nothing')
    .option('--show-secrets', 'with --dry-run: with the keys, as `kubectl apply -f -` needs them'),
);

type Options = OptionsOf<typeof withNetwork>;

export function createCommand(cli: Cli) {
  return withNetwork(
    leaf(
      'create',
      'install a sequencer network in a cluster, or repair or upgrade it; wait until it produces blocks',
      '--validators 4',
      '--name main --validators 7 --full-nodes 2 --chain-id main-1 --storage-class ssd',
      '--dry-run',
    ),
  ).action(async (options) => {
    const { files, directory, spec } = await getNetwork(options, cli);
    if (files.isNew) cli.note(`keys and genesis of chain ${files.chainId} written to ${directory}: keep them`);
    if (options.dryRun) {
      const { objectsText, sequencerObjects } = await import('@switchyard/stack');
      const objects = sequencerObjects(options.showSecrets ? spec : withoutSecrets(spec));
      cli.print(objects, objectsText(objects).trimEnd());
      return;
    }
    const timeoutMs = 1_000 * options.timeout;
    const sequencers = await getSequencers(options, cli);
    const deployed = await sequencers.create({ network: spec, force: options.force === true, timeoutMs });
    const { rpc, grpc, outside, layer } = deployed;
    const { chainId, nativeDenom, accountKeyFile } = files;
    cli.print({ ...deployed, chainId, nativeDenom, ...(accountKeyFile === undefined ? {} : { accountKeyFile }) }, [
      `sequencer ${spec.name} in ${spec.namespace}: ${spec.nodes.length} nodes, block ${deployed.height}`,
      ...columns([
        ['chain', chainId],
        ['RPC', rpc],
        ['gRPC', grpc],
        ['RPC outside', outside],
        ...(accountKeyFile === undefined ? [] : [['key of all funds', accountKeyFile]]),
        ...layerRows(layer),
      ]),
      'A rollup on it:',
      `  switchyard rollup config create --sequencer.rpc ${rpc} --sequencer.grpc ${grpc} --sequencer.chain-id ${chainId} --sequencer.initial-block-height 2 --set config.composer.feeAsset=${nativeDenom}${layerSettings(layer)}`,
    ]);
  });
}

/** Rows about the layer for the table that people see. */
function layerRows(layer: SequencerDeployed['layer']): [string, string][] {
  if (layer === undefined) return [];
  const { account, chainId, url } = layer;
  const shown = url === undefined ? chainId : `${chainId} at ${url}, for development only`;
  return [
    ['data availability', shown],
    ['relayer', account],
  ];
}

/**
 * Manifest settings for firm blocks from the local layer, and for the explorer's heights of any layer; a light node of
 * Celestia is chosen in the manifest.
 */
function layerSettings(layer: SequencerDeployed['layer']): string {
  if (layer === undefined) return '';
  const { url, chainId, trusted, account, relayerUrl } = layer;
  const config = { network: chainId, trustedHeight: trusted?.height, trustedHash: trusted?.hash, authors: account };
  const local = [
    ...['config.rollup.executionCommitLevel=SoftAndFirm', 'da-node.kind=external', `da-node.url=${url}`],
    ...Object.entries(config).map(([key, value]) => `da-node.config.${key}=${value}`),
  ];
  return [...(trusted === undefined ? [] : local), `da-node.relayer=${relayerUrl}`]
    .map((setting) => ` --set ${setting}`)
    .join('');
}

const NOT_SHOWN = 'not shown, see --show-secrets';

const withoutSecrets = ({ nodes, relayer, ...spec }: SequencerNetwork): SequencerNetwork => ({
  ...spec,
  nodes: nodes.map((node) => ({ ...node, nodeKey: NOT_SHOWN, validatorKey: NOT_SHOWN })),
  ...(relayer === undefined ? {} : { relayer: { ...relayer, key: NOT_SHOWN } }),
});

async function getNetwork(options: Options, cli: Cli) {
  const [{ networkFiles }, { nodeCounts }, values, { MAX_RELAYED_NAME, MAX_SEQUENCER_NAME }, { networkRelayer }] =
    await Promise.all([
      import('../../deployments/sequencer/files.ts'),
      import('../../dev/comet/add.ts'),
      import('../../dev/config/values.ts'),
      import('@switchyard/stack'),
      import('../../deployments/sequencer/layer.ts'),
    ]);
  const { name, namespace = name, chainId, nativeDenom, blockInterval, sudo, celestiaGrpc } = options;
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
  if (options.celestiaChainId !== undefined) values.checkName('--celestia-chain-id', options.celestiaChainId);
  for (const url of celestiaGrpc?.split(',') ?? [])
    if (!URL.canParse(url) || !/^https?:/.test(url))
      throw usage(
        `--celestia-grpc: expected URLs that begin with http:// or https://, got ${JSON.stringify(url.slice(0, 100))}`,
      );
  if (sudo !== undefined) addressArgument('--sudo', sudo);
  const directory = resolve(cli.world.directory, options.files ?? `${name}-network`);
  const files = networkFiles(directory, {
    ...{ name, namespace, ...nodeCounts(options.validators, options.fullNodes) },
    chainId,
    nativeDenom: nativeDenom === undefined ? undefined : values.getNativeDenom('--native-denom', nativeDenom),
    ...{ blockIntervalMs: blockInterval, accounts: options.account, sudo },
  });
  const relayer = await networkRelayer(directory, {
    ...{ layer: options.dataAvailability, grpc: celestiaGrpc, chainId: options.celestiaChainId },
    key: () => celestiaKey(options, cli),
  });
  if (relayer !== undefined) label('--name', name, MAX_RELAYED_NAME);
  const { image, cometbftImage: cometImage, storageSize, logLevel } = options;
  const spec = {
    ...{ name, namespace, image, cometImage, storageSize, logLevel },
    ...{ ingressHostname: options.hostname, chainId: files.chainId, genesis: files.genesis, nodes: files.nodes },
    ...(relayer === undefined ? {} : { relayer }),
    ...{ ingressClassName: options.ingressClass, storageClassName: options.storageClass },
  };
  return { directory, files, spec };
}

/** The key of the account that pays on Celestia; not read unless it is shown. */
async function celestiaKey(options: Options, { world }: Cli): Promise<{ key: string; allowDevKey: boolean }> {
  if (options.dryRun && !options.showSecrets) return { key: NOT_SHOWN, allowDevKey: false };
  const { secretFor } = await import('../../keys.ts');
  const { celestiaKeyFile, passphraseFile } = options;
  const named = { privateKeyFile: celestiaKeyFile, passphraseFile };
  const read = await secretFor('secp256k1', named, world, [CELESTIA_VARIABLE], { file: '--celestia-key-file' });
  if (read.isPublished && options.force !== true)
    throw new Failure(
      '--celestia-key-file: a published development key: everyone who knows it can spend its funds; make one with `switchyard keys new`; insist with --force',
    );
  return { key: Buffer.from(read.secret).toString('hex'), allowDevKey: read.isPublished };
}

/** For commands that find a network by its name. */
export const withNamespace = optionSet((command) =>
  withKubeconfig(command).option('--namespace <name>', 'look in this namespace alone (default: in all)'),
);

type SequencerDeploymentOptions = OptionsOf<typeof withNamespace>;

/** Loaded when it is used: the client of Kubernetes takes longer than any other command. */
export async function getSequencers(options: SequencerDeploymentOptions, cli: Cli): Promise<Sequencers> {
  const { sequencersIn } = await import('../../deployments/sequencer/sequencers.ts');
  const { namespace, ...choice } = options;
  return sequencersIn(cli, choice, namespace);
}
