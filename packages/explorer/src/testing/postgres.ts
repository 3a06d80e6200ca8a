import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import pg from 'pg';

export interface Postgres {
  url(database: string, password?: string): string;
  create(database: string): Promise<void>;
  stop(): Promise<void>;
}

/** The directory of Debian's programs, or of those on the path; undefined if there are none. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  return places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')));
}

/** Debian's user without rights. */
const USER = '65534';

/** A server for one test file, on a port of its own. It refuses to run as root, so there it runs as the user without rights. */
export async function startPostgres(programs: string): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-postgres-'));
  const data = join(directory, 'data');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    spawnSync('chown', [USER, directory]);
    // It has to get there; directories of test runs are closed to other users.
    for (const place of [dirname(tmpdir()), tmpdir()]) chmodSync(place, statSync(place).mode | 0o011);
  }
  const user = isRoot ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : [];
  const [program = '', ...args] = [
    ...user,
    join(programs, 'initdb'),
    '--auth=trust',
    '--username=test',
    '--no-sync',
    '-D',
    data,
  ];
  const made = spawnSync(program, args, { encoding: 'utf8', cwd: directory });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const options = ['-D', data, '-p', String(port), '-k', directory, '-h', '127.0.0.1', '-F'];
  const [server = '', ...rest] = [...user, join(programs, 'postgres'), ...options];
  const child = spawn(server, rest, { cwd: directory, stdio: 'ignore' });
  const url = (database: string, password = '') => `postgres://test:${password}@127.0.0.1:${port}/${database}`;
  const query = async (sql: string) => {
    const client = new pg.Client({ connectionString: url('postgres') });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const end = performance.now() + 30_000;
  for (;;) {
    try {
      await query('SELECT 1');
      break;
    } catch (error) {
      if (performance.now() > end || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    url,
    create: (database) => query(`CREATE DATABASE ${database}`),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
