import { Input } from '../input/input.ts';
import { JsonRpcError } from './error.ts';

const MAX_MESSAGE = 4_096;

/**
 * The result in a response, not yet read.
 *
 * @param noCode Code of an error that comes without one.
 * @throws {JsonRpcError} the error in it; {Error} if it has neither.
 */
export function resultIn(response: unknown, method: string, noCode = 0): unknown {
  const input = new Input(response, method);
  if (!input.isObject) throw new Error(`the answer to ${method} is no JSON-RPC response`);
  const error = input.at('error');
  if (error.isPresent) throw errorIn(error, noCode);
  if (!Object.hasOwn(input.object(), 'result')) throw new Error(`the answer to ${method} has neither result nor error`);
  return input.at('result').value;
}

function errorIn(error: Input, noCode: number): JsonRpcError {
  const [code, message, data] = error.isObject
    ? [error.at('code').value, error.at('message').value, error.at('data').value]
    : [undefined, error.value, undefined];
  const text = String(message ?? 'unknown error').slice(0, MAX_MESSAGE);
  return new JsonRpcError(typeof code === 'number' ? code : noCode, text, data);
}
