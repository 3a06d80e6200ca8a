import { workerData } from 'node:worker_threads';
import { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { BackgroundData } from '@switchyard/service';
import { openDatabaseInThread } from '../database/lmdb.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { rulesAt } from '../simulate/environment.ts';
import { answerCalls, storedMethods } from '../threads/answering.ts';
import type { LogLine } from '../threads/messages.ts';
import { Activity } from './activity/activity.ts';
import { LoggedSimulator } from './activity/logged-simulator.ts';
import type { Edited, News, StandaloneThreadData } from './threads.ts';

/* A thread that answers the calls of `switchyard evm dev` that take long, on the file of its chain or on a copy of it. */

const { data } = workerData as BackgroundData<StandaloneThreadData>;
const { directory, chainId, forks, maxCodeBytes, bounds } = data;
const file = directory === undefined ? undefined : openDatabaseInThread(directory);
const database = file ?? openMemoryDatabase();
const edited = new Map<bigint, Edited>();
const lines: LogLine[] = [];
const activity = new Activity({
  enabled: () => true,
  info: (...[fields, sentence]: [LogLine[0], string] | [string]) =>
    void lines.push(typeof fields === 'string' ? [{}, fields] : [fields, sentence ?? '']),
});
const rules = rulesAt(chainId, forks, maxCodeBytes);

answerCalls(
  (news) => {
    // The node sends nothing else.
    const { changes, edits, next, isLogged } = news as News;
    learn(changes, edits);
    activity.isEnabled = isLogged;
    const methods = storedMethods(
      database,
      { chainId, safe: 'soft', bounds },
      (deps) => new LoggedSimulator(data.simulator, { ...deps, rules, next: () => next }, activity),
      (number, state) => Object.assign(new StateOverlay(state), edited.get(number)),
    );
    return activity.named(methods);
  },
  () => lines.splice(0),
);

function learn(changes: News['changes'], edits: News['edits']): void {
  file?.refresh();
  const rows = changes.map(([name, key, value]) => [database.table(name), key, value] as const);
  if (rows.length > 0)
    database.write((writer) => {
      for (const [table, key, value] of rows) {
        if (value === undefined) writer.remove(table, key);
        else writer.put(table, key, value);
      }
    });
  for (const [block, state] of edits) {
    if (state === undefined) edited.delete(block);
    else edited.set(block, state);
  }
}
