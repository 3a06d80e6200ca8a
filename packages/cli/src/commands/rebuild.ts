import { type Cli, leaf, type OptionsOf, optionSet } from '../cli.ts';
import { Failure, usage } from '../failure.ts';
import { type Anchor, heightAndHash } from '../rebuild/anchor.ts';
import type { Comparison } from '../rebuild/of-instance.ts';
import type { RebuildOptions, Rebuilt } from '../rebuild/rebuild.ts';
import { stopSignal } from '../stop-signal.ts';
import { pathsOf } from './dev/options.ts';
import { kindOf, layerSettings, mustHaveSource, printer, withLayerSource } from './layer-source.ts';

const withSource = optionSet((command) =>
  withLayerSource(command)
    .option(
      '--into <directory>',
      'where the state is made: absent, empty, or left by a try that did not finish, which then continues (default with an instance: beside what is there)',
    )
    .option(
      '--anchor <height:hash>',
      'a block of the sequencer that is known to be right, at most the first that the rollup is made from (default with an instance: as its rollup has it)',
    ),
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
  mustHaveSource(options);
  const named = options.instance !== undefined || options.rollup !== undefined || options.genesis === undefined;
  const signal = stopSignal(cli, 'stopped; what was made until then stays');
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
    import('@switchyard/client/execution'),
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
