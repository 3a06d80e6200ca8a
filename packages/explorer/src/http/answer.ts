import { type AnyRoute, type ApiRequest, type schema, serve } from '@switchyard/service/api';
import type { Get } from '../contract/routes.ts';

/** A route whose only answer is the result of `make`. */
export const answer = <P extends schema.Members, Q extends schema.Members, T>(
  contract: Get<P, Q, T>,
  make: (request: ApiRequest<schema.ObjectOf<P>, schema.ObjectOf<Q>, undefined>) => T | Promise<T>,
): AnyRoute => serve(contract, async (request) => ({ status: 200, body: await make(request) }));
