import { toJson } from '../input/json.ts';
import type { JsonSchema } from '../input/schema.ts';
import { NAME } from '../input/shapes.ts';

/* Errors as problem documents (RFC 9457), on every route below /v1. */

/** Facts of an error, wherever it comes from. */
export interface ErrorFacts {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export const PROBLEM_TYPE = 'application/problem+json';

/** A short summary for each status that routes answer; the code tells which case it is. */
export const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  403: 'The request is not allowed',
  404: 'Not found',
  405: 'The method is not allowed',
  409: 'The request does not fit the current state',
  410: 'No longer available',
  413: 'The request is too large',
  415: 'The media type is not supported',
  422: 'The transaction cannot be paid',
  429: 'Too many requests',
  500: 'Internal error',
  502: 'A process behind this one failed',
  503: 'Temporarily unavailable',
  504: 'A process behind this one did not answer in time',
};

/**
 * The body of an error and its media type. `error` repeats the answers of routes outside of /v1, for clients from before
 * problem documents.
 */
export function errorAnswer(
  { status, code, message, facts }: ErrorFacts,
  path: string,
): { readonly type: string; readonly body: string } {
  const error = { code, message, facts };
  if (!path.startsWith('/v1/')) return { type: 'application/json', body: toJson({ error }) };
  // The code tells kinds apart; a link would lead nowhere on a listener without documentation.
  const problem = { type: 'about:blank', title: TITLES[status] ?? 'Error', status, detail: message, code, facts };
  return { type: PROBLEM_TYPE, body: toJson({ ...problem, error }) };
}

const facts: JsonSchema = { type: 'object', description: 'Values of the message, by name', additionalProperties: true };
const code: JsonSchema = { type: 'string', description: 'What went wrong, for programs' };

export const problemSchema: JsonSchema = {
  [NAME]: 'Problem',
  type: 'object',
  description: 'An error, as RFC 9457 has it',
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Always about:blank: `code` is the kind' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What went wrong here, for people' },
    code,
    facts,
    error: {
      type: 'object',
      description: 'The same for clients from before problem documents',
      deprecated: true,
      properties: { code, message: { type: 'string' }, facts },
      required: ['code', 'message', 'facts'],
      additionalProperties: false,
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'facts', 'error'],
  additionalProperties: false,
};
