import { type Cli, leaf, type OptionsOf, optionSet } from '../cli.ts';
import { Failure, usage } from '../failure.ts';
import { type Anchor, heightAndHash } from '../rebuild/anchor.ts';
import { archivePlaceOf, withS3 } from '../rebuild/archive-place.ts';
import type { Comparison } from '../rebuild/of-instance.ts';
import type { RebuildOptions, Rebuilt } from '../rebuild/rebuild.ts';
import { pathsOf, withInstance } from './dev/options.ts';

const withSource = optionSet((command) =>
  withS3(withInstance(command))
    .option('--from-da [url]', 'from the layer; its light node, or that of the instance')
    .option(
      '--from-archive <place>',
      'from an archive of the layer: a directory, or s3://BUCKET/PREFIX; with --from-da, for what the light node does not have any more',
    )
    .option(
      '--into <directory>',
      'where the state is made: absent, empty, or left by a try that did not finish, which then continues (default with an instance: beside what is there)',
    )
    .option('--genesis <file>', 'genesis of the rollup (default: that of the instance)')
    .option(
      '--anchor <height:hash>',
      'a block of the sequencer that is known to be right, at most the first that the rollup is made from (default with an instance: as its rollup has it)',
    )
    .option('--rollup <name>', 'which rollup of the instance')
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

type Options = OptionsOf<typeof withSource>;

/** `switchyard rebuild`: the state of a rollup from the data-availability layer alone. */
export function rebuildCommand(cli: Cli) {
  return withSource(
    leaf(
      'rebuild',
      'make the state of a rollup again from the data-availability layer, or an archive of it, without its sequencer',
      '--from-da http://127.0.0.1:26658 --genesis rollup_genesis.json --anchor 1:5D0C... --into /var/lib/switchyard/again',
      '--from-da --instance default --rollup messenger',
      '--from-archive /var/lib/switchyard/archive --instance default --da-trusted 456:5D0C...',
    ),
  )
    .addHelpText('after', HELP)
    .action((options) => run(options, cli));
}

const HELP = `
Starts the rollup and a conductor of level FirmOnly for this alone, and ends when the last block that was posted is executed.
Everything is verified from the two trusted blocks on. Of an instance, what is made is compared with what was there; its
network has to be stopped, its local layer is started where it does not run. Light nodes keep about seven days of Celestia.`;

async function run(options: Options, cli: Cli): Promise<void> {
  if (options.fromDa === undefined && options.fromArchive === undefined)
    throw usage(
      'from where: expected --from-da with the URL of a light node, --from-da with --instance, or --from-archive',
    );
  const named = options.instance !== undefined || options.rollup !== undefined || options.genesis === undefined;
  const signal = stopSignal(cli);
  const anchor = options.anchor === undefined ? undefined : heightAndHash('--anchor', options.anchor);
  if (named) await ofInstance(options, anchor, cli, signal);
  else await fromLayer(options, anchor, cli, signal);
}

async function fromLayer(options: Options, anchor: Anchor | undefined, cli: Cli, signal: AbortSignal): Promise<void> {
  const { genesis, into } = options;
  if (genesis === undefined || into === undefined || anchor === undefined)
    throw usage('rebuild without an instance: expected --genesis, --into and --anchor');
  const [{ resolve }, { rebuild }] = await Promise.all([import('node:path'), import('../rebuild/rebuild.ts')]);
  const at = (path: string) => resolve(cli.world.directory, path);
  const plan = {
    kind: await kindOf(at(genesis)),
    ...{ genesis: at(genesis), into: at(into), anchor, sequencerChainId: options.sequencerChainId },
    layer: await layerSettings(options, at, cli),
  };
  const rebuilt = await rebuild(plan, { env: cli.world.env, signal, progress: printer(cli) });
  cli.print({ into: plan.into, rebuilt }, linesOf(plan.into, rebuilt));
}

async function ofInstance(options: Options, given: Anchor | undefined, cli: Cli, signal: AbortSignal): Promise<void> {
  const [
    { resolve },
    { rebuild, withRollup },
    { compare, rollupOfInstance, withBefore, withLayer },
    { executionClient },
    { FIELDS },
  ] = await Promise.all([
    import('node:path'),
    import('../rebuild/rebuild.ts'),
    import('../rebuild/of-instance.ts'),
    import('@switchyard/client'),
    import('../dev/config/known-settings.ts'),
  ]);
  const { env, directory } = cli.world;
  const paths = await pathsOf(options, cli);
  const found = rollupOfInstance(paths, options.network, env, options.rollup);
  const at = (path: string) => resolve(directory, path);
  const [node] = FIELDS.conductor.celestiaNodeHttpUrl.names;
  const { [node]: url, ...trusted } = found.layer;
  // Without --from-da, the archive alone is read.
  const readsLayer = options.fromDa !== undefined;
  const own = readsLayer && url !== undefined ? { [node]: url } : {};
  const rollup = { ...found, layer: { ...own, ...trusted, ...(await layerSettings(options, at, cli)) } };
  const meanwhile = options.fromDa === true ? rollup : { ...rollup, da: undefined };
  const plan = (into: string, anchor: Anchor): RebuildOptions => ({ ...rollup, into, anchor });
  const deps = { env, signal, progress: printer(cli) };
  await withLayer(meanwhile, { env, signal }, async () => {
    const compared = await withBefore(rollup, env, async (before) => {
      const anchor = given ?? before.anchor;
      if (anchor === undefined) throw noAnchor(`${rollup.data} has no block 1 any more`);
      const into = options.into === undefined ? `${rollup.data}.rebuilt` : at(options.into);
      const rebuilt = await rebuild(plan(into, anchor), deps);
      const comparison = await withRollup({ ...rollup, into }, env, async (execution) => {
        const client = executionClient(execution);
        const { number } = rebuilt;
        const block = async (asked: bigint) => (await client.block(asked)).hash;
        return compare(before, { number, block }).finally(() => client.close());
      });
      return { into, rebuilt, comparison };
    });
    if (compared !== undefined) {
      const { into, rebuilt, comparison } = compared;
      cli.print(compared, [...linesOf(into, rebuilt), ...comparisonLines(comparison, rebuilt)]);
      if (comparison.different !== undefined)
        throw new Failure(`block ${comparison.different} is another one than ${rollup.data} has`);
      return;
    }
    if (given === undefined) throw noAnchor(`${rollup.data} holds no finished state`);
    const into = options.into === undefined ? rollup.data : at(options.into);
    const rebuilt = await rebuild(plan(into, given), deps);
    cli.print({ into, rebuilt }, linesOf(into, rebuilt));
  });
}

const noAnchor = (why: string) =>
  new Failure(`${why}: give --anchor HEIGHT:HASH, the sequencer block that the first block of the rollup is made from`);

/** The settings of a conductor for the layer that the options describe. */
async function layerSettings(
  options: Options,
  at: (path: string) => string,
  cli: Cli,
): Promise<Record<string, string>> {
  const { fromDa, fromArchive, daChainId, daTrusted, daTokenFile, daAuthors } = options;
  const trusted = daTrusted === undefined ? undefined : heightAndHash('--da-trusted', daTrusted);
  const archive =
    fromArchive === undefined ? undefined : await archivePlaceOf(fromArchive, cli.world.directory, options);
  const [{ FIELDS }, { settingsIn }] = await Promise.all([
    import('../dev/config/known-settings.ts'),
    import('@switchyard/stack/process'),
  ]);
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

/** The genesis of an EVM rollup is one of geth. */
async function kindOf(genesis: string): Promise<RebuildOptions['kind']> {
  const [{ parseJson, readText }, { isTable }] = await Promise.all([
    import('../dev/files/files.ts'),
    import('../dev/files/toml.ts'),
  ]);
  const value = parseJson(readText(genesis), genesis);
  return isTable(value) && isTable(value.config) ? 'evm' : 'messenger';
}

const PRINT_EVERY_MS = 2_000;

/** A line now and then. */
function printer(cli: Cli) {
  let printedAt = performance.now();
  return ({ layerRead, layerHead, soft, layerTrouble }: Parameters<RebuildProgress>[0]): void => {
    const now = performance.now();
    if (now - printedAt < PRINT_EVERY_MS) return;
    printedAt = now;
    const trouble = layerTrouble === undefined ? '' : ` (${layerTrouble})`;
    cli.note(`layer read to ${layerRead ?? 0} of ${layerHead ?? '?'}, rollup at block ${soft ?? 0}${trouble}`);
  };
}

type RebuildProgress = import('../rebuild/rebuild.ts').RebuildDeps['progress'];

function linesOf(into: string, { number, hash, sequencerHeight, layerHeight, time }: Rebuilt): string[] {
  return [
    `rebuilt blocks 1 to ${number} in ${into}`,
    `  last block posted: sequencer height ${sequencerHeight} of ${time}, ${layerHeight === undefined ? 'executed by an earlier try' : `layer height ${layerHeight}`}`,
    `  rollup block ${number} has hash ${hash}`,
  ];
}

function comparisonLines({ same, different, soft, firm }: Comparison, { number }: Rebuilt): string[] {
  if (different !== undefined)
    return [`  the same as what was there up to block ${same}; block ${different} is another one`];
  const range = (first: bigint, last: bigint) => (first === last ? `block ${first}` : `blocks ${first} to ${last}`);
  const lost = firm > number ? [`  ${range(number + 1n, firm)}: firm there, and not on the layer`] : [];
  const [from] = [firm > number ? firm + 1n : number + 1n];
  const softOnly = soft >= from ? [`  ${range(from, soft)}: soft only, not firm, and not rebuilt`] : [];
  return [`  the same as what was there, up to block ${same}`, ...lost, ...softOnly];
}

function stopSignal(cli: Cli): AbortSignal {
  const stop = new AbortController();
  cli.world.onStop(() => stop.abort(new Failure('stopped; what was made until then stays')));
  return stop.signal;
}
