import type { Signer } from '@switchyard/protocol';
import type { Clock } from '@switchyard/service';
import type { JsonRpcMethod, RpcContext, RpcId } from '@switchyard/service/json-rpc';
import type { Application, PoolView } from '../../../app/types.ts';
import type { EngineLog } from '../../engine.ts';
import type { Chain } from '../chain.ts';
import { METHOD_NOT_FOUND } from './dialect.ts';
import { type ArgsOf, argsFromJson, argsFromUri, type ParamTable } from './params.ts';

/** Parts of the node that the methods of the RPC are answered from. */
export interface Node {
  readonly chain: Chain;
  readonly app: Application;
  readonly pool: PoolView;
  /** The validator's. */
  readonly signer: Pick<Signer, 'publicKey' | 'account'>;
  readonly clock: Clock;
  readonly log: EngineLog;
}

/** A method of the RPC. It answers JSON text, since much of it is stored in that form. */
export interface RpcMethod {
  readonly params: readonly string[];
  /** Answers may be megabytes long. */
  readonly large: boolean;
  /** Only over a WebSocket. */
  readonly socketOnly: boolean;
  /** Takes parameters as JSON, or the query of a URL as `URLSearchParams`. */
  readonly call: JsonRpcMethod;
}

export type Methods = Readonly<Record<string, RpcMethod>>;

export function method<P extends ParamTable>(
  params: P,
  run: (args: ArgsOf<P>, context: RpcContext, id: RpcId) => string | Promise<string>,
  { large = false, socketOnly = false } = {},
): RpcMethod {
  return {
    params: Object.keys(params),
    large,
    socketOnly,
    call(raw, context, id = null) {
      if (socketOnly && context.subscriber === undefined) throw METHOD_NOT_FOUND;
      return run(raw instanceof URLSearchParams ? argsFromUri(params, raw) : argsFromJson(params, raw), context, id);
    },
  };
}
