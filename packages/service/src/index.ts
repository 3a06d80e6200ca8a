export { type Access, operatorAccess, pageAccess } from './access/access.ts';
export { clientOf, isOfThisMachine } from './access/client.ts';
export { pageHeaders } from './access/headers.ts';
export { findPeer, isLoopbackPeer } from './access/peer.ts';
export { Places } from './connections/places.ts';
export { Turns } from './connections/turns.ts';
export { serveGrpc } from './grpc/server.ts';
export { type GrpcTransport, grpcTransport } from './grpc/transport.ts';
export { type Health, healthRoutes } from './http/health-routes.ts';
export { httpApp, serveHttp } from './http/http.ts';
export { HttpError, retryAfter, toHttpError } from './http/http-error.ts';
export { closeHttp, httpListener } from './http/http-listener.ts';
export { httpPost } from './http/http-post.ts';
export { AnswerTooLong } from './http/http-read.ts';
export { bind, type Running } from './http/listening.ts';
export { ownListener } from './http/own-listener.ts';
export { pageRoutes } from './http/page-routes.ts';
export { connectionAt, PORT_PATIENCE_MS, PORT_RETRY_MS, socketsAt } from './http/port-sockets.ts';
export { isTransportFailure, neverConnected, TransportFailure } from './http/transport-failure.ts';
export {
  type ExactJson,
  exactInteger,
  exactJsonText,
  InvalidJson,
  parseExactJson,
  parseJson,
} from './input/exact-json.ts';
export { toJson } from './input/json.ts';
export { isLoopbackHost } from './input/loopback.ts';
export { didYouMean } from './input/nearest.ts';
export { boundAnswers } from './json-rpc/bound-answers.ts';
export { type JsonRpcBatchClient, type JsonRpcClient, jsonRpcClient } from './json-rpc/client.ts';
export { internalError, invalidRequest, JsonRpcError, RPC } from './json-rpc/error.ts';
export { linkedPost } from './json-rpc/linked-post.ts';
export { resultIn } from './json-rpc/response.ts';
export { type LinkPaths, Links, type Repeat } from './links.ts';
export type { GrpcAuth, PeerRule } from './peer-auth/authenticator.ts';
export { type Caller, getCaller, IN_PROCESS, peerOfCall } from './peer-auth/caller.ts';
export type { PeerCredentials } from './peer-auth/credentials.ts';
export { clientAuth, serverAuth } from './peer-auth/from-settings.ts';
export { logPeers } from './peer-auth/log-peers.ts';
export { newSecret } from './peer-auth/secret-file.ts';
export { type BackgroundData, backgroundThread } from './process/background-thread.ts';
export { EXIT, type ProcessContext, type ProcessSpec, runProcess, UNHANDLED } from './process/process.ts';
export { scrub } from './process/scrub.ts';
export { watchLoop } from './process/watchdog.ts';
export { openWorkerPool } from './process/worker-pool.ts';
export { processWorld, productVersion, type World } from './process/world.ts';
export { describeFields, InvalidConfig, loadConfig } from './settings/config.ts';
export {
  BadKeyFile,
  decryptKey,
  encryptKey,
  type KeyKind,
  LONGEST_KEY_FILE,
  parseKeyFile,
} from './settings/key-file.ts';
export { type Listen, Secret } from './settings/parsers.ts';
export { invalidFile, readJsonFile } from './settings/read-json-file.ts';
export { readKey, readPassphrase } from './settings/read-key.ts';
export { readTextFile } from './settings/read-text-file.ts';
export { KEEP_ALL, LEAST_BLOCKS, type Retention, retainFrom, toRetention } from './settings/retention.ts';
export { isS3Url, parseS3Url, type S3Url, s3UrlText } from './settings/s3-url.ts';
export { errorLine } from './telemetry/error-line.ts';
export { findExitCode } from './telemetry/exit-code.ts';
export { createLogger, type Logger, type LoggerOptions, silentLogger } from './telemetry/log.ts';
export { createMetrics, type Metrics } from './telemetry/metrics.ts';
export { Rejections, repeatedWarnings } from './telemetry/rejections.ts';
export type { RepeatedLines } from './telemetry/repeated-lines.ts';
export {
  aborted,
  anySignal,
  deadline,
  forManyListeners,
  isAbort,
  sleep,
  TimedOut,
  withDeadline,
} from './timing/abort.ts';
export { Alarm } from './timing/alarm.ts';
export {
  type Clock,
  defer,
  hasThreads,
  outside,
  RunningTime,
  sinceStored,
  systemClock,
  systemRandom,
  type Time,
  turn,
  type UnixMs,
  useTime,
  type WallClock,
  wallClock,
  wallDate,
} from './timing/clock.ts';
export { Notifier } from './timing/notify.ts';
export { RateLimit } from './timing/rate-limit.ts';
export { type Backoff, backoffMs, retry } from './timing/retry.ts';
