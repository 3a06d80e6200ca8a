import { resolve } from 'node:path';
import { Failure, usage } from '@switchyard/service/failure';
import { type Cli, leaf, type OptionsOf, optionSet } from '../cli.ts';
import { type Anchor, heightAndHash } from '../rebuild/anchor.ts';
import type { Comparison } from '../rebuild/of-instance.ts';
import type { RebuildDeps, RebuildOptions, Rebuilt } from '../rebuild/rebuild.ts';
import { stopSignal } from '../stop-signal.ts';
import { getSource, mustHaveSource, printer, withLayerSource } from './layer-source.ts';

const withSource = optionSet((command) =>
  withLayerSource(command)
    .option(
      '--into <directory>',
      'directory of the new state: missing, empty, or left by an unfinished try, which then continues (default with an instance: next to the present one)',
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
      '--from-da --instance default --rollup counter --code dist/counter.js',
      '--from-archive /var/lib/switchyard/archive --instance default --da-trusted 456:5D0C...',
    ),
  )
    .addHelpText('after', HELP)
    .action((options) => run(options, cli));
}

const HELP = `
Starts the rollup and a conductor of level FirmOnly for this alone, and ends when the last block that was posted is executed.
Everything is verified from the two trusted blocks on. For an instance, the new state is compared with the old one; its
network has to be stopped, its local layer is started where it does not run. Light nodes keep about seven days of Celestia.`;

async function run(options: Options, cli: Cli): Promise<void> {
  mustHaveSource(options);
  const { withLayer } = await import('../rebuild/of-instance.ts');
  const { env, directory } = cli.world;
  const at = (path: string) => resolve(directory, path);
  const given = options.anchor === undefined ? undefined : heightAndHash('--anchor', options.anchor);
  const signal = stopSignal(cli, 'stopped; the finished part stays');
  const { data, ...source } = await getSource(options, at, cli);
  const deps = { env, signal, progress: printer(cli) };
  if (data !== undefined)
    return withLayer(source, deps, () => besideOther({ ...source, data }, options, given, cli, deps));
  if (options.into === undefined || given === undefined)
    throw usage('rebuild without an instance: expected --genesis, --into and --anchor');
  return printRebuilt({ ...source, into: at(options.into), anchor: given }, cli, deps);
}

type Source = Omit<RebuildOptions, 'into' | 'anchor'> & { readonly data: string };

/** Makes a second state next to that of the instance, and compares both. */
async function besideOther(
  { data, ...source }: Source,
  options: Options,
  given: Anchor | undefined,
  cli: Cli,
  deps: RebuildDeps,
): Promise<void> {
  const { rebuild, withRollup } = await import('../rebuild/rebuild.ts');
  const { compare, withBefore } = await import('../rebuild/of-instance.ts');
  const { executionClient } = await import('@switchyard/client/execution');
  const intoOr = (usual: string) => (options.into === undefined ? usual : resolve(cli.world.directory, options.into));
  const compared = await withBefore({ ...source, data }, deps.env, async (before) => {
    const anchor = given ?? before.anchor;
    if (anchor === undefined) throw noAnchor(`${data} has no block 1 any more`);
    const into = intoOr(`${data}.rebuilt`);
    const rebuilt = await rebuild({ ...source, into, anchor }, deps);
    const comparison = await withRollup({ ...source, into }, deps.env, async (execution) => {
      const client = executionClient(execution);
      const { number } = rebuilt;
      const block = async (wanted: bigint) => (await client.block(wanted)).hash;
      return compare(before, { number, block }).finally(() => client.close());
    });
    return { into, rebuilt, comparison };
  });
  if (compared !== undefined) {
    const { into, rebuilt, comparison } = compared;
    cli.print(compared, [...formatLines(into, rebuilt), ...comparisonLines(comparison, rebuilt)]);
    if (comparison.different !== undefined)
      throw new Failure(`block ${comparison.different} differs from that of ${data}`);
    return;
  }
  if (given === undefined) throw noAnchor(`${data} holds no finished state`);
  await printRebuilt({ ...source, into: intoOr(data), anchor: given }, cli, deps);
}

async function printRebuilt(wanted: RebuildOptions, cli: Cli, deps: RebuildDeps): Promise<void> {
  const { rebuild } = await import('../rebuild/rebuild.ts');
  const { into } = wanted;
  const rebuilt = await rebuild(wanted, deps);
  cli.print({ into, rebuilt }, formatLines(into, rebuilt));
}

const noAnchor = (why: string) =>
  new Failure(`${why}: give --anchor HEIGHT:HASH, the sequencer block that the first block of the rollup is made from`);

function formatLines(into: string, { number, hash, sequencerHeight, layerHeight, time }: Rebuilt): string[] {
  return [
    `rebuilt blocks 1 to ${number} in ${into}`,
    `  last block posted: sequencer height ${sequencerHeight} of ${time}, layer height ${layerHeight}`,
    `  rollup block ${number} has hash ${hash}`,
  ];
}

function comparisonLines({ same, different, soft, firm }: Comparison, { number }: Rebuilt): string[] {
  if (different !== undefined) return [`  the same as before up to block ${same}; block ${different} differs`];
  const range = (first: bigint, last: bigint) => (first === last ? `block ${first}` : `blocks ${first} to ${last}`);
  const lost = firm > number ? [`  ${range(number + 1n, firm)}: firm there, and not on the layer`] : [];
  const [from] = [firm > number ? firm + 1n : number + 1n];
  const softOnly = soft >= from ? [`  ${range(from, soft)}: soft only, not firm, and not rebuilt`] : [];
  return [`  the same as before, up to block ${same}`, ...lost, ...softOnly];
}
