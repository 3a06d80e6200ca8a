import { existsSync } from 'node:fs';
import { Option } from '@commander-js/extra-typings';
import { usage } from '@switchyard/service/failure';
import { type OptionsOf, optionSet } from '../../cli.ts';
import type { NodeCounts } from '../../dev/comet/layout.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';

export const withEngine = optionSet((command) =>
  command
    .addOption(
      new Option(
        '--engine <engine>',
        'solo (a single node, network local) or cometbft (consensus of several, network cometbft, made when absent)',
      ).choices(['solo', 'cometbft']),
    )
    .option('--validators <n>', 'with --engine cometbft: nodes that vote on blocks (default: 4)')
    .option('--full-nodes <n>', 'with --engine cometbft: nodes that only follow (default: 0)'),
);

type EngineOptions = OptionsOf<typeof withEngine>;

/** How many nodes are requested; `undefined` without CometBFT. @throws {Failure} */
export async function findNodes({
  engine,
  validators,
  fullNodes,
}: EngineOptions): Promise<Partial<NodeCounts> | undefined> {
  if (engine === 'cometbft') return (await import('../../dev/comet/add.ts')).nodeCounts(validators, fullNodes);
  const flag = validators === undefined ? '--full-nodes' : '--validators';
  if (validators !== undefined || fullNodes !== undefined) throw usage(`${flag}: only with --engine cometbft`);
  return undefined;
}

/**
 * The network that an engine stands for. The one under CometBFT is made when it is not there, with an instance around it.
 *
 * @returns its name, and the files written for it; no name if no engine was requested.
 */
export async function networkOfEngine(paths: InstancePaths, options: EngineOptions, portOffset: number | undefined) {
  const nodes = await findNodes(options);
  if (options.engine === 'solo') return { network: 'local', written: [] };
  if (nodes === undefined) return { written: [] };
  const { addCometNetwork } = await import('../../dev/comet/add.ts');
  const { COMET_NETWORK } = await import('../../dev/comet/layout.ts');
  const { initInstance } = await import('../../dev/init/init.ts');
  const made = existsSync(paths.networks) ? [] : initInstance(paths, { portOffset }).written;
  return { network: COMET_NETWORK, written: [...made, ...addCometNetwork(paths, nodes)] };
}
