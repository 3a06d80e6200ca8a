/** The place of an archive, from the options of a command. */
import { resolve } from 'node:path';
import { usage } from '@switchyard/service/failure';
import { type OptionsOf, optionSet } from '../cli.ts';

/** Credentials are no options: command lines show in lists of processes and in histories. */
export const withS3 = optionSet((command) =>
  command
    .option('--s3-endpoint <url>', "of S3-compatible storage (default: Amazon's), with the bucket in the path")
    .option('--s3-region <region>', 'region of the bucket (default: AWS_REGION, or the profile)'),
);

type S3Options = OptionsOf<typeof withS3>;

/** @param text A path, seen from `directory`, or an `s3:` URL. @throws {Failure} */
export async function openArchivePlace(text: string, directory: string, { s3Endpoint, s3Region }: S3Options) {
  const { httpUrl, isS3Url, parseS3Url, s3UrlText } = await import('@switchyard/service/settings');
  if (!isS3Url(text)) {
    if (s3Endpoint !== undefined || s3Region !== undefined)
      throw usage(`--s3-endpoint and --s3-region: expected an archive at s3://BUCKET/PREFIX, got ${text}`);
    return { at: resolve(directory, text) };
  }
  const url = parseS3Url(text);
  // The text is not repeated, since it may contain a secret that does not belong there.
  if (url === undefined)
    throw usage(
      'an archive in S3: expected s3://BUCKET/PREFIX, of lower-case letters, digits, dots and hyphens in BUCKET',
    );
  const endpoint = s3Endpoint === undefined ? undefined : httpUrl.fromText(s3Endpoint);
  if (s3Endpoint !== undefined && (endpoint === undefined || new URL(endpoint).username !== ''))
    throw usage('--s3-endpoint: expected an http:// or https:// URL without credentials');
  return { at: s3UrlText(url), endpoint, region: s3Region };
}

/** Variables from which the S3 client takes credentials and region, for a process that reads from there. */
export const awsVariables = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      name.startsWith('AWS_') && value !== undefined ? [[name, value] as const] : [],
    ),
  );
