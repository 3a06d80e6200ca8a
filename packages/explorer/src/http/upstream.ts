import { ApiRefused } from '@switchyard/client/http-api';
import { HttpError, isTransportFailure, JsonRpcError } from '@switchyard/service';
import { IndexLost, type IndexStore } from '../store/store.ts';

/** What to answer where another process failed; what is unexpected stays as it is. */
export function upstream(who: string, error: unknown): unknown {
  if (isTransportFailure(error) || error instanceof IndexLost) {
    return new HttpError(503, 'unavailable', `${who} does not answer; try again later`);
  }
  if (error instanceof ApiRefused) return new HttpError(error.status, error.code, error.message, {});
  if (error instanceof JsonRpcError) return new HttpError(410, 'pruned', `${who} no longer has this block`);
  return error;
}

/** The index as routes read it. */
export function readable(store: IndexStore): Pick<IndexStore, 'read'> {
  return {
    async read(sql, params) {
      try {
        return await store.read(sql, params);
      } catch (error) {
        throw upstream('the index', error);
      }
    },
  };
}
