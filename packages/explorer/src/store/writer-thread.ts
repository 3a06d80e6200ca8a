import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { BackgroundData } from '@switchyard/service';
import { atOnce, connectToWrite } from './connection.ts';
import { Superseded } from './store.ts';
import { unpacked, type WriterAnswer, type WriterOptions, type WriterRequest } from './writer-messages.ts';

/* A thread that does nothing but write batches to one file. It loads nothing else, so that it stays small. */
const { data } = workerData as BackgroundData<WriterOptions>;
const answer = answerer(data);
parentPort?.on('message', (request: WriterRequest) => {
  const answered = answer(request);
  if (answered === 'closed') parentPort?.close();
  else parentPort?.postMessage(answered);
});

/** One answer for each batch. */
function answerer({ path, inode, isDerived }: WriterOptions): (request: WriterRequest) => WriterAnswer | 'closed' {
  const connection = connectToWrite(path, isDerived);
  // This stays the file, regardless of later changes of the path.
  const isRight = statSync(path, { bigint: true }).ino === inode;
  return (request) => {
    if (request === 'close') {
      connection.checkpoint();
      connection.close();
      return 'closed';
    }
    try {
      if (!isRight) throw new Error(`${path} is a different file than before`);
      atOnce(connection.transaction(unpacked(request)));
      return {};
    } catch (error) {
      if (error instanceof Superseded) {
        const { sql, expected, got } = error;
        return { superseded: { sql, expected, got } };
      }
      const { message, code } = error as Error & { readonly code?: unknown };
      return { error: { message, code } };
    }
  };
}
