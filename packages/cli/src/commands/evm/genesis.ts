import { type Cli, leaf } from '../../cli.ts';
import { requireRollup, withInstanceNamed } from './options.ts';

/** `switchyard evm genesis` */
export function genesisCommand(cli: Cli) {
  return withInstanceNamed(
    leaf('genesis', 'print the genesis of the EVM rollup; `geth init` and reth take it too', '', '--instance second'),
  ).action(async (options) => {
    const [{ genesisFacts }, { parseJson, readText }] = await Promise.all([
      import('../../dev/networks/evm-rollup.ts'),
      import('../../dev/files/files.ts'),
    ]);
    const { genesisFile } = await requireRollup(options, cli);
    genesisFacts(genesisFile);
    const text = readText(genesisFile);
    cli.print(parseJson(text, genesisFile), text.trimEnd());
  });
}
