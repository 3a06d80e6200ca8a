import type { TurnTaker } from '@switchyard/service';
import type { RpcId } from './json-rpc.ts';
import { type ArgsOf, argsFromJson, argsFromUri, type ParamTable } from './params.ts';

/** A client on a WebSocket, which can be sent messages later. */
export interface Subscriber {
  /** Bytes that were sent to it and that it has not taken. */
  readonly buffered: number;
  /** Sends the pieces as one message. */
  send(pieces: readonly (string | Uint8Array)[]): void;
}

/** Who waits for an answer. */
export interface Reader {
  readonly peer: string;
  /** Its connection. */
  readonly taker: TurnTaker;
  /** Ends its connection. */
  cutOff(): void;
}

export interface Caller {
  readonly reader: Reader;
  /** Only over a WebSocket. */
  readonly subscriber?: Subscriber;
  /** The id of the call, where it has one. */
  readonly id?: RpcId;
}

/** A method of the RPC. It answers JSON text, since much of it is stored in that form. */
export interface RpcMethod {
  readonly params: readonly string[];
  /** Answers may be megabytes long. */
  readonly large: boolean;
  /** Only over a WebSocket. */
  readonly socketOnly: boolean;
  fromJson(params: unknown, caller: Caller): string | Promise<string>;
  fromUri(params: URLSearchParams, caller: Caller): string | Promise<string>;
}

export type Methods = Readonly<Record<string, RpcMethod>>;

export function method<P extends ParamTable>(
  params: P,
  run: (args: ArgsOf<P>, caller: Caller) => string | Promise<string>,
  { large = false, socketOnly = false } = {},
): RpcMethod {
  return {
    params: Object.keys(params),
    large,
    socketOnly,
    fromJson: (raw, caller) => run(argsFromJson(params, raw), caller),
    fromUri: (raw, caller) => run(argsFromUri(params, raw), caller),
  };
}
