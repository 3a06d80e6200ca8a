import { accessListMethods } from './access-list-methods.ts';
import { chainMethods } from './chain-methods.ts';
import { DEFAULT_BOUNDS, type RpcDeps, type RpcMethods } from './deps.ts';
import { feeMethods } from './fee-methods.ts';
import { logMethods } from './log-methods.ts';
import { nodeMethods } from './node-methods.ts';
import { stateMethods } from './state-methods.ts';
import { subscriptionMethods } from './subscription-methods.ts';
import { transactionMethods } from './transaction-methods.ts';

/**
 * Every method that this node answers.
 *
 * @param others Methods of other parts: calls and traces, the pool, the index.
 */
export function rpcMethods(deps: RpcDeps, ...others: readonly RpcMethods[]): RpcMethods {
  const bounds = { ...DEFAULT_BOUNDS, ...deps.bounds };
  const bounded = { ...deps, bounds };
  const methods = merge([
    chainMethods(deps),
    accessListMethods(deps),
    transactionMethods(deps),
    stateMethods(deps),
    feeMethods(deps),
    logMethods(bounded),
    subscriptionMethods(bounded),
    nodeMethods(deps),
    ...others,
  ]);
  return { ...methods, rpc_modules: () => getModules(Object.keys(methods)) };
}

/** Each method belongs to one part. */
function merge(records: readonly RpcMethods[]): RpcMethods {
  const merged = new Map<string, RpcMethods[string]>();
  for (const [name, method] of records.flatMap((record) => Object.entries(record))) {
    if (merged.has(name)) throw new Error(`two parts answer ${name}`);
    merged.set(name, method);
  }
  return Object.fromEntries(merged);
}

function getModules(names: readonly string[]): Record<string, string> {
  const modules = new Set(['rpc', ...names.map((name) => name.slice(0, name.indexOf('_')))]);
  return Object.fromEntries([...modules].sort().map((module) => [module, '1.0']));
}
