import { serverError } from '../json/errors.ts';
import type { RpcMethods } from './deps.ts';
import { wrapped } from './marks.ts';

/** Pages of this machine, at any port, and browser extensions: the user who installed one gave it more than this. */
const TRUSTED =
  /^(?:https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?|(?:chrome|moz|safari-web)-extension:\/\/.*)$/i;

/**
 * Methods that web pages call only from trusted origins, since any page in a browser on this machine reaches the node.
 * Programs that are no browsers send no origin, and call them as before.
 *
 * @param origins Trusted besides those of this machine; `*` is any.
 * @param setting Names them in the refusal.
 */
export function fromTrustedPages(
  methods: RpcMethods,
  { origins, setting }: { readonly origins: readonly string[]; readonly setting: string },
): RpcMethods {
  const listed = new Set(origins);
  const isTrusted = (page: string): boolean => TRUSTED.test(page) || listed.has(page) || listed.has('*');
  return wrapped(methods, (name, method) => (params, context, id) => {
    const { page } = context.from;
    if (page === undefined || isTrusted(page)) return method(params, context, id);
    throw serverError(
      `a web page of ${JSON.stringify(page.slice(0, 100))} may not call ${name}; expected a page of this machine, or of an origin listed in ${setting}`,
    );
  });
}
