import type { ServerHttp2Stream } from 'node:http2';
import { Code, cors } from '@connectrpc/connect';
import type { Refusal } from '../access/access.ts';
import { type AdmitOptions, type AnyRequest, type AnyResponse, admit, type CorsHeaders } from '../access/admit.ts';
import { nameClient } from '../access/client.ts';

type Handler = (request: AnyRequest, response: AnyResponse) => void;

/** CORS headers with which pages of listed origins can call over Connect and gRPC-web. */
export const RPC_CORS: CorsHeaders = {
  methods: cors.allowedMethods.join(', '),
  headers: [...cors.allowedHeaders, 'authorization'].join(', '),
  exposed: [...cors.exposedHeaders, 'switchyard-reason', 'trailer-switchyard-reason'].join(', '),
};

/** Refuses who may not call, over HTTP/2; HTTP/1 listeners do that themselves. */
export function guarded(admission: AdmitOptions, handle: Handler): Handler {
  const next = safely(handle);
  return (request, response) => {
    nameClient(request, admission.proxies);
    if (admit(request, response, admission)) next(request, response);
  };
}

/** Answers 400 to requests that the protocol layer cannot even look at. */
export function safely(handle: Handler): Handler {
  return (request, response) => {
    try {
      handle(request, response);
    } catch {
      // Thrown for a missing or unreadable host: the client's fault, and no reason for the process to end.
      response.statusCode = 400;
      response.end();
    }
  };
}

/** A refusal for clients of gRPC, as an answer that is headers only. */
export function refuseCall(stream: ServerHttp2Stream, { message }: Refusal): void {
  const status = { 'grpc-status': String(Code.PermissionDenied), 'grpc-message': encodeURIComponent(message) };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto', ...status }, { endStream: true });
  stream.close();
}
