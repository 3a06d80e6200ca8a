import { dirname, resolve } from 'node:path';
import { createSigner, formatAddress, fromHex } from '@switchyard/protocol';
import { usage } from '@switchyard/service/failure';
import type { KeyKind } from '@switchyard/service/key-file';
import { getWorkloads, type Keys, type Manifest, objectsText, payingBridges } from '@switchyard/stack';
import { WITHDRAWERS } from '@switchyard/stack/programs';
import { readTimeout } from '../../arguments.ts';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { described } from '../../described.ts';
import { readText } from '../../dev/files/files.ts';
import type { KeyOptions as KeyNames } from '../../key-options.ts';
import { type KeyFlags, secretFor } from '../../keys.ts';
import { columns } from '../../print.ts';
import { manifestPath, openManifest, withManifest } from '../manifest/file.ts';
import { ACCOUNT_VARIABLE } from '../sequencer/options.ts';
import { openTarget, urlLines, withPort, withTarget } from './options.ts';

const FAUCET_VARIABLES = ['ROLLUP_FAUCET_PRIV_KEY', 'ROLLUP_FAUCET_PRIVATE_KEY'] as const;
const WITHDRAWER_VARIABLES = ['ROLLUP_WITHDRAWER_PRIV_KEY', 'ROLLUP_WITHDRAWER_PRIVATE_KEY'] as const;
const WITHDRAWER_FLAG = '--withdrawer-private-key-file';
const DRY_RUN_VARIABLE = 'ROLLUP_DRY_RUN';
const DA_TOKEN_VARIABLE = 'ROLLUP_DA_TOKEN';
const SEQUENCER_VARIABLES = ['SEQUENCER_PRIV_KEY', 'SEQUENCER_PRIVATE_KEY', 'ROLLUP_SEQUENCER_PRIVATE_KEY'] as const;

/** Keys, as files and as themselves. */
const withKeys = optionSet((command) =>
  command
    .option(
      '--faucet-private-key-file <path>',
      `key of the account that the faucet gives from (${FAUCET_VARIABLES[0]})`,
    )
    .option(
      '--sequencer-private-key-file <path>',
      `key of the account on the sequencer that pays (${SEQUENCER_VARIABLES[0]})`,
    )
    .option(
      '--withdrawer-private-key-file <path>',
      `key of the account that pays out of the bridge account, if withdrawer.enabled is true (${WITHDRAWER_VARIABLES[0]}); again for each further one, in the order of the genesis`,
      (path: string, before: readonly string[] = []) => [...before, path],
    )
    .option('--faucet-private-key <hex>', 'the key itself; other users may see it in the list of processes')
    .option('--sequencer-private-key <hex>', 'the key itself; other users may see it in the list of processes')
    .option(
      '--da-token-file <path>',
      `token of the node of da-node.url, if da-node.hasToken is true (${DA_TOKEN_VARIABLE})`,
    )
    .option('--passphrase-file <path>', 'file of mode 600 with the passphrase of encrypted keys (default: asked for)'),
);

type KeyOptions = OptionsOf<typeof withKeys>;

export function createCommand(cli: Cli, connect: Connections) {
  return withPort(
    withKeys(
      withTarget(
        withManifest(
          leaf(
            'create',
            'install a rollup, or repair or upgrade it after an edit of its manifest; wait until it is ready, and print its URLs',
            '--config cosmic-rollup-conf.yaml --faucet-private-key-file faucet.key --sequencer-private-key-file sequencer.key',
            '--config cosmic-rollup-conf.yaml --context kind-kind --timeout 600',
            '--config cosmic-rollup-conf.yaml --target local',
            '--config cosmic-rollup-conf.yaml --dry-run',
          ),
        ),
      ),
    ),
  )
    .option('--timeout <seconds>', 'how long to wait until it is ready', readTimeout, 300)
    .option('--force', 'override checks that refuse risky but possible deployments')
    .option('--dry-run', `print the Kubernetes objects as YAML; check and apply nothing (${DRY_RUN_VARIABLE}=true)`)
    .option('--show-secrets', 'with --dry-run: with the keys, as `kubectl apply -f -` needs them')
    .action(async (options) => {
      const { path, manifest } = openManifest(manifestPath(options, cli), cli);
      const force = options.force === true;
      warnOfArguments(options, cli);
      if (options.dryRun || isSwitchedOn(DRY_RUN_VARIABLE, cli)) {
        const keys = options.showSecrets ? await getKeys(options, manifest, cli) : HIDDEN;
        const objects = described(path, () => getWorkloads(manifest, keys, { allowDevKey: force }));
        cli.print(objects, objectsText(objects).trimEnd());
        return;
      }
      const keys = await getKeys(options, manifest, cli);
      cli.nextStep = 'check config.sequencer.rpc in the manifest';
      const target = await openTarget(options, cli, connect);
      const deployed = await target.create({
        manifest,
        directory: dirname(path),
        keys,
        force,
        timeoutMs: 1_000 * options.timeout,
      });
      cli.print(deployed, columns(urlLines(deployed.urls)));
    });
}

const NOT_SHOWN = 'not shown, see --show-secrets';
const HIDDEN: Keys = {
  ...{ sequencer: NOT_SHOWN, faucet: NOT_SHOWN, withdrawers: Array(WITHDRAWERS.length).fill(NOT_SHOWN) },
  ...{ daToken: NOT_SHOWN, daLight: { secret: NOT_SHOWN, readToken: NOT_SHOWN } },
};

/** Keys on a command line work, as the reference documents them. */
function warnOfArguments({ faucetPrivateKey, sequencerPrivateKey }: KeyOptions, cli: Cli): void {
  if (faucetPrivateKey === undefined && sequencerPrivateKey === undefined) return;
  cli.note(
    `note: other users of this machine can read keys among the arguments of a process, and the shell may keep them in its history: --sequencer-private-key-file and --faucet-private-key-file, or ${SEQUENCER_VARIABLES[0]} and ${FAUCET_VARIABLES[0]}, are not shown`,
  );
}

/** @throws {Failure} for another word than true and false. */
function isSwitchedOn(variable: string, { world }: Cli): boolean {
  const text = world.env[variable] ?? '';
  if (text === 'true' || text === '1') return true;
  if (text === '' || text === 'false' || text === '0') return false;
  throw usage(`${variable}: expected true or false, got ${JSON.stringify(text.slice(0, 100))}`);
}

async function getKeys(options: KeyOptions, manifest: Manifest, { world }: Cli): Promise<Keys> {
  const { passphraseFile, withdrawerPrivateKeyFile } = options;
  const read = async (kind: KeyKind, named: KeyNames, variables: readonly string[], flags: KeyFlags) => {
    const { secret } = await secretFor(kind, { ...named, passphraseFile }, world, variables, flags);
    return Buffer.from(secret).toString('hex');
  };
  const toFlags = (item: string) => ({ file: `--${item}-private-key-file`, text: `--${item}-private-key` });
  const bundling = { privateKey: options.sequencerPrivateKey, privateKeyFile: options.sequencerPrivateKeyFile };
  const sequencer = await read('ed25519', bundling, SEQUENCER_VARIABLES, toFlags('sequencer'));
  checkAccount(sequencer, manifest, world);
  const faucetKind = manifest.kind === 'evm' ? 'secp256k1' : 'ed25519';
  const giving = { privateKey: options.faucetPrivateKey, privateKeyFile: options.faucetPrivateKeyFile };
  return {
    sequencer,
    faucet: manifest.faucetEnabled ? await read(faucetKind, giving, FAUCET_VARIABLES, toFlags('faucet')) : '',
    ...(manifest.withdrawerEnabled && {
      withdrawers: await getPayers(manifest, withdrawerPrivateKeyFile, (privateKeyFile) =>
        read('ed25519', { privateKeyFile }, WITHDRAWER_VARIABLES, { file: WITHDRAWER_FLAG }),
      ),
    }),
    ...(manifest.daHasToken && { daToken: getToken(options, world) }),
  };
}

/** Keys of the payers of withdrawals; the variable can hold a single one. @throws {Failure} unless each payer has its own. */
async function getPayers(
  manifest: Manifest,
  files: readonly string[] = [],
  read: (file: string | undefined) => Promise<string>,
): Promise<string[]> {
  const accounts = payingBridges(manifest).map(({ address }) => address);
  if (accounts.length === 1 && files.length === 0) return [await read(undefined)];
  if (files.length !== accounts.length)
    throw usage(
      `${WITHDRAWER_FLAG}: expected ${accounts.length}, of the payers of ${accounts.join(', ')} in this order, got ${files.length}`,
    );
  const keys = await Promise.all(files.map(read));
  if (new Set(keys).size < keys.length)
    throw usage(
      `${WITHDRAWER_FLAG}: expected a key of its own for each bridge account, got one twice: name another with \`switchyard sequencer bridge-sudo-change\``,
    );
  return keys;
}

/** @throws {Failure} if the variable with the account that pays names another one than the key's. */
function checkAccount(key: string, { sequencerAddressPrefix: prefix }: Manifest, { env }: Cli['world']): void {
  const named = env[ACCOUNT_VARIABLE] ?? '';
  const address = formatAddress(createSigner(fromHex(key)).account, prefix);
  if (named !== '' && named !== address)
    throw usage(
      `${ACCOUNT_VARIABLE}: expected ${address}, the account of the sequencer key, got ${JSON.stringify(named.slice(0, 100))}: give the key of that account, or correct the variable`,
    );
}

/** Tokens of celestia-node are JSON Web Tokens. */
function getToken({ daTokenFile }: KeyOptions, { env, directory }: Cli['world']): string {
  const text = daTokenFile === undefined ? env[DA_TOKEN_VARIABLE] : readText(resolve(directory, daTokenFile));
  const token = text?.trim() ?? '';
  if (/^[\w.~+/=-]{1,4096}$/.test(token)) return token;
  const where = daTokenFile === undefined ? `--da-token-file or ${DA_TOKEN_VARIABLE}` : '--da-token-file';
  throw usage(
    `${where}: expected the token of the node of da-node.url, since da-node.hasToken is true, got ${token === '' ? 'none' : 'another text'}`,
  );
}
