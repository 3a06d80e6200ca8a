/** The layer, or an archive of it, as the options of the commands that read it describe it. */

import { usage } from '@switchyard/service/failure';
import { type Cli, type OptionsOf, optionSet } from '../cli.ts';
import { heightAndHash } from '../rebuild/anchor.ts';
import { openArchivePlace, withS3 } from '../rebuild/archive-place.ts';
import { getPaths, withInstance } from './dev/options.ts';

export const withLayerSource = optionSet((command) =>
  withS3(withInstance(command))
    .option('--from-da [url]', 'from the layer; its light node, or that of the instance')
    .option(
      '--from-archive <place>',
      'from an archive of the layer: a directory, or s3://BUCKET/PREFIX; with --from-da, for what the light node does not have any more',
    )
    .option('--genesis <file>', 'genesis of the rollup (default: that of the instance)')
    .option('--rollup <name>', 'which rollup of the instance')
    .option('--code <module>', 'code of a rollup of your own: the module of its definition, such as dist/counter.js')
    .option('--network <name>', 'which network of networks-config.toml', 'local')
    .option('--sequencer-chain-id <id>', 'where the genesis does not name it')
    .option('--da-chain-id <id>', 'chain id of the layer')
    .option(
      '--da-trusted <height:hash>',
      'a block of the layer that is known to be right; not needed for one on this machine',
    )
    .option('--da-token-file <file>', 'token of the light node, mode 600')
    .option('--da-authors <accounts>', 'accounts of the layer, separated by commas, whose blobs alone are read'),
);

type Options = OptionsOf<typeof withLayerSource>;

/** @throws {Failure} */
export function mustHaveSource({ fromDa, fromArchive }: Options): void {
  if (fromDa !== undefined || fromArchive !== undefined) return;
  throw usage(
    'from where: expected --from-da with the URL of a light node, --from-da with --instance, or --from-archive',
  );
}

/** The settings of a conductor for the layer that the options describe. */
async function layerSettings(options: Options, at: (path: string) => string, cli: Cli) {
  const { fromDa, fromArchive, daChainId, daTrusted, daTokenFile, daAuthors } = options;
  const trusted = daTrusted === undefined ? undefined : heightAndHash('--da-trusted', daTrusted);
  const archive =
    fromArchive === undefined ? undefined : await openArchivePlace(fromArchive, cli.world.directory, options);
  const { FIELDS } = await import('../dev/config/known-settings.ts');
  const { settingsIn } = await import('@switchyard/stack/values');
  const { conductor } = FIELDS;
  return settingsIn([
    [conductor.celestiaNodeHttpUrl, typeof fromDa === 'string' ? fromDa : undefined],
    [conductor.celestiaArchive, archive?.at],
    [conductor.celestiaArchiveS3Endpoint, archive?.endpoint],
    [conductor.celestiaArchiveS3Region, archive?.region],
    [conductor.celestiaTrustedHeight, trusted?.height],
    [conductor.celestiaTrustedHash, trusted?.hash],
    [conductor.celestiaTokenFile, daTokenFile && at(daTokenFile)],
    [conductor.celestiaAuthors, daAuthors],
    [conductor.expectedCelestiaChainId, daChainId],
  ]);
}

/** Rollup and layer by the options, completed from the instance. @throws {Failure} */
export async function getSource(options: Options, at: (path: string) => string, cli: Cli) {
  const { instance, network, rollup, fromDa, code: module, genesis: file, sequencerChainId } = options;
  const { FIELDS } = await import('../dev/config/known-settings.ts');
  const { parseJson, readText } = await import('../dev/files/files.ts');
  const { isTable } = await import('../dev/files/toml.ts');
  const { programFor, instanceRollup } = await import('../rebuild/instance-rollup.ts');
  const { rebuildable } = await import('../rebuild/of-instance.ts');
  const layer = await layerSettings(options, at, cli);
  const code = module && at(module);
  // The genesis of an EVM rollup is one of geth.
  const getKind = (value: unknown) => (isTable(value) && isTable(value.config) ? 'evm' : 'messenger');
  const genesis = file && at(file);
  const given = genesis && {
    ...programFor(genesis, getKind(parseJson(readText(genesis), genesis)), code),
    ...{ genesis, ...(sequencerChainId && { sequencerChainId }) },
  };
  if (given && instance === undefined && rollup === undefined)
    return { ...given, layer, da: undefined, data: undefined };
  const named = instanceRollup(await getPaths(options, cli), network, cli.world.env, rollup, { withEvm: true });
  const found = rebuildable(named, code);
  const [node] = FIELDS.conductor.celestiaNodeHttpUrl.names;
  const { [node]: url, ...trusted } = found.layer;
  // Without --from-da, the archive alone is read.
  const own = fromDa !== undefined && url !== undefined ? { [node]: url } : {};
  return {
    ...{ ...found, ...given, ...(sequencerChainId && { sequencerChainId }) },
    ...{ layer: { ...own, ...trusted, ...layer }, da: fromDa === true ? found.da : undefined },
  };
}

const PRINT_EVERY_MS = 2_000;

/** A line now and then. */
export function printer(cli: Cli) {
  let printedAt = performance.now();
  return ({ layerRead, layerHead, soft, layerTrouble, unprovenBlobs }: Parameters<RebuildProgress>[0]): void => {
    const now = performance.now();
    if (now - printedAt < PRINT_EVERY_MS) return;
    printedAt = now;
    const why = layerTrouble ?? unprovenBlobs;
    const trouble = why === undefined ? '' : ` (${why})`;
    cli.note(`layer read to ${layerRead ?? 0} of ${layerHead ?? '?'}, rollup at block ${soft ?? 0}${trouble}`);
  };
}

type RebuildProgress = import('../rebuild/rebuild.ts').RebuildDeps['progress'];
