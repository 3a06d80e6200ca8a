export { aborted, deadline, isAbort, sleep, TimedOut, withDeadline } from './abort.ts';
export { type Clock, sinceStored, systemClock, type UnixMs, type WallClock, wallClock, wallDate } from './clock.ts';
export {
  type ConfigOf,
  type ConfigProblem,
  describeFields,
  type Field,
  type FieldTable,
  field,
  InvalidConfig,
  loadConfig,
  problemLine,
} from './config.ts';
export { errorLine } from './error-line.ts';
export {
  type ExactJson,
  type ExactRecord,
  exactInteger,
  exactJsonText,
  InvalidJson,
  parseExactJson,
} from './exact-json.ts';
export { type GrpcOptions, type RunningGrpc, serveGrpc } from './grpc/server.ts';
export { statusInterceptor } from './grpc/status.ts';
export { type GrpcTransport, grpcTransport, type TransportOptions } from './grpc/transport.ts';
export { type Health, healthRoutes, type Readiness } from './health-routes.ts';
export { type HttpApp, type HttpOptions, httpApp, type RunningHttp, serveHttp } from './http.ts';
export type { DirectAnswer, DirectPost } from './http-direct.ts';
export { answerError, type ErrorBody, errorResponse, HttpError, httpErrorOf } from './http-error.ts';
export { httpPost } from './http-post.ts';
export { AnswerTooLong, readBody } from './http-read.ts';
export { isNestedDeeper, toJson } from './json.ts';
export { type JsonRpcClient, type JsonRpcClientOptions, jsonRpcClient } from './jsonrpc-client.ts';
export { JsonRpcError, RPC } from './jsonrpc-error.ts';
export {
  type JsonRpcMethod,
  type JsonRpcServer,
  type JsonRpcServerOptions,
  jsonRpcServer,
  type RpcId,
} from './jsonrpc-server.ts';
export {
  BadKeyFile,
  decryptKey,
  type EncryptedKey,
  encryptKey,
  type KeyKind,
  LONGEST_KEY_FILE,
  parseKeyFile,
} from './key-file.ts';
export { bind, CannotListen, type Running } from './listening.ts';
export { createLogger, type LogFields, type Logger, type LoggerOptions, silentLogger } from './log.ts';
export { type Level, type LogFilter, logFilter, parseLogFilter } from './log-filter.ts';
export { createMetrics, type Labels, type Metrics } from './metrics.ts';
export { Latch, Notifier } from './notify.ts';
export { pageRoutes } from './page-routes.ts';
export {
  bool,
  type Env,
  hexBytes,
  httpUrl,
  integer,
  type Listen,
  list,
  listen,
  oneOf,
  optional,
  type Parser,
  parser,
  path,
  Secret,
  secret,
  text,
} from './parsers.ts';
export { EXIT, type ProcessContext, type ProcessSpec, runProcess } from './process.ts';
export { BoundedQueue, type QueueBounds } from './queue.ts';
export { type KeyToRead, readKey, readPassphrase } from './read-key.ts';
export { type RefusalStatus, refusalReason, refusalStatus, refusalToStatus } from './refusal.ts';
export { type Backoff, backoffMs, type RetryOptions, retry } from './retry.ts';
export { type StandardFields, standardFields } from './standard-fields.ts';
export { productVersion } from './world.ts';
