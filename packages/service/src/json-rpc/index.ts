export type { DirectAnswer, DirectRequest, Requester } from '../http-direct.ts';
export { DEFAULT_BOUNDS, type JsonRpcBounds } from './bounds.ts';
export type { JsonRpcMethod, JsonRpcMethods, RpcContext, RpcId, Subscriber } from './context.ts';
export { type Dialect, type RpcRequest, STANDARD } from './dialect.ts';
export { JsonBytes, jsonPieces } from './json-bytes.ts';
export { type ServeJsonRpcOptions, serveJsonRpc } from './serve.ts';
export { failure, type JsonRpcServer, type JsonRpcServerOptions, jsonRpcServer } from './server.ts';
export { SubscriptionTable } from './subscriptions.ts';
