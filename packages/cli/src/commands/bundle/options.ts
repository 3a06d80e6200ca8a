import { resolve } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import { type Cli, type OptionsOf, optionSet } from '../../cli.ts';
import type { ComposerPort, Connections } from '../../connect.ts';
import { withInstanceNamed } from '../named-instance.ts';

const DEFAULT_COMPOSER_URL = 'http://127.0.0.1:50052';

export const withComposer = optionSet((command) =>
  withInstanceNamed(command)
    .option(
      '--composer-url <url>',
      `gRPC of the composer (default: that of the instance that runs, else ${DEFAULT_COMPOSER_URL})`,
    )
    .option('--composer-secret-file <file>', "file of mode 600 with the composer's secret (default: the instance's)"),
);

type ComposerOptions = OptionsOf<typeof withComposer>;

/** Calls the composer that the options name, and closes the connection. */
export async function withComposerFrom<T>(
  options: ComposerOptions,
  { cli, connect }: { readonly cli: Cli; readonly connect: Connections },
  call: (composer: ComposerPort) => Promise<T>,
): Promise<T> {
  const { url, secretFile } = await findPlace(options, cli);
  const composer = await connect.composer(url, secretFile);
  try {
    return await call(composer);
  } finally {
    composer.close();
  }
}

/** @throws {Failure} when the URL is invalid, or the network has no composer. */
async function findPlace(options: ComposerOptions, cli: Cli): Promise<{ url: string; secretFile: string | undefined }> {
  const { askedByUrl, findTarget } = await import('../../target.ts');
  const { composerUrl, composerSecretFile } = options;
  const given = composerSecretFile === undefined ? undefined : resolve(cli.world.directory, composerSecretFile);
  if (composerUrl !== undefined) return { url: askedByUrl(cli, '--composer-url', composerUrl), secretFile: given };
  const { toComposer } = await import('../../dev/networks/composer.ts');
  const chosen = await findTarget(options, cli, (instance) => toComposer(instance) !== undefined);
  if (chosen === undefined) return { url: DEFAULT_COMPOSER_URL, secretFile: given };
  const found = toComposer(chosen.instance);
  if (found === undefined) {
    const { network, paths } = chosen.instance;
    throw new Failure(`${paths.networks}: network ${network.name} has no composer: give --composer-url`);
  }
  return { url: found.url, secretFile: given ?? found.secretFile };
}
