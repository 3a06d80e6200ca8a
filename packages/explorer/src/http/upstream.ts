import { ApiRefused } from '@switchyard/client/http-api';
import { AnswerTooLong, HttpError, isTransportFailure, JsonRpcError, toHttpError } from '@switchyard/service';
import { InvalidData } from '@switchyard/service/input';
import { IndexLost, type IndexStore } from '../store/store.ts';
import { mapped } from './problems.ts';

/** Answers of a node that concern the client's request; of others only that the node refused. */
const PASSED_ON: ReadonlySet<number> = new Set([400, 404, 410, 502, 503, 504]);

/** Maps a failure of another process to an answer; an unexpected error stays unchanged. */
export const upstream = (who: string) => (error: unknown) => {
  if (isTransportFailure(error) || error instanceof IndexLost) return away(who);
  if (error instanceof JsonRpcError) return new HttpError(410, 'pruned', `${who} no longer has this block`);
  if (error instanceof InvalidData || error instanceof AnswerTooLong) {
    return new HttpError(502, 'invalid-answer', `${who} answered what cannot be read`);
  }
  if (error instanceof ApiRefused) return passedOn(who, new HttpError(error.status, error.code, error.message));
  const answer = toHttpError(error);
  return answer.code === 'internal' ? error : passedOn(who, answer);
};

function passedOn(who: string, answer: HttpError): HttpError {
  if (PASSED_ON.has(answer.status)) return answer;
  // The limit is that of this process, which all of its clients share.
  if (answer.status === 429) return away(who);
  return new HttpError(502, 'refused', `${who}: ${answer.message}`);
}

const away = (who: string) => new HttpError(503, 'unavailable', `${who} does not answer; try again later`);

/** The index as routes read it. */
export const readable = (store: IndexStore): Pick<IndexStore, 'read'> => ({
  read: (sql, params) => mapped(upstream('the index'), () => store.read(sql, params)),
});
