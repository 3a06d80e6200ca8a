import { JsonRpcError } from '@switchyard/service';
import { type Action, type EtherscanModule, Plain } from './dispatch.ts';
import { NotOk } from './not-ok.ts';
import type { Parameters } from './parameters.ts';

type Params = (parameters: Parameters) => readonly unknown[];

const tag = (parameters: Parameters): string => parameters.optional('tag') ?? 'latest';
const address = (parameters: Parameters): string => `0x${parameters.address()}`;
const hash = (parameters: Parameters): string => `0x${parameters.hash('txhash')}`;
const isTrue = (parameters: Parameters, name: string): boolean => parameters.optional(name) === 'true';

/** The methods that read, with their parameters. */
const METHODS: Readonly<Record<string, Params>> = {
  eth_blockNumber: () => [],
  eth_gasPrice: () => [],
  eth_getBlockByNumber: (request) => [tag(request), isTrue(request, 'boolean')],
  eth_getBlockTransactionCountByNumber: (request) => [tag(request)],
  eth_getUncleByBlockNumberAndIndex: (request) => [tag(request), request.text('index')],
  eth_getTransactionByHash: (request) => [hash(request)],
  eth_getTransactionByBlockNumberAndIndex: (request) => [tag(request), request.text('index')],
  eth_getTransactionCount: (request) => [address(request), tag(request)],
  eth_getTransactionReceipt: (request) => [hash(request)],
  eth_getCode: (request) => [address(request), tag(request)],
  eth_getStorageAt: (request) => [address(request), request.text('position'), tag(request)],
  eth_call: (request) => [getCall(request), tag(request)],
  eth_estimateGas: (request) => [getCall(request)],
};

/** Passes reads on to the node of the rollup, whose answers are those of JSON-RPC. */
export function proxyModule(signal: AbortSignal): EtherscanModule {
  const actions = Object.entries(METHODS).map(([method, params]): readonly [string, Action] => [
    method.toLowerCase(),
    async ({ rollup, parameters }) => {
      const id = 1;
      try {
        return new Plain({ jsonrpc: '2.0', id, result: await rollup.node.call(method, params(parameters), signal) });
      } catch (error) {
        if (!(error instanceof JsonRpcError)) throw error;
        const { code, rpcMessage: message, data } = error;
        return new Plain({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
      }
    },
  ]);
  return Object.fromEntries(actions);
}

const CALL_MEMBERS = ['from', 'to', 'data', 'value', 'gas', 'gasPrice'];

function getCall(parameters: Parameters): Readonly<Record<string, string>> {
  const members = CALL_MEMBERS.flatMap((name) => {
    const value = parameters.optional(name);
    if (value !== undefined && !/^0x[0-9a-f]*$/i.test(value)) throw new NotOk(`Error! ${name}: expected hex`);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(members);
}
