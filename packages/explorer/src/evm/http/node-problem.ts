import { AnswerTooLong, HttpError, isTransportFailure, JsonRpcError } from '@switchyard/service';

/** Maps a failure of the rollup's node to an answer; an unexpected error stays unchanged. */
export function nodeProblem(error: unknown): unknown {
  if (isTransportFailure(error)) {
    return new HttpError(503, 'unavailable', 'the node of this rollup does not answer; try again later');
  }
  if (error instanceof JsonRpcError) {
    return new HttpError(502, 'node-refused', `the node of this rollup: ${error.message.slice(0, 200)}`);
  }
  if (error instanceof AnswerTooLong) {
    return new HttpError(502, 'answer-too-long', 'the node of this rollup answered more than is taken');
  }
  return error;
}
