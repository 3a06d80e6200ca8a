import { freePort } from '@switchyard/service/testing';
import { afterEach } from 'vitest';
import type { SupervisorEvent } from './events.ts';
import type { ServiceSpec } from './spec.ts';
import { Supervisor, type SupervisorOptions } from './supervisor.ts';

/** Small real programs, run by this Node. */
export const node = (name: string, script: string, more: Partial<ServiceSpec> = {}): ServiceSpec => ({
  name,
  command: process.execPath,
  args: ['-e', script],
  env: { PATH: process.env.PATH ?? '' },
  own: false,
  ports: [],
  after: [],
  ...more,
});

export const FOREVER = 'setInterval(() => {}, 1000);';
/** Supervisors that are stopped after each test of the file that asks for them. */
export function supervisors() {
  const open: Supervisor[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((supervisor) => supervisor.stop()));
  });
  return function supervise(specs: readonly ServiceSpec[], options: Partial<SupervisorOptions> = {}) {
    const supervisor = new Supervisor(specs, options);
    open.push(supervisor);
    const events: SupervisorEvent[] = [];
    supervisor.on((event) => events.push(event));
    /** The first event that matches, also of past ones. */
    const seen = (match: (event: SupervisorEvent) => boolean) =>
      new Promise<SupervisorEvent>((resolve) => {
        const found = events.find(match);
        if (found) return resolve(found);
        const off = supervisor.on((event) => {
          if (!match(event)) return;
          off();
          resolve(event);
        });
      });
    const line = (text: string) => seen((event) => event.kind === 'line' && event.text === text);
    const story = (service: string) =>
      events.flatMap((e) => (e.service === service && e.kind !== 'line' ? [e.kind] : []));
    supervisor.start();
    return { supervisor, events, seen, line, story };
  };
}

/** A program that serves HTTP on `PORT`; `status` is an expression, the answer's status and body. */
export const server = (status: string, delayMs = 0) => `
  const { createServer } = require('node:http');
  const started = performance.now();
  const answer = (request, response) => { const [code, body] = ${status}; response.writeHead(code).end(JSON.stringify(body)); };
  setTimeout(() => createServer(answer).listen(Number(process.env.PORT), '127.0.0.1'), ${delayMs});`;

/** A service that is ready when its program answers on a port of its own. */
export async function serving(name: string, script: string, more: Partial<ServiceSpec> = {}): Promise<ServiceSpec> {
  const port = await freePort();
  return node(name, script, {
    env: { PORT: String(port) },
    ready: { kind: 'http', url: `http://127.0.0.1:${port}/readyz`, port },
    ...more,
  });
}
