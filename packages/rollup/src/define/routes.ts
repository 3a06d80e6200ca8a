import { HttpError } from '@switchyard/service';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { optional, type Schema, withFacts } from '@switchyard/service/input';
import type { RollupNode } from '../app/node.ts';
import type { Type } from '../schema/type.ts';
import type { QueryCall } from './contract.ts';
import type { AnyRollup, QueryContext } from './definition.ts';
import { tableRoute } from './table-route.ts';

/** Routes of a definition: itself, its queries, and the rows of its tables. */
export function definitionRoutes(defined: AnyRollup, node: RollupNode<never>): readonly AnyRoute[] {
  const queries = [...defined.calls.values()].map((call) => queryRoute(defined, call, node));
  return [definitionRoute(defined, node), ...queries, tableRoute(defined, node)];
}

const document = schema.json('The definition: actions, genesis, tables and queries by their schemas');

function definitionRoute(
  { document: defined, fingerprint, typeUrl }: AnyRollup,
  { genesis }: RollupNode<never>,
): AnyRoute {
  const body = { ...defined, fingerprint, typeUrl, chainId: genesis.chainId };
  return route({
    method: 'get',
    url: '/v1/definition',
    id: 'getDefinition',
    tag: 'Definition',
    summary: 'The schemas of this rollup, from which clients make its transactions and read its answers',
    answers: { 200: document },
    handle: () => ({ status: 200, body }),
  });
}

/** The handler takes the values that the schemas of the same definition read. */
function queryRoute(
  defined: AnyRollup,
  { name, url, help, parameters, answer }: QueryCall,
  node: RollupNode<never>,
): AnyRoute {
  const { handle } = defined.queries[name];
  const title = name[0]?.toUpperCase() + name.slice(1);
  const named = withFacts(answer.json, { json: { ...answer.json.json, [schema.NAME]: title } });
  const readers = Object.entries(parameters).map(([parameter, { type, fallback }]): [string, Schema<unknown>] => {
    const described = documented(type);
    return [parameter, fallback === undefined ? described : optional<unknown>(described, fallback)];
  });
  return {
    method: 'get',
    url,
    id: `get${title}`,
    tag: defined.name,
    summary: help === '' ? `The query ${name}, after the newest block` : help,
    query: Object.fromEntries(readers),
    answers: { 200: named },
    errors: { 404: 'There is nothing of these parameters' },
    handle({ query }: { readonly query: Readonly<Record<string, unknown>> }) {
      const found: unknown = handle(query, contextOf(node));
      if (found === undefined)
        throw new HttpError(404, 'not-found', `the query ${name} has no answer for these parameters`);
      return { status: 200, body: answer.toJson(found as never) };
    },
  };
}

export function contextOf({ view }: RollupNode<never>): QueryContext {
  const { seconds, nanos } = view.block;
  return { state: view.snapshot, block: view.soft, time: { seconds, nanos } };
}

function documented({ json, help }: Type<unknown>): Schema<unknown> {
  return help === '' ? json : withFacts(json, { json: { ...json.json, description: help } });
}
