import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure, usage } from '@switchyard/service/failure';
import { largeIdWarning, MAX_MANIFEST_BYTES, publicChain, readManifest } from '@switchyard/stack';
import { type Cli, type OptionsOf, optionSet } from '../../cli.ts';
import { described } from '../../described.ts';
import { systemReason } from '../../dev/files/files.ts';

export const withManifest = optionSet((command) =>
  command.option(
    '--config <file>',
    'the manifest (ROLLUP_CONF_FILE; default: <name>-rollup-conf.yaml here, with the name in ROLLUP_NAME)',
  ),
);

type ManifestOptions = OptionsOf<typeof withManifest>;

const VARIABLES = ['ROLLUP_CONF_FILE', 'ROLLUP_CONFIG_PATH'] as const;

/** A manifest's usual name; it is written in the working directory. */
export const usualName = (rollup: string) => `${rollup}-rollup-conf.yaml`;

/** The path that was named, by flag or by variable. */
export function namedPath({ config }: ManifestOptions, { world }: Cli): string | undefined {
  const named = [config, ...VARIABLES.map((name) => world.env[name])].find((each) => (each ?? '') !== '');
  return named === undefined ? undefined : resolve(world.directory, named);
}

/** @throws {Failure} if none was named. */
export function manifestPath(options: ManifestOptions, cli: Cli): string {
  const named = namedPath(options, cli);
  if (named !== undefined) return named;
  const rollup = cli.world.env.ROLLUP_NAME ?? '';
  if (rollup !== '' && !rollup.includes('/')) return resolve(cli.world.directory, usualName(rollup));
  throw usage('--config: expected the path of a manifest, got nothing: name it here or in ROLLUP_CONF_FILE');
}

/** Notes of the reading go to stderr. @returns with the permission bits of the file. @throws {Failure} with a line for each mistake. */
export function openManifest(path: string, cli: Cli) {
  const { text, mode } = readBounded(path);
  const read = described(path, () => readManifest(text));
  for (const note of read.notes) cli.note(`${path}: ${plain(note)}`);
  return { path, text, mode, ...read };
}

function readBounded(path: string): { readonly text: string; readonly mode: number } {
  try {
    const status = statSync(path);
    if (!status.isFile()) throw new Failure(`${path}: expected a file, got something else`);
    if (status.size > MAX_MANIFEST_BYTES)
      throw new Failure(`${path}: expected a manifest of at most ${MAX_MANIFEST_BYTES} bytes, got ${status.size}`);
    return { text: readFileSync(path, 'utf8'), mode: status.mode };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      `${path}: cannot be read: ${systemReason(error)}: make it with \`switchyard rollup config create\`, or name another with --config`,
      error,
    );
  }
}

/** A network id that wallets refuse is possible. */
export function noteLargeId(networkId: bigint, { note }: Cli): void {
  const warning = largeIdWarning(networkId);
  if (warning !== undefined) note(`note: config.rollup.networkId: ${warning}`);
}

/** @throws {Failure} if a public network has the id and the user does not insist. */
export function refusePublicId(networkId: bigint, force: boolean): void {
  const network = publicChain(networkId);
  if (network === undefined || force) return;
  throw new Failure(
    `config.rollup.networkId: ${networkId} is the chain id of ${network}: transactions signed for one would be valid on the other; choose another id, or insist with --force`,
  );
}
