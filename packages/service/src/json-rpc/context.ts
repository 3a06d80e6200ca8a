import type { Requester } from '../http/http-direct.ts';

/** Facts that a method knows of the request that its call is in. */
export interface RpcContext {
  readonly from: Requester;
  /** The connection, if it can be notified: a WebSocket. */
  readonly subscriber: Subscriber | undefined;
  /** Whether an answer would come too late: the client has gone, or the time for the request is up. */
  isOver(): boolean;
  /** Does `work` when the answer to the request has been handed to the connection. */
  afterAnswer(work: () => void): void;
}

/** A connection that can be notified. */
export interface Subscriber {
  /** The client's address. */
  readonly peer: string;
  /** Sends the pieces as one message, unless too much waits for this reader already. */
  notify(...pieces: readonly (string | Uint8Array)[]): void;
  /** Sends the pieces as one message. Resolves at once while the client keeps up, otherwise when the message has left. */
  send(pieces: readonly (string | Uint8Array)[]): Promise<void> | undefined;
  /** Ends the connection with a code of RFC 6455 and a reason. */
  close(code: number, reason: string): void;
  /** Calls `end` once when the connection is gone. */
  onEnd(end: () => void): void;
}

/** Integers that a double would round are `bigint`. */
export type RpcId = string | number | bigint | null;

/**
 * One method. `params` is as sent, not yet looked at: an array, an object or nothing. `id` is absent where
 * one method calls another.
 */
export type JsonRpcMethod = (params: unknown, context: RpcContext, id?: RpcId) => unknown;

export type JsonRpcMethods = Readonly<Record<string, JsonRpcMethod>>;
