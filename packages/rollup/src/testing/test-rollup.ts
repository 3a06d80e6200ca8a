import { clientOf, type DefinitionClient } from '../define/client.ts';
import type { Actions, DefinedRollup, Parameters, Queries } from '../define/definition.ts';
import { rollupOf } from '../define/rollup-of.ts';
import { type TestNode, type TestNodeOptions, testNode } from './test-node.ts';

/** A whole node of a definition in memory, and a client of it. A submission is executed by the next block. */
export async function testRollup<G extends Parameters, A extends Actions, Q extends Queries>(
  defined: DefinedRollup<G, A, Q>,
  genesisText: string,
  options: TestNodeOptions = {},
) {
  const node = await testNode(rollupOf(defined, genesisText), options);
  const client: DefinitionClient<A, Q> = clientOf(defined, { url: 'http://node', fetch: fetchOf(node) });
  return { ...node, client };
}

/** Calls of a client without a port. */
export function fetchOf({ app }: Pick<TestNode<never, never>, 'app'>) {
  return async (url: string, init: RequestInit): Promise<Response> => app.request(url, init);
}
