/** The location of objects, as people write it: `s3://bucket/prefix`. Nothing secret belongs in there. */
import { parser, type Schema } from '../input/schema.ts';
import { path } from './parsers.ts';

export interface S3Url {
  readonly bucket: string;
  /** Prefix of all keys, without slashes at its ends; empty for the whole bucket. */
  readonly prefix: string;
}

/** Names of buckets as Amazon S3 takes them, and the characters of keys that need no escapes anywhere. */
const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]{0,512}))?$/;

export const isS3Url = (text: string): boolean => text.startsWith('s3://');

/** @returns undefined for other text. */
export function parseS3Url(text: string): S3Url | undefined {
  const [, bucket, rest = ''] = S3_URL.exec(text) ?? [];
  const prefix = rest.replace(/\/$/, '');
  // Servers that keep objects in directories take them for places.
  const isPlain = prefix === '' || prefix.split('/').every((part) => !['', '.', '..'].includes(part));
  return bucket === undefined || !isPlain ? undefined : { bucket, prefix };
}

export const s3UrlText = ({ bucket, prefix }: S3Url): string => `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;

/** A path as of {@link path}, or `s3://bucket/prefix`. */
export const pathOrS3Url: Schema<string> = parser(
  'a path, in which every $VARIABLE is set, or s3://BUCKET/PREFIX',
  's3://bucket/prefix',
  (text, env) => {
    if (!isS3Url(text)) return path.fromText(text, env);
    const url = parseS3Url(text);
    return url && s3UrlText(url);
  },
);
