import { Rejected } from '@switchyard/protocol';
import { HttpError } from '@switchyard/service';
import { InvalidData, parseInput, strictObject, text } from '@switchyard/service/input';

const MAX_BYTES = 1_024;
const claim = strictObject({ address: text });

/** The address in the body of a claim, as it was written. @throws {HttpError} 400. */
export function parseClaimBody(body: string): string {
  if (Buffer.byteLength(body) > MAX_BYTES) throw malformed(`the body is longer than ${MAX_BYTES} bytes`);
  try {
    return claim(parseInput(body, 'body')).address;
  } catch (error) {
    throw error instanceof InvalidData
      ? malformed(`${error.message.replaceAll('\n', '; ')}, as in {"address": "..."}`)
      : error;
  }
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
