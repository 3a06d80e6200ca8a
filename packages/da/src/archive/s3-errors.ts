/** Maps the errors of an S3 server, and of the client on the way there, to those of archives. */
import { errorLine, TimedOut } from '@switchyard/service';
import { DaUnavailable } from '../layer.ts';

export interface S3Place {
  /** `s3://bucket/prefix`. */
  readonly place: string;
  readonly bucket: string;
  /** Undefined for Amazon's own. */
  readonly endpoint: string | undefined;
}

/** Facts that an error of the client has, with an answer or without one. */
interface Facts {
  readonly name: string;
  /** HTTP status of the answer; undefined if there was none. */
  readonly status: number | undefined;
}

export function factsOf(error: unknown): Facts {
  if (!(error instanceof Error)) return { name: '', status: undefined };
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined;
  const status: unknown =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? metadata.httpStatusCode
      : undefined;
  return { name: error.name, status: typeof status === 'number' ? status : undefined };
}

const NO_CREDENTIALS = new Set(['CredentialsProviderError', 'TokenProviderError', 'ProviderError']);
const WRONG_KEY = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken']);
const WRONG_REGION = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);
const BUSY = new Set([408, 409, 429]);

/** @param what The operation: `list segments`, say. @returns the error to throw: `DaUnavailable` if trying again may help. */
export function findProblem(error: unknown, what: string, { place, bucket, endpoint }: S3Place): Error {
  const { name, status } = factsOf(error);
  const at = endpoint ?? 'Amazon S3';
  const problem = (text: string) => new Error(`${place}: ${text}`, { cause: error });
  const line = errorLine(error);
  if (name === 'NoSuchBucket') return problem(`there is no bucket ${bucket} at ${at}: create it, or correct the name`);
  if (NO_CREDENTIALS.has(name)) {
    return problem(
      `no credentials for ${at}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a credentials file: ${line}`,
    );
  }
  if (WRONG_REGION.has(name) || status === 301)
    return problem(`the region is not that of the bucket: set --s3-region, or AWS_REGION: ${line}`);
  if (WRONG_KEY.has(name)) return problem(`${at} does not accept the credentials (${name}): ${line}`);
  if (status === 403) {
    return problem(
      `access denied, to ${what} (${name}): the credentials need s3:ListBucket and s3:GetObject, and s3:PutObject to write`,
    );
  }
  if (status === undefined) return withoutAnswer(error, line, { place, what, at });
  if (status >= 500 || BUSY.has(status))
    return new DaUnavailable(`${place}: ${at} answered ${status} ${name}, to ${what}`, { cause: error });
  return problem(`${at} answered ${status} ${name}, to ${what}: ${line}`);
}

function withoutAnswer(
  error: unknown,
  line: string,
  { place, what, at }: { readonly place: string; readonly what: string; readonly at: string },
): Error {
  // The client itself throws this, before anything is sent.
  if (/^Region (is missing|not accepted)/.test(line))
    return new Error(`${place}: no region: set --s3-region, or AWS_REGION: ${line}`, { cause: error });
  const isUnreachable =
    error instanceof TimedOut || (error instanceof Error && ('code' in error || error.name === 'TimeoutError'));
  if (isUnreachable)
    return new DaUnavailable(`${place}: ${at} cannot be reached, to ${what}: ${line}`, { cause: error });
  return new Error(`${place}: what ${at} answers is not S3's, to ${what}: ${line}`, { cause: error });
}
