import type { Keys } from '@switchyard/deployment';
import { objectsText, workloadsOf } from '@switchyard/deployment';
import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import { usage } from '../../failure.ts';
import { secretFor } from '../../keys.ts';
import { described, type ManifestOptions, manifestPath, openManifest, withManifest } from './file.ts';

interface DeployOptions extends ManifestOptions {
  readonly dryRun?: true;
  readonly showSecrets?: true;
  readonly faucetPrivateKeyFile?: string;
  readonly sequencerPrivateKeyFile?: string;
  readonly passphraseFile?: string;
}

const FAUCET_VARIABLES = ['ROLLUP_FAUCET_PRIV_KEY', 'ROLLUP_FAUCET_PRIVATE_KEY'] as const;
const SEQUENCER_VARIABLES = ['SEQUENCER_PRIV_KEY', 'SEQUENCER_PRIVATE_KEY', 'ROLLUP_SEQUENCER_PRIVATE_KEY'] as const;

/** `switchyard rollup deployment create --dry-run` */
export function deploymentCreateCommand(cli: Cli): Command {
  return withManifest(
    leaf(
      'create',
      'print the Kubernetes objects of a rollup as YAML',
      '--config cosmic-rollup-conf.yaml --dry-run',
      '--config cosmic-rollup-conf.yaml --dry-run --show-secrets --faucet-private-key-file faucet.key --sequencer-private-key-file sequencer.key',
    ),
  )
    .option('--dry-run', 'print and apply nothing; needed, since nothing is applied yet')
    .option('--show-secrets', 'with the keys, as `kubectl apply -f -` needs them')
    .option(
      '--faucet-private-key-file <path>',
      `key of the account that the faucet gives from (${FAUCET_VARIABLES[0]})`,
    )
    .option(
      '--sequencer-private-key-file <path>',
      `key of the account on the sequencer that pays (${SEQUENCER_VARIABLES[0]})`,
    )
    .option('--passphrase-file <path>', 'file of mode 600 with the passphrase of encrypted keys (default: asked for)')
    .action(async (options: DeployOptions) => {
      if (options.dryRun !== true)
        throw usage(
          '--dry-run: nothing is applied yet: print the objects with it, and apply them with `kubectl apply -f -`',
        );
      const { path, manifest } = openManifest(manifestPath(options, cli), cli);
      const keys = options.showSecrets ? await keysOf(options, manifest.faucetEnabled, cli) : HIDDEN;
      const objects = described(path, () => workloadsOf(manifest, keys));
      cli.print(objects, objectsText(objects).trimEnd());
    });
}

const HIDDEN: Keys = { sequencer: 'not shown, see --show-secrets', faucet: 'not shown, see --show-secrets' };

async function keysOf(options: DeployOptions, hasFaucet: boolean, { world }: Cli): Promise<Keys> {
  const { passphraseFile } = options;
  const read = async (
    kind: 'ed25519' | 'secp256k1',
    flag: string,
    file: string | undefined,
    variables: readonly string[],
  ) => {
    const named = {
      ...(file === undefined ? {} : { privateKeyFile: file }),
      ...(passphraseFile === undefined ? {} : { passphraseFile }),
    };
    const { secret } = await secretFor(kind, named, world, variables, `${flag}-file`);
    return Buffer.from(secret).toString('hex');
  };
  const sequencer = await read(
    'ed25519',
    '--sequencer-private-key',
    options.sequencerPrivateKeyFile,
    SEQUENCER_VARIABLES,
  );
  if (!hasFaucet) return { sequencer, faucet: '' };
  const faucet = await read('secp256k1', '--faucet-private-key', options.faucetPrivateKeyFile, FAUCET_VARIABLES);
  return { sequencer, faucet };
}
