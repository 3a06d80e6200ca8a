import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { sequencerOf, withSequencer } from './options.ts';

/** `switchyard sequencer fee-assets get` */
export function feeAssetsCommand(cli: Cli, connect: Connections) {
  return withSequencer(leaf('get', 'show the assets that pay fees', '')).action(async (options) => {
    const assets = await (await sequencerOf(options, cli, connect)).allowedFeeAssets();
    cli.print(assets, ['Allowed fee assets:', ...assets.map((asset) => `    ${asset}`)]);
  });
}
