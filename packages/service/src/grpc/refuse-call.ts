import type { ServerHttp2Stream } from 'node:http2';
import type { Code } from '@connectrpc/connect';

/** Headers of every answer. */
export const GRPC = { ':status': 200, 'content-type': 'application/grpc+proto' };

/** A refusal as an answer that is headers only; the rest of the call is not read. */
export function refuseCall(stream: ServerHttp2Stream, code: Code, message: string): void {
  const status = { 'grpc-status': String(code), 'grpc-message': encodeURIComponent(message) };
  stream.respond({ ...GRPC, 'grpc-accept-encoding': 'identity', ...status }, { endStream: true });
  stream.close();
}
