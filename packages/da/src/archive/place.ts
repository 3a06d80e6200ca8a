/** The location of an archive: a directory, or S3-compatible storage. */
import { isS3Url, parseS3Url } from '@switchyard/service';
import { directoryStore } from './directory-store.ts';
import type { ArchiveStore } from './store.ts';

export interface ArchivePlace {
  /** Path of a directory, or `s3://bucket/prefix`. */
  readonly at: string;
  /** URL of an S3-compatible server; undefined for Amazon's own. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
}

/** @throws {Error} for an invalid `s3:` URL. The place is not contacted. */
export async function openArchiveStore({ at, endpoint, region }: ArchivePlace): Promise<ArchiveStore> {
  if (!isS3Url(at)) return directoryStore(at);
  const url = parseS3Url(at);
  if (url === undefined) throw new Error('an archive in S3: expected s3://BUCKET/PREFIX, without credentials');
  const { openS3Store } = await import('./s3-store.ts');
  return openS3Store({ ...url, endpoint, region });
}
