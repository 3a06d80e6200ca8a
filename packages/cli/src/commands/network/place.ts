import { resolve } from 'node:path';
import { integerReader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';

/** `switchyard network place`: what a pod of a sequencer network runs before its processes. */
export function placeCommand(cli: Cli) {
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
