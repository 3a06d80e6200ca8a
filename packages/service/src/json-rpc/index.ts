export type { DirectAnswer, DirectRequest } from '../http/http-direct.ts';
export { DEFAULT_BOUNDS, type JsonRpcBounds } from './bounds.ts';
export type { JsonRpcMethod, JsonRpcMethods, RpcContext, RpcId, Subscriber } from './context.ts';
export { type Dialect, STANDARD } from './dialect.ts';
export { JsonBytes } from './json-bytes.ts';
export { serveJsonRpc } from './serve.ts';
export { failure, type JsonRpcServer, jsonRpcServer } from './server.ts';
export { SubscriptionTable } from './subscriptions.ts';
export { acceptWebSockets } from './websocket.ts';
