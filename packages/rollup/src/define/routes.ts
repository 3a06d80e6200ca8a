import { type Snapshot, Steps } from '@switchyard/machine';
import { HttpError } from '@switchyard/service';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { optional, type Schema, withFacts } from '@switchyard/service/input';
import { Overtime, withTimeLimit } from '#time-limit';
import { getNames } from '../app/asset-names.ts';
import type { RollupNode } from '../app/node.ts';
import { encode } from '../schema/codec.ts';
import type { Type } from '../schema/type.ts';
import type { QueryCall } from './contract.ts';
import type { AnyRollup, QueryContext } from './definition.ts';
import { plain } from './document.ts';
import { CountedReader } from './steps.ts';
import { tableRoute } from './table-route.ts';

/** Routes of a definition: itself, its queries, and the rows of its tables. */
export function definitionRoutes(defined: AnyRollup, node: RollupNode, genesisFile: unknown): readonly AnyRoute[] {
  const queries = [...defined.calls.values()].map((call) => queryRoute(defined, call, node));
  return [definitionRoute(defined, node), genesisRoute(genesisFile), ...queries, tableRoute(defined, node)];
}

const document = schema.json('The definition: actions, genesis, tables and queries by their schemas');

function definitionRoute({ document: defined, fingerprint, typeUrl }: AnyRollup, { genesis }: RollupNode): AnyRoute {
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

const genesisRoute = (body: unknown): AnyRoute =>
  route({
    method: 'get',
    url: '/v1/genesis',
    id: 'getGenesis',
    tag: 'Definition',
    summary: 'The genesis file of this rollup, with which clients execute actions before a block does',
    answers: {
      200: schema.json('The file, whose members are those of `genesis` in the definition and of every rollup'),
    },
    handle: () => ({ status: 200, body }),
  });

/** The handler takes the values that the schemas of the same definition read. */
function queryRoute(
  defined: AnyRollup,
  { name, url, help, parameters, answer }: QueryCall,
  node: RollupNode,
): AnyRoute {
  const { handle } = defined.queries[name];
  const title = name[0]?.toUpperCase() + name.slice(1);
  const named = withFacts(answer.json, { json: { ...answer.json.json, [schema.NAME]: title } });
  const readers = Object.entries(parameters).map(([parameter, { type, fallback }]): [string, Schema<unknown>] => {
    const described = documented(type);
    if (fallback === undefined) return [parameter, described];
    const json = { ...described.json, default: plain(type.toJson(fallback)) };
    return [parameter, withFacts(optional<unknown>(described, fallback), { json })];
  });
  return {
    method: 'get',
    url,
    id: `get${title}`,
    tag: defined.name,
    summary: help === '' ? `The query ${name}, after the newest block` : help,
    query: Object.fromEntries(readers),
    answers: { 200: named },
    errors: { 404: 'There is nothing of these parameters', 503: 'It reads too many rows, or takes too long' },
    handle({ query }: { readonly query: Readonly<Record<string, unknown>> }) {
      const found: unknown = answered(name, () => handle(query, toContext(node)));
      if (found === undefined)
        throw new HttpError(404, 'not-found', `the query ${name} has no answer for these parameters`);
      mustFit(name, answer, found);
      return { status: 200, body: answer.toJson(found as never, getNames(node.view.snapshot)) };
    },
  };
}

/** A client refuses an answer that its type does not have, so the node does, and logs it. */
function mustFit(name: string, answer: QueryCall['answer'], found: unknown): void {
  try {
    encode(answer, found as never);
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new HttpError(500, 'bug', `query ${name}: its answer is not of its type: ${message}`);
  }
}

/** Rows, and KiB of them, that one query may read; and its time. Nothing else is answered while it runs. */
const QUERY_STEPS = 50_000;
const QUERY_LIMIT_MS = 2_000;

/** Runs a query. @throws {HttpError} if it takes too long. */
export function answered<T>(name: string, query: () => T): T {
  try {
    return withTimeLimit(QUERY_LIMIT_MS, query);
  } catch (error) {
    if (!(error instanceof Overtime)) throw error;
    throw new HttpError(503, 'limit-reached', `the query ${name} has not ended within ${QUERY_LIMIT_MS} ms`);
  }
}

export function toContext({ view }: RollupNode): QueryContext {
  const { seconds, nanos } = view.block;
  const { snapshot } = view;
  const counted = new CountedReader(
    snapshot,
    new Steps(QUERY_STEPS, (most) => new HttpError(503, 'limit-reached', `a query reads at most ${most} rows and KiB`)),
  );
  const state: Snapshot = {
    ...{ height: snapshot.height, root: snapshot.root, prove: (key) => snapshot.prove(key) },
    get: (key) => counted.get(key),
    range: (options) => counted.range(options),
  };
  return { state, block: view.soft, time: { seconds, nanos } };
}

function documented({ json, help }: Type<unknown>): Schema<unknown> {
  return help === '' ? json : withFacts(json, { json: { ...json.json, description: help } });
}
