import { resolve } from 'node:path';
import { usage } from '@switchyard/service/failure';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import { type Anchor, heightAndHash } from '../../rebuild/anchor.ts';
import type { Owed } from '../../rebuild/owed.ts';
import { stopSignal } from '../../stop-signal.ts';
import { getSource, mustHaveSource, printer, withLayerSource } from '../layer-source.ts';

const withOwed = optionSet((command) =>
  withLayerSource(command)
    .option(
      '--anchor <height:hash>',
      'a block of the sequencer that is known to be right, at most the first that the rollup is made from',
    )
    .option('--asset <name>', 'which asset (default: that of the genesis accounts)')
    .option('--proofs <directory>', 'write the proof of each balance there; it must not exist'),
);

type Options = OptionsOf<typeof withOwed>;

export function owedCommand(cli: Cli) {
  return withOwed(
    leaf(
      'owed',
      'compute from the data-availability layer alone how much of an asset each account of a rollup holds',
      '--from-da http://127.0.0.1:26658 --genesis rollup_genesis.json --anchor 3:5D0C... --proofs proofs',
      '--from-da --instance default --anchor 3:5D0C... --code dist/market.js --asset nria --json',
      '--from-archive /var/lib/switchyard/archive --genesis rollup_genesis.json --anchor 3:5D0C... --da-chain-id mocha-5 --da-trusted 456:5D0C...',
    ),
  )
    .addHelpText('after', HELP)
    .action((options) => run(options, cli));
}

const HELP = `
Asks neither the sequencer nor a node of the rollup. It executes all blocks that were posted, in a temporary directory, and checks
each balance against the state root. With several readers of the layer the same block has the same hash.`;

async function run(options: Options, cli: Cli): Promise<void> {
  mustHaveSource(options);
  if (options.anchor === undefined)
    throw usage('expected --anchor HEIGHT:HASH: a block of the sequencer that is known to be right');
  const anchor = heightAndHash('--anchor', options.anchor);
  const signal = stopSignal(cli, 'stopped');
  const { owed } = await import('../../rebuild/owed.ts');
  const { withLayer } = await import('../../rebuild/of-instance.ts');
  const at = (path: string) => resolve(cli.world.directory, path);
  const { asset, proofs } = options;
  const deps = { env: cli.world.env, signal, progress: printer(cli) };
  const source = await getSource(options, at, cli);
  if (source.kind === 'evm')
    throw usage(`${source.genesis}: expected that of a rollup without a virtual machine, got that of an EVM rollup`);
  const wanted = { ...source, anchor, asset, proofs: proofs === undefined ? undefined : at(proofs) };
  const found = await withLayer(source, deps, () => owed(wanted, deps));
  cli.print(found, formatLines(found, anchor));
}

function formatLines({ rollup, asset, block, read, sum, deposited, accounts }: Owed, anchor: Anchor): string[] {
  const width = Math.max(...accounts.map(({ address }) => address.length), 0);
  return [
    ...accounts.map(({ address, amount }) => `${address.padEnd(width)}  ${amount}`),
    `${'sum'.padEnd(width)}  ${sum} ${asset}, of which deposits brought ${deposited}`,
    `rollup ${rollup}, block ${block.number}: hash ${block.hash}, state root ${block.stateRoot}`,
    `read from sequencer block ${anchor.height} to ${read.sequencerHeight} of ${read.time}, in the layer at height ${read.layerHeight}`,
  ];
}
