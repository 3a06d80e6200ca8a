import type { Input } from '@switchyard/service/input';

/** Endpoints of a node, by its OpenAPI document. */
export type Offers = ReturnType<typeof toOffers>;

const MAX_PATHS = 1_000;
const MAX_SHOWN_PATHS = 200;
const MAX_VIEWS = 20;
const MAX_SUMMARY = 200;
const PATH = /^\/v1(\/[\w.:{}-]{1,64}){1,8}$/;
const VIEW = /^\/v1\/([a-z][a-z0-9-]{0,63})$/;
/** Endpoints that the explorer shows in another way. */
const SHOWN = new Set([
  ...['status', 'blocks', 'deposits', 'messages', 'definition', 'events', 'withdrawals', 'bridges'],
]);

export function toOffers(document: Input) {
  const paths = document
    .at('paths')
    .members(MAX_PATHS)
    .flatMap(([path, methods]) => {
      const get = methods.at('get');
      return PATH.test(path) && get.isPresent && isJson(get) ? [{ path, get }] : [];
    });
  return {
    paths: paths.map(({ path }) => path).slice(0, MAX_SHOWN_PATHS),
    // Endpoints that need no parameters; they may have some. The path, which is `/v1/` and the name.
    views: paths.flatMap(({ path, get }) => getView(path, get)).slice(0, MAX_VIEWS),
  };
}

/** Whether a node has an endpoint for the path of a request, as far as that is known. */
export function isOffered(offers: Offers | undefined, path: string): boolean {
  const steps = path.split('/');
  const fits = (template: string): boolean => {
    const own = template.split('/');
    return own.length === steps.length && own.every((step, at) => /^\{\w+\}$/.test(step) || step === steps[at]);
  };
  return offers === undefined || offers.paths.some(fits);
}

function isJson(get: Input): boolean {
  const content = get
    .at('responses')
    .at('200')
    .optional((answer) => answer.at('content'));
  return content?.isObject === true && content.at('application/json').isPresent;
}

function getView(path: string, get: Input): { readonly name: string; readonly summary: string }[] {
  const name = VIEW.exec(path)?.[1];
  if (name === undefined || SHOWN.has(name)) return [];
  const parameters = get.at('parameters').list();
  if (parameters.some((each) => each.at('required').value === true)) return [];
  const summary = get.at('summary').optional((each) => each.text()) ?? name;
  return [{ name, summary: summary.slice(0, MAX_SUMMARY) }];
}
