import { addressOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { usage } from '../../failure.ts';
import { withAsset } from './options.ts';
import { printSigned, sign } from './sign.ts';

/** `switchyard sequencer init-bridge-account --rollup-name NAME` */
export function initBridgeAccountCommand(cli: Cli, connect: Connections) {
  return withAsset(
    leaf(
      'init-bridge-account',
      "make the signer's account the bridge account of a rollup; this cannot be undone",
      '--rollup-name messenger --private-key-file carol.key',
    ),
  )
    .requiredOption(
      '--rollup-name <name>',
      'rollup whose deposits it takes, by its name on the sequencer: config.rollup.chainId of a manifest',
    )
    .option('--sudo-address <address>', 'account that may change the bridge account (default: the signer)')
    .option('--withdrawer-address <address>', 'account that may unlock its funds (default: the signer)')
    .option('--force', 'take the name though a manifest here has another one for the sequencer')
    .action(async ({ rollupName, force, ...options }) => {
      const { rollupIdBase64Url, rollupIdFromName } = await import('@switchyard/protocol/values');
      const optional = (flag: string, text: string | undefined) =>
        text === undefined ? undefined : addressOf(flag, text, options.prefix);
      if (rollupName === '') throw usage('--rollup-name: expected a name, got nothing');
      if (force !== true) await refuseOtherName(rollupName, cli);
      const rollup = rollupIdFromName(rollupName);
      const sudo = optional('--sudo-address', options.sudoAddress);
      const withdrawer = optional('--withdrawer-address', options.withdrawerAddress);
      const signed = await sign(options, cli, connect, (assets) => ({
        kind: 'initBridgeAccount',
        rollup,
        sudo,
        withdrawer,
        ...assets,
      }));
      const rollupID = rollupIdBase64Url(rollup);
      printSigned(cli, 'InitBridgeAccount', signed, { rollupName, rollupID }, [
        `Rollup name: ${rollupName}`,
        `Rollup ID: ${rollupID}`,
      ]);
    });
}

/** @throws {Failure} for the name that a manifest of this directory has in its objects, where the sequencer has another one. */
async function refuseOtherName(rollupName: string, cli: Cli): Promise<void> {
  const [{ existsSync }, { resolve }, { openManifest, usualName }] = await Promise.all([
    import('node:fs'),
    import('node:path'),
    import('../manifest/file.ts'),
  ]);
  const path = resolve(cli.world.directory, usualName(rollupName));
  if (rollupName.includes('/') || !existsSync(path)) return;
  const { name, chainId } = openManifest(path, cli).manifest;
  if (name !== rollupName || chainId === rollupName) return;
  throw usage(
    `--rollup-name: expected ${chainId}, the name of this rollup on the sequencer (config.rollup.chainId in ${path}), got ${rollupName}: deposits to the account would be lost; insist with --force`,
  );
}
