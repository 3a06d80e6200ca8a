import { createLogger, type LoggerOptions } from '@switchyard/service';
import { clientOf, type DefinitionClient } from '../define/client.ts';
import type { Actions, DefinedRollup, Parameters, Queries } from '../define/definition.ts';
import type { Events } from '../define/events.ts';
import { toRollup } from '../define/rollup-of.ts';
import { LiveSocket } from './live-socket.ts';
import { type TestNode, type TestNodeOptions, testNode } from './test-node.ts';

const TROUBLE: LoggerOptions = {
  ...{ name: 'rollup', filter: { general: 'warn', targets: new Map() }, pretty: true },
  write: (line: string) => void process.stderr.write(line),
};

/**
 * A whole node of a definition in memory, a client of it, and the options by which a live client has it as its node. A submission is executed by the next block. Warnings and errors of its log
 * go to standard error, unless the options have another log.
 * @example
 * ```ts
 * const node = await testRollup(counter, genesisText);
 * await node.client.submit.add({ amount: 5n }, signer, { until: 'accepted' });
 * await node.block();
 * const { total } = await node.client.query.total();
 * ```
 */
export async function testRollup<G extends Parameters, A extends Actions, Q extends Queries, E extends Events>(
  defined: DefinedRollup<G, A, Q, E>,
  genesisText: string,
  { log = createLogger(TROUBLE), ...options }: TestNodeOptions = {},
) {
  const node = await testNode(toRollup(defined, genesisText), { ...options, log });
  const link = { url: 'http://node', fetch: getFetch(node), socket: () => new LiveSocket(node) };
  const client: DefinitionClient<A, Q, E> = clientOf(defined, link);
  return { ...node, client, link };
}

/**
 * Calls of a client without a port.
 * @example
 * ```ts
 * const node = await testNode(toRollup(counter, genesisText));
 * const { query } = clientOf(counter, { url: 'http://node', fetch: getFetch(node) });
 * ```
 */
export function getFetch({ app }: Pick<TestNode, 'app'>) {
  return async (url: string, init: RequestInit): Promise<Response> => app.request(url, init);
}
