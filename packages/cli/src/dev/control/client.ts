import { request } from 'node:http';
import { Failure } from '../../failure.ts';
import { isTable } from '../files/toml.ts';
import type { InstancePaths } from '../instance/home.ts';
import { currentRun } from '../instance/run-file.ts';
import { jsonIn } from '../supervisor/http-get.ts';
import type { ControlStatus, InstanceVerb, ServiceVerb } from './protocol.ts';

/** Commands to the tool that runs an instance. Each rejects with a `Failure` that has the reason. */
export type ControlClient = Readonly<NonNullable<Awaited<ReturnType<typeof connectControl>>>>;

/** Ending a stubborn service takes up to 2.5 s, and many commands may precede this one. */
const ANSWER_MS = 30_000;
/** The tool asks its services, for two seconds at most. */
const STATUS_MS = 4_000;

/** @returns `undefined` when nothing runs, or what runs accepts no commands. */
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
    /** Ends everything, the tool too. Resolves once it has begun. */
    stopAll: () => all('stop'),
    restartAll: () => all('restart'),
    /** Ends all services and keeps the instance: its files may be read and written until `resume`. */
    pause: () => all('pause'),
    resume: () => all('resume'),
  };
}

async function done(path: string, order: string): Promise<void> {
  await ask(path, 'POST', order);
}

function ask(socketPath: string, method: string, path: string, ms = ANSWER_MS): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const refused = (error: Error) =>
      reject(
        new Failure(`${socketPath}: the tool that runs the instance does not answer: ${error.message}`, undefined, {
          cause: error,
        }),
      );
    const call = request({ socketPath, method, path, agent: false, timeout: ms }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('error', refused);
      response.on('end', () => {
        const value = jsonIn(body);
        if ((response.statusCode ?? 500) < 300) return resolve(value);
        reject(
          new Failure(
            isTable(value) && typeof value.error === 'string' ? value.error : `${path}: ${response.statusCode}`,
          ),
        );
      });
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${ms / 1_000} s`)));
    call.on('error', refused);
    call.end();
  });
}
