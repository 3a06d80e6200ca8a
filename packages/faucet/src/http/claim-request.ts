import { Rejected } from '@switchyard/protocol';
import { HttpError } from '@switchyard/service';
import { type Input, parseInput } from '@switchyard/service/input';

const MAX_BYTES = 1_024;
const EXPECTED = '{"address": "..."}';

/** The address in the body of a claim, as it was written. @throws {HttpError} 400. */
export function parseClaimBody(body: string): string {
  if (Buffer.byteLength(body) > MAX_BYTES) throw malformed(`the body is longer than ${MAX_BYTES} bytes`);
  let input: Input;
  try {
    input = parseInput(body, 'body');
  } catch {
    throw malformed(
      body.trim() === '' ? `the body is empty, expected ${EXPECTED}` : `the body is not JSON, expected ${EXPECTED}`,
    );
  }
  if (!input.isObject) throw malformed(`the body is no JSON object, expected ${EXPECTED}`);
  const unknown = input.members().find(([key]) => key !== 'address')?.[0];
  if (unknown !== undefined)
    throw malformed(`unknown field ${JSON.stringify(unknown.slice(0, 60))}, expected ${EXPECTED}`);
  const { value } = input.at('address');
  if (typeof value !== 'string') throw malformed(`address: expected text, as in ${EXPECTED}`);
  return value;
}

/** The one spelling of an address. @throws {HttpError} 400, with a message for people. */
export function recipientOf(text: string, parse: (text: string) => string): string {
  if (text.trim() === '') throw malformed('no address is given');
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const { address, expected, got, problem } = error.facts;
    if (problem !== undefined) throw malformed(`the address is not right: ${String(problem)}`);
    throw malformed(`expected ${String(expected)}, got ${String(got ?? address)}`);
  }
}

function malformed(message: string): HttpError {
  return new HttpError(400, 'malformed', message);
}
