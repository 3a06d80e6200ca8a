import { httpApi } from '@switchyard/client/http-api';

/* The OpenAPI document of the process that serves the page. */

/** A JSON Schema, of which a page shows the keywords that it finds. */
export type Json = Readonly<Record<string, unknown>>;

export type Content = Readonly<Record<string, { readonly schema: Json }>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}

/** How a typed client imports and names the contract of a call. */
interface TypedCall {
  readonly specifier: string;
  readonly imported: string;
  readonly expression: string;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
  readonly 'x-contract'?: TypedCall;
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
  /** Meanings of statuses. */
  readonly 'x-errors': Readonly<Record<string, string>>;
}

/** An operation with its method and path. */
export interface Call extends Operation {
  readonly method: string;
  readonly url: string;
}

export const DOCUMENT = '/v1/openapi.json';

/** The process that serves the page wrote it, from the routes that it answers. */
export const loadDocument = async (): Promise<ApiDocument> =>
  (await httpApi('node', { url: location.origin })(DOCUMENT)).value as ApiDocument;

export function calls({ paths }: ApiDocument): readonly Call[] {
  return Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, url, method })),
  );
}

/** The name in a reference to a component. */
export function componentName({ $ref: ref }: Json): string | undefined {
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : undefined;
}

/** Whether a call answers with a stream of events. */
export const isStream = ({ responses }: Operation): boolean =>
  Object.values(responses).some(({ content }) => Object.hasOwn(content, 'text/event-stream'));

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
