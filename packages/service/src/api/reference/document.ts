import type { openApiDocument } from '../openapi.ts';

/* The document as its pages read it. */

export type ApiDocument = ReturnType<typeof openApiDocument>;

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

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

/** An operation and its path. */
export interface Call extends Operation {
  readonly method: string;
  readonly url: string;
}

export function callsOf({ paths }: ApiDocument): readonly Call[] {
  return Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...(operation as Operation), url, method })),
  );
}

/** The name in a reference to a component. */
export function componentOf({ $ref: ref }: Json): string | undefined {
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : undefined;
}

/** The type of a streamed answer; undefined if a call answers at once. */
export const isStream = ({ responses }: Operation): boolean =>
  Object.values(responses).some(({ content }) => Object.hasOwn(content, 'text/event-stream'));
