import type { Input } from '@switchyard/service/input';

/** Endpoints of a node beside those of every rollup of the framework, by its OpenAPI document. */
export interface Offers {
  readonly messages: boolean;
  readonly accounts: boolean;
  /** History of accounts. */
  readonly history: boolean;
  /** Endpoints that need no parameters. */
  readonly views: readonly View[];
}

export interface View {
  /** Its path is `/v1/` and this. */
  readonly name: string;
  readonly summary: string;
}

const MAX_PATHS = 1_000;
const MAX_VIEWS = 20;
const MAX_SUMMARY = 200;
const VIEW = /^\/v1\/([a-z][a-z0-9-]{0,63})$/;
/** Endpoints that the explorer shows in another way. */
const SHOWN = new Set(['status', 'blocks', 'deposits', 'messages']);

export function offersOf(document: Input): Offers {
  const paths = document.at('paths').members(MAX_PATHS);
  const has = (url: string) => paths.some(([path, methods]) => path === url && methods.at('get').isPresent);
  return {
    messages: has('/v1/messages'),
    accounts: has('/v1/accounts/{address}'),
    history: has('/v1/accounts/{address}/history'),
    views: paths.flatMap(([path, methods]) => viewOf(path, methods.at('get'))).slice(0, MAX_VIEWS),
  };
}

function viewOf(path: string, get: Input): View[] {
  const name = VIEW.exec(path)?.[1];
  if (name === undefined || SHOWN.has(name) || !get.isPresent || get.at('parameters').list().length > 0) return [];
  const content = get
    .at('responses')
    .at('200')
    .optional((answer) => answer.at('content'));
  if (content?.isObject !== true || !content.at('application/json').isPresent) return [];
  const summary = get.at('summary').optional((each) => each.text()) ?? name;
  return [{ name, summary: summary.slice(0, MAX_SUMMARY) }];
}
