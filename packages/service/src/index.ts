export { aborted, anySignal, deadline, forManyListeners, isAbort, sleep, TimedOut, withDeadline } from './abort.ts';
export { type Access, operatorAccess, pageAccess } from './access/access.ts';
export { clientOf, isOfThisMachine } from './access/client.ts';
export { pageHeaders } from './access/headers.ts';
export { isLoopbackPeer, peerOf } from './access/peer.ts';
export { Alarm } from './alarm.ts';
export { type BackgroundData, backgroundThread } from './background-thread.ts';
export { boundAnswers } from './bound-answers.ts';
export {
  type Clock,
  hasThreads,
  outside,
  RunningTime,
  sinceStored,
  soon,
  systemClock,
  systemRandom,
  type Time,
  turn,
  type UnixMs,
  useTime,
  type WallClock,
  wallClock,
  wallDate,
} from './clock.ts';
export { describeFields, InvalidConfig, loadConfig } from './config.ts';
export { Places } from './connections/places.ts';
export { Turns } from './connections/turns.ts';
export { errorLine } from './error-line.ts';
export { type ExactJson, exactInteger, exactJsonText, InvalidJson, parseExactJson, parseJson } from './exact-json.ts';
export { exitCodeOf } from './exit-code.ts';
export { serveGrpc } from './grpc/server.ts';
export { type GrpcTransport, grpcTransport } from './grpc/transport.ts';
export { type Health, healthRoutes } from './health-routes.ts';
export { httpApp, serveHttp } from './http.ts';
export { HttpError, httpErrorOf, retryAfter } from './http-error.ts';
export { closeHttp, httpListener } from './http-listener.ts';
export { httpPost } from './http-post.ts';
export { AnswerTooLong } from './http-read.ts';
export { toJson } from './json.ts';
export { type JsonRpcBatchClient, type JsonRpcClient, jsonRpcClient } from './json-rpc/client.ts';
export { internalError, invalidRequest, JsonRpcError, RPC } from './json-rpc/error.ts';
export { linkedPost } from './json-rpc/linked-post.ts';
export { resultIn } from './json-rpc/response.ts';
export { BadKeyFile, decryptKey, encryptKey, type KeyKind, LONGEST_KEY_FILE, parseKeyFile } from './key-file.ts';
export { Links, type Repeat, type Ways } from './links.ts';
export { bind, type Running } from './listening.ts';
export { createLogger, type Logger, type LoggerOptions, silentLogger } from './log.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { didYouMean } from './nearest.ts';
export { Notifier } from './notify.ts';
export { ownListener } from './own-listener.ts';
export { pageRoutes } from './page-routes.ts';
export { type Listen, Secret } from './parsers.ts';
export type { GrpcAuth, PeerRule } from './peer-auth/authenticator.ts';
export { type Caller, callerOf, IN_PROCESS, peerOfCall } from './peer-auth/caller.ts';
export type { PeerCredentials } from './peer-auth/credentials.ts';
export { clientAuth, serverAuth } from './peer-auth/from-settings.ts';
export { logPeers } from './peer-auth/log-peers.ts';
export { isLoopbackHost } from './peer-auth/loopback.ts';
export { newSecret } from './peer-auth/secret-file.ts';
export { connectionAt, PORT_PATIENCE_MS, PORT_RETRY_MS, socketsAt } from './port-sockets.ts';
export { EXIT, type ProcessContext, type ProcessSpec, runProcess, UNHANDLED } from './process.ts';
export { RateLimit } from './rate-limit.ts';
export { invalidFile, readJsonFile } from './read-json-file.ts';
export { readKey, readOwnKey, readPassphrase } from './read-key.ts';
export { readTextFile } from './read-text-file.ts';
export { Rejections, repeatedWarnings } from './rejections.ts';
export type { RepeatedLines } from './repeated-lines.ts';
export { KEEP_ALL, LEAST_BLOCKS, type Retention, retainFrom, retentionOf } from './retention.ts';
export { type Backoff, backoffMs, retry } from './retry.ts';
export { isS3Url, parseS3Url, type S3Url, s3UrlText } from './s3-url.ts';
export { scrub } from './scrub.ts';
export { isTransportFailure, neverConnected, TransportFailure } from './transport-failure.ts';
export { watchLoop } from './watchdog.ts';
export { openWorkerPool } from './worker-pool.ts';
export { processWorld, productVersion, type World } from './world.ts';
