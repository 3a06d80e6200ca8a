import { type Clock, clientOf, HttpError, type Logger, type RateLimit, toHttpError, toJson } from '@switchyard/service';
import { InvalidData } from '@switchyard/service/input';
import type { Context, Hono } from 'hono';
import { type EvmContext, type EvmRollup, evmRollup, evmRollups } from '../http/context.ts';
import { NotOk } from './not-ok.ts';
import { Parameters } from './parameters.ts';

/*
 * The API of Etherscan, as clients of it expect: one path, `module` and `action` in query or form, status 200 for every
 * answer, and `status` "0" in it for failures.
 */

/** @returns `result` of the answer. @throws {NotOk} for a failure. */
export type Action = (request: EtherscanRequest) => Promise<unknown>;
/** Actions by their names, in lower case. */
export type EtherscanModule = Readonly<Record<string, Action>>;

export interface EtherscanRequest {
  readonly rollup: EvmRollup;
  readonly parameters: Parameters;
  /** Client that sent the request, for limits. */
  readonly client: string;
}

/** An answer that is not wrapped: those of module `proxy` are JSON-RPC's. */
export class Plain {
  constructor(readonly body: unknown) {}
}

interface EtherscanOptions {
  readonly modules: Readonly<Record<string, EtherscanModule>>;
  readonly rate: RateLimit;
  readonly clock: Clock;
  readonly log?: Logger;
}

export const ETHERSCAN_PATHS = ['/api', '/api/', '/v2/api', '/:rollup/api', '/:rollup/api/'];

/** Serves `/api` for the first EVM rollup, or that of `chainid`, and `/{rollup}/api` for any. */
export function etherscanRoutes(app: Hono, context: Pick<EvmContext, 'evm'>, options: EtherscanOptions): void {
  const answer = async (c: Context): Promise<Response> => {
    try {
      const client = clientOf(c.env);
      if (!options.rate.take(client, 1, options.clock.now())) throw new NotOk('Max rate limit reached');
      const parameters = await Parameters.of(c.req.raw);
      const rollup = getRollup(context, c.req.param('rollup'), parameters.optional('chainid'));
      const action = getAction(options.modules, parameters, c.req.method);
      const result = await action({ rollup, parameters, client });
      return json(result instanceof Plain ? result.body : { status: '1', message: 'OK', result });
    } catch (error) {
      return json(failure(error, c, options.log));
    }
  };
  for (const path of ETHERSCAN_PATHS) app.on(['GET', 'POST'], path, answer);
}

function getRollup(context: Pick<EvmContext, 'evm'>, name: string | undefined, chainId: string | undefined): EvmRollup {
  const all = name === undefined ? evmRollups(context) : [evmRollup(context, name)];
  if (all.length === 0) throw new NotOk('no EVM rollup is followed here, or none has answered yet');
  const found = chainId === undefined ? all[0] : all.find((each) => each.chainId === chainId);
  if (found !== undefined) return found;
  const served = all.map((each) => each.chainId).join(', ');
  throw new NotOk(`Error! chainid: expected ${served}, got ${JSON.stringify(chainId?.slice(0, 100))}`);
}

function getAction(modules: EtherscanOptions['modules'], parameters: Parameters, method: string): Action {
  const [module, action] = ['module', 'action'].map((name) => parameters.optional(name)?.toLowerCase() ?? '');
  const actions = module !== undefined && Object.hasOwn(modules, module) ? modules[module] : undefined;
  if (actions === undefined)
    throw new NotOk(`Error! Missing Or invalid Module name: ${Object.keys(modules).join(', ')}`);
  const found = action !== undefined && Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (found === undefined) throw new NotOk(`Error! Missing Or invalid Action name: ${Object.keys(actions).join(', ')}`);
  // Any page can have a browser ask for an address.
  if (method !== 'POST' && action === 'verifysourcecode') throw new NotOk(`Error! ${action}: expected POST`);
  return found;
}

function failure(error: unknown, c: Context, log?: Logger) {
  if (error instanceof NotOk) return { status: '0', message: error.title, result: error.result };
  if (error instanceof InvalidData) return { status: '0', message: 'NOTOK', result: error.message };
  const { status, message } = toHttpError(error);
  if (status >= 500 && !(error instanceof HttpError)) log?.error({ err: error, path: c.req.path }, 'a request failed');
  return { status: '0', message: 'NOTOK', result: message };
}

const json = (value: unknown): Response =>
  new Response(toJson(value), { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } });
