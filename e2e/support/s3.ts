import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import { root, until } from './network.ts';

/** The program, from `SWITCHYARD_VERSITYGW`, the place where `scripts/versitygw.mjs` builds it, or the PATH. */
const versitygw: string | undefined = findVersitygw();

function findVersitygw(): string | undefined {
  const set = process.env.SWITCHYARD_VERSITYGW;
  if (set !== undefined && set !== '') return set;
  const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
  const built = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('versitygw-')) : [];
  const places = [...built.map((name) => join(cache, name)), ...(process.env.PATH ?? '').split(delimiter)];
  return places.map((directory) => join(directory, 'versitygw')).find((file) => existsSync(file));
}

/** True if scenarios with an S3 server can run; else prints that they are left out. */
export function s3IsThere(): boolean {
  if (versitygw === undefined)
    console.log('no versitygw found: scenarios with S3 are left out (node scripts/versitygw.mjs builds it, with Go)');
  return versitygw !== undefined;
}

export const REGION = 'us-east-1';

/** An S3 server with one bucket, whose objects are files. */
export interface S3Server {
  readonly url: string;
  readonly bucket: string;
  /** Variables that a client takes its credentials from. */
  readonly credentials: Readonly<Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>>;
  /** Directory of the bucket. */
  readonly files: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Kills it and removes all that it had. */
  dispose(): Promise<void>;
}

/** Nothing is started yet. */
export async function createS3Server(): Promise<S3Server> {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-s3-'));
  const bucket = 'archives';
  const files = join(home, 'buckets', bucket);
  mkdirSync(files, { recursive: true });
  mkdirSync(join(home, 'metadata'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const credentials = {
    AWS_ACCESS_KEY_ID: `key${randomBytes(6).toString('hex')}`,
    AWS_SECRET_ACCESS_KEY: randomBytes(20).toString('hex'),
  };
  let child: ChildProcess | undefined;
  let output = '';
  const server: S3Server = {
    ...{ url, bucket, credentials, files },
    async start() {
      const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret } = credentials;
      const global = ['--port', new URL(url).host, '--region', REGION, '--quiet'];
      // Not all file systems of temporary directories have extended attributes.
      const started = spawn(
        versitygw ?? 'versitygw',
        [...global, 'posix', '--sidecar', join(home, 'metadata'), join(home, 'buckets')],
        {
          env: { PATH: process.env.PATH, ROOT_ACCESS_KEY: access, ROOT_SECRET_KEY: secret },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      child = started;
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', (chunk: Uint8Array) => (output += String(chunk)));
      await until('the S3 server answers', async () => {
        if (started.exitCode !== null) throw new Error(`it ended with ${started.exitCode}: ${output}`);
        return (await fetch(url)).status;
      });
    },
    async stop() {
      const running = child;
      if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
      const closed = new Promise((resolve) => running.once('close', resolve));
      running.kill('SIGKILL');
      await closed;
    },
    async dispose() {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return server;
}

/** In front of an S3 server, refuses conditions of writes as servers do that do not have them. */
export async function withoutConditions(url: string): Promise<{ readonly url: string; close(): void }> {
  const proxy = createServer((incoming, answer) => {
    if (incoming.headers['if-none-match'] !== undefined) {
      incoming.resume();
      answer.writeHead(501, { 'content-type': 'application/xml' });
      answer.end('<Error><Code>NotImplemented</Code><Message>a header has no implementation here</Message></Error>');
      return;
    }
    // Its signature is over the host that the client has asked.
    const { method, headers } = incoming;
    const passed = request(`${url}${incoming.url ?? ''}`, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(passed);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
