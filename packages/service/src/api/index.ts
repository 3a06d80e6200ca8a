/** Routes of an HTTP API, each described once: for routing, validation and the OpenAPI document. */

export { errorAnswer, PROBLEM_TYPE, problemSchema } from '../http/problem.ts';
export type { BodyForm, RawAnswer } from './contract.ts';
export { type ApiReference, serveApi } from './document-routes.ts';
export { knownQuery } from './known-query.ts';
export { mountRoutes } from './mount.ts';
export { type ApiInfo, type ContractModule, openApiDocument } from './openapi.ts';
export { type AnyRoute, type ApiRequest, Rendered, type Reply, route, serve, toErrors } from './route.ts';
export * as schema from './schema.ts';
