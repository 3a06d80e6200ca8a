// Loaded into every Node process that a test starts: records unhandled errors, and changes nothing else.
import { appendFileSync } from 'node:fs';

const file = process.env.SWITCHYARD_TEST_UNHANDLED;

/** @param {unknown} error */
function record(error) {
  if (file === undefined) return;
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  appendFileSync(file, `${process.pid} ${process.argv.slice(1).join(' ')}\n${what}\n`);
}

/** @type {WeakSet<object>} */
const recorded = new WeakSet();

process.on('uncaughtExceptionMonitor', (error) => {
  if (!recorded.has(error)) record(error);
});
process.on('unhandledRejection', (reason) => {
  record(reason);
  if (typeof reason === 'object' && reason !== null) recorded.add(reason);
  // With no other listener Node would have ended the process.
  if (process.listenerCount('unhandledRejection') === 1) throw reason;
});
