import { ForeseenError } from '@switchyard/protocol';

/** Codes of JSON-RPC 2.0, section 5.1. */
export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
} as const;

/** An error as JSON-RPC carries it: answered by a server to us, or thrown by a method of ours. */
export class JsonRpcError extends ForeseenError {
  override readonly name = 'JsonRpcError';
  /** The message as on the wire; `message` has `data` behind it, if that is text. */
  readonly rpcMessage: string;

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(typeof data === 'string' && data !== '' ? `${message}: ${data}` : message);
    this.rpcMessage = message;
  }
}

export function invalidRequest(why: string): JsonRpcError {
  return new JsonRpcError(RPC.invalidRequest, 'Invalid Request', why);
}

/** Answer of a method that cannot do the request, for a reason that has no code. */
export function internalError(why?: string): JsonRpcError {
  return new JsonRpcError(RPC.internal, 'Internal error', why);
}
