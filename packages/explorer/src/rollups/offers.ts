import type { Input } from '@switchyard/service/input';

/** Endpoints of a node beside those of every rollup of the framework, by its OpenAPI document. */
export type Offers = ReturnType<typeof offersOf>;

const MAX_PATHS = 1_000;
const MAX_VIEWS = 20;
const MAX_SUMMARY = 200;
const VIEW = /^\/v1\/([a-z][a-z0-9-]{0,63})$/;
/** Endpoints that the explorer shows in another way. */
const SHOWN = new Set(['status', 'blocks', 'deposits', 'messages']);

export function offersOf(document: Input) {
  const paths = document.at('paths').members(MAX_PATHS);
  const has = (url: string) => paths.some(([path, methods]) => path === url && methods.at('get').isPresent);
  return {
    messages: has('/v1/messages'),
    accounts: has('/v1/accounts/{address}'),
    history: has('/v1/accounts/{address}/history'),
    // Endpoints that need no parameters; they may have some. The path is `/v1/` and the name.
    views: paths.flatMap(([path, methods]) => viewOf(path, methods.at('get'))).slice(0, MAX_VIEWS),
  };
}

function viewOf(path: string, get: Input): { readonly name: string; readonly summary: string }[] {
  const name = VIEW.exec(path)?.[1];
  if (name === undefined || SHOWN.has(name) || !get.isPresent) return [];
  if (
    get
      .at('parameters')
      .list()
      .some((each) => each.at('required').value === true)
  )
    return [];
  const content = get
    .at('responses')
    .at('200')
    .optional((answer) => answer.at('content'));
  if (content?.isObject !== true || !content.at('application/json').isPresent) return [];
  const summary = get.at('summary').optional((each) => each.text()) ?? name;
  return [{ name, summary: summary.slice(0, MAX_SUMMARY) }];
}
