import type { Snapshot } from '@switchyard/machine';
import { CODES, type CodeName } from '../codes.ts';
import type { QueryResult } from '../types.ts';
import { ANSWERS } from './answers.ts';
import { QueryProblem, type QueryRoute } from './route.ts';

/** Longer paths match nothing, and are not worth repeating in an answer. */
const MAX_PATH = 512;

/** Answers an ABCI query from the latest state, which is the only one kept. */
export function answerQuery(snapshot: Snapshot, path: string, data: Uint8Array, wanted: bigint): QueryResult {
  const height = snapshot.height ?? 0n;
  const result = (code: CodeName, log: string, value: Uint8Array = new Uint8Array()): QueryResult => ({
    code: CODES[code][0],
    info: CODES[code][1],
    log,
    key: new TextEncoder().encode(path),
    value,
    height,
  });
  const found = path.length > MAX_PATH ? undefined : match(path);
  if (found === undefined) return result('unknownPath', `unknown path ${path.slice(0, MAX_PATH)}`);
  if (height === 0n) return result('internal', 'no block has been committed yet');
  if (wanted !== 0n && wanted !== height) {
    return result(
      'internal',
      `only the latest state is kept: asked for height ${wanted}, the latest is ${height}; leave the height out`,
    );
  }
  try {
    return result('ok', '', found.route({ snapshot, height, parameter: found.parameter, data }));
  } catch (error) {
    if (error instanceof QueryProblem) return result(error.code, error.message);
    throw error;
  }
}

function match(path: string): { readonly route: QueryRoute; readonly parameter: string } | undefined {
  const cut = path.lastIndexOf('/') + 1;
  for (const [pattern, route] of Object.entries(ANSWERS)) {
    if (pattern === path && !path.endsWith('}')) return { route, parameter: '' };
    const fixed = pattern.endsWith('}') ? pattern.slice(0, pattern.indexOf('{')) : undefined;
    if (fixed !== undefined && fixed === path.slice(0, cut)) return { route, parameter: path.slice(cut) };
  }
  return undefined;
}
