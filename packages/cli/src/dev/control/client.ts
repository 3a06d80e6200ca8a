import { httpAsk, jsonIn } from '@switchyard/network/supervisor/http-get';
import { Failure } from '@switchyard/service/failure';
import { isTable } from '../files/toml.ts';
import type { InstancePaths } from '../instance/home.ts';
import { currentRun } from '../instance/run-file.ts';
import type { ControlStatus, InstanceVerb, ServiceVerb } from './protocol.ts';

/** Commands to the tool that runs an instance. Each rejects with a `Failure` that has the reason. */
export type ControlClient = Readonly<NonNullable<Awaited<ReturnType<typeof connectControl>>>>;

/** Ending a stubborn service takes up to 2.5 s, and many commands may precede this one. */
const ANSWER_MS = 30_000;
/** The tool asks its services, for two seconds at most. */
const STATUS_MS = 4_000;

/** @returns `undefined` when nothing runs, or the running instance accepts no commands. */
export async function connectControl(paths: InstancePaths) {
  const path = currentRun(paths)?.control;
  if (path === undefined) return undefined;
  const order = (service: string, verb: ServiceVerb) => done(path, `/services/${encodeURIComponent(service)}/${verb}`);
  const all = (verb: InstanceVerb) => done(path, `/${verb}`);
  return {
    // Its own tool wrote it, of the same version or a near one.
    status: async () => (await ask(path, 'GET', '/status', STATUS_MS)) as ControlStatus,
    start: (service: string) => order(service, 'start'),
    stop: (service: string) => order(service, 'stop'),
    restart: (service: string) => order(service, 'restart'),
    restartAll: () => all('restart'),
    /** Ends all services and keeps the instance: its files may be read and written until `resume`. */
    pause: () => all('pause'),
    resume: () => all('resume'),
  };
}

async function done(path: string, order: string): Promise<void> {
  await ask(path, 'POST', order);
}

async function ask(socketPath: string, method: string, path: string, timeout = ANSWER_MS): Promise<unknown> {
  const answer = await httpAsk({ socketPath, method, path, timeout }).catch((cause: Error) => {
    const problem = `${socketPath}: the tool that runs the instance does not answer: ${cause.message}`;
    throw new Failure(problem, cause);
  });
  const value = jsonIn(answer.body);
  if (answer.status < 300) return value;
  throw new Failure(isTable(value) && typeof value.error === 'string' ? value.error : `${path}: ${answer.status}`);
}
