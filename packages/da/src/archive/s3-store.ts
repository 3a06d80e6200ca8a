/**
 * Segments of an archive as objects of S3-compatible storage. An object is put once and never again, whole or not at all, and only
 * if none of its name exists. A name follows from the end of the archive, so of two writers one is refused.
 */
import { addAbortSignal, Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { equalBytes } from '@switchyard/protocol';
import { type Clock, retry, type S3Url, s3UrlText, systemClock, withDeadline } from '@switchyard/service';
import { DaUnavailable } from '../layer.ts';
import { factsOf, findProblem } from './s3-errors.ts';
import { ArchiveDamaged, MAX_SEGMENT_BYTES } from './segment.ts';
import { ArchiveInUse, type ArchiveStore, parseSegmentName } from './store.ts';

export interface S3StoreOptions extends S3Url {
  /** URL of a compatible server, with the bucket in the path; undefined for Amazon's own. */
  readonly endpoint?: string | undefined;
  /** Undefined as the client has it: `AWS_REGION`, or the profile. */
  readonly region?: string | undefined;
}

/** For 16 MB over a slow line. */
const CALL_MS = 120_000;
const CONNECT_MS = 5_000;
const ATTEMPTS = 4;
const BACKOFF = { initialMs: 200, maxMs: 5_000 };
/** A segment each five minutes for ten years. */
const MAX_NAMES = 1_048_576;
/** A follower of an archive asks each second, and a request costs. */
const LISTED_MS = 10_000;

/** Loads the client, which takes 0.2 s. Credentials are found by its rules: variables, files, roles. */
export async function openS3Store(options: S3StoreOptions, clock: Clock = systemClock): Promise<ArchiveStore> {
  // Its version is pinned to one for this Node; that later ones need another one is not the user's concern.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const sdk = await import('@aws-sdk/client-s3');
  const { endpoint, region } = options;
  const client = new sdk.S3Client({
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(region !== undefined && { region }),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_MS },
    // Not all servers know them, and each byte has a hash of ours.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return s3Store(client, sdk, options, clock);
}

type Sdk = typeof import('@aws-sdk/client-s3');

function s3Store(client: S3Client, sdk: Sdk, options: S3StoreOptions, clock: Clock): ArchiveStore {
  const { bucket, prefix, endpoint } = options;
  const place = s3UrlText(options);
  const getKey = (name: string) => (prefix === '' ? name : `${prefix}/${name}`);
  const toObject = (name: string) => ({ Bucket: bucket, Key: getKey(name) });
  let listed: { readonly names: readonly string[]; readonly atMs: number } | undefined;

  async function call<T>(what: string, work: (abort: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const once = () =>
      withDeadline({ ms: CALL_MS, signal, what }, work).catch((error: unknown) => {
        signal?.throwIfAborted();
        throw error instanceof ArchiveDamaged ? error : findProblem(error, what, { place, bucket, endpoint });
      });
    return retry(once, {
      ...{ ...BACKOFF, clock, attempts: ATTEMPTS, signal: signal ?? new AbortController().signal },
      retryIf: (error) => error instanceof DaUnavailable,
    });
  }

  /** One page of the names that follow `after`. */
  async function page(after: string, signal: AbortSignal | undefined) {
    const input = { Bucket: bucket, Prefix: getKey('segment-'), ...(after !== '' && { StartAfter: getKey(after) }) };
    const answer = await call(
      'list segments',
      (abortSignal) => client.send(new sdk.ListObjectsV2Command(input), { abortSignal }),
      signal,
    );
    // Any server answers something.
    if (answer.Name !== bucket)
      throw new Error(`${place}: what ${endpoint} answers is no list of a bucket: no S3 server`);
    const keys = (answer.Contents ?? []).map(({ Key = '' }) => Key.slice(getKey('').length));
    return {
      names: keys.filter((name) => parseSegmentName(name) !== undefined),
      last: answer.IsTruncated === true ? (keys.at(-1) ?? '') : undefined,
    };
  }

  async function read(name: string, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = await call(
      `read ${name}`,
      async (abortSignal) => {
        const { Body } = await client
          .send(new sdk.GetObjectCommand(toObject(name)), { abortSignal })
          .catch((error: unknown) => {
            if (factsOf(error).name === 'NoSuchKey') throw new ArchiveDamaged(`${place}: ${name}: is not there`);
            throw error;
          });
        return Body instanceof Readable ? boundedBytes(addAbortSignal(abortSignal, Body)) : new Uint8Array(0);
      },
      signal,
    );
    if (bytes !== undefined) return bytes;
    throw new ArchiveDamaged(`${place}: ${name}: has more than ${MAX_SEGMENT_BYTES} bytes`);
  }

  const isThere = (name: string) =>
    call(`look for ${name}`, (abortSignal) =>
      client.send(new sdk.HeadObjectCommand(toObject(name)), { abortSignal }).then(
        () => true,
        (error: unknown) => {
          if (factsOf(error).status === 404) return false;
          throw error;
        },
      ),
    );

  const put = (name: string, bytes: Uint8Array, condition: { readonly IfNoneMatch?: '*' }) =>
    call(`write ${name}`, (abortSignal) =>
      client.send(new sdk.PutObjectCommand({ ...toObject(name), Body: bytes, ...condition }), { abortSignal }).then(
        () => 'put' as const,
        (error: unknown) => {
          const { status } = factsOf(error);
          if (status === 412) return 'there' as const;
          if (status === 501) return 'unconditional' as const;
          throw error;
        },
      ),
    );

  return {
    place,
    growing: undefined,
    read,
    async names(signal) {
      if (listed !== undefined && clock.now() - listed.atMs < LISTED_MS) return listed.names;
      const names = [...(listed?.names ?? [])];
      for (let after: string | undefined = names.at(-1) ?? ''; after !== undefined; ) {
        const next = await page(after, signal);
        names.push(...next.names);
        if ((next.last !== undefined && next.last <= after) || names.length > MAX_NAMES)
          throw new Error(`${place}: its list of segments does not end`);
        after = next.last;
      }
      listed = { names, atMs: clock.now() };
      return names;
    },
    async create(name, bytes) {
      // For servers that pass over the condition, or do not have it.
      if (!(await isThere(name))) {
        const outcome = await put(name, bytes, { IfNoneMatch: '*' });
        if (outcome === 'put') return;
        if (outcome === 'unconditional' && (await put(name, bytes, {})) === 'put') return;
      }
      // An answer that was lost: it may have been put by an earlier attempt.
      if (!equalBytes(await read(name), bytes)) throw new ArchiveInUse(place, name);
    },
  };
}

/** @returns undefined for more than a segment can have. */
async function boundedBytes(body: Readable): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a body is read as bytes');
    length += chunk.length;
    if (length > MAX_SEGMENT_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
