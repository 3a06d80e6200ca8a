export { aborted, anySignal, deadline, forManyListeners, isAbort, sleep, TimedOut, withDeadline } from './abort.ts';
export { type Access, type ForeignPages, operatorAccess, pageAccess } from './access/access.ts';
export { clientOf } from './access/client.ts';
export { isLoopbackPeer, peerOf } from './access/peer.ts';
export { Alarm } from './alarm.ts';
export { type BackgroundData, backgroundThread } from './background-thread.ts';
export {
  type Clock,
  RunningTime,
  sinceStored,
  systemClock,
  type UnixMs,
  type WallClock,
  wallClock,
  wallDate,
} from './clock.ts';
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
export { type BudgetBounds, ByteBudget } from './connections/byte-budget.ts';
export { FairSlots, type Occupant, type SlotBounds } from './connections/fair-slots.ts';
export { FairTurns, type TurnTaker, takerOf } from './connections/fair-turns.ts';
export { LoopShares, sharesOf } from './connections/loop-shares.ts';
export { RequestQueue, type RequestQueueOptions } from './connections/request-queue.ts';
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
export { answerError, type ErrorBody, errorResponse, HttpError, httpErrorOf, retryAfter } from './http-error.ts';
export { type Body, HttpIntake, type IntakeOptions } from './http-intake.ts';
export {
  closeHttp,
  type HttpListener,
  type HttpListenerOptions,
  httpListener,
  type UpgradeHandler,
} from './http-listener.ts';
export { httpPost } from './http-post.ts';
export { AnswerTooLong, readBody } from './http-read.ts';
export { isNestedDeeper, toJson } from './json.ts';
export {
  type JsonRpcBatchClient,
  type JsonRpcClient,
  type JsonRpcClientOptions,
  jsonRpcClient,
} from './json-rpc/client.ts';
export { internalError, invalidRequest, JsonRpcError, RPC } from './json-rpc/error.ts';
export { resultIn } from './json-rpc/response.ts';
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
  grpcUrl,
  hexBytes,
  hostName,
  httpUrl,
  integer,
  type Listen,
  list,
  listen,
  listenOrUnix,
  oneOf,
  optional,
  type Parser,
  pageOrigin,
  parser,
  path,
  Secret,
  secret,
  text,
} from './parsers.ts';
export type { GrpcAuth, PeerRule } from './peer-auth/authenticator.ts';
export { type Caller, type CallerConnection, callerOf, IN_PROCESS } from './peer-auth/caller.ts';
export type { PeerCredentials } from './peer-auth/credentials.ts';
export {
  type ClientAuthFields,
  clientAuthFields,
  type ServerAuthFields,
  serverAuthFields,
} from './peer-auth/fields.ts';
export { clientAuth, serverAuth } from './peer-auth/from-settings.ts';
export { logPeers } from './peer-auth/log-peers.ts';
export { isLoopback, isLoopbackHost } from './peer-auth/loopback.ts';
export { newSecret, SecretFile } from './peer-auth/secret-file.ts';
export { EXIT, type ProcessContext, type ProcessSpec, runProcess, UNHANDLED } from './process.ts';
export { BoundedQueue, type QueueBounds } from './queue.ts';
export { type RateBounds, RateLimit } from './rate-limit.ts';
export { invalidFile, readJsonFile } from './read-json-file.ts';
export { type KeyToRead, readKey, readPassphrase } from './read-key.ts';
export { readTextFile } from './read-text-file.ts';
export { type RefusalStatus, refusalReason, refusalStatus, refusalToStatus } from './refusal.ts';
export { type RejectionLog, Rejections } from './rejections.ts';
export {
  allOr,
  KEEP_ALL,
  LEAST_BLOCKS,
  type Retention,
  retainFrom,
  retentionFields,
  retentionOf,
} from './retention.ts';
export { type Backoff, backoffMs, type RetryOptions, retry } from './retry.ts';
export { isS3Url, parseS3Url, type S3Url, s3UrlText } from './s3-url.ts';
export { type ScrubDeps, scrub, scrubField } from './scrub.ts';
export { type StandardFields, standardFields } from './standard-fields.ts';
export { isTransportFailure, neverConnected, TransportFailure } from './transport-failure.ts';
export { openWorkerPool, type WorkerPool } from './worker-pool.ts';
export { productVersion } from './world.ts';
