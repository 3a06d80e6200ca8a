import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import { root, run, until } from './network.ts';

/** A package registry of its own: our packages only from here, others through it from the configured registry. */
export interface Registry {
  readonly url: string;
  /** For every npm that is to use it. */
  readonly env: NodeJS.ProcessEnv;
  /** Publishes our packages as a release does. @param out Keeps them there. @returns its output. */
  publish(out?: string): Promise<string>;
  close(): Promise<void>;
}

const verdaccio = join(root, 'e2e', 'tools', 'node_modules', 'verdaccio', 'bin', 'verdaccio');

async function npmSetting(name: string): Promise<string | undefined> {
  const { stdout } = await run('npm', ['config', 'get', name]);
  return ['', 'null', 'undefined'].includes(stdout.trim()) ? undefined : stdout.trim();
}

/** Verdaccio, installed by `node scripts/prepare.mjs --tools`, with empty storage. */
export async function startRegistry(): Promise<Registry> {
  const place = mkdtempSync(join(tmpdir(), 'switchyard-registry-'));
  const [upstream, ca] = [await npmSetting('registry'), await npmSetting('cafile')];
  const open = { access: '$all', publish: '$all' };
  const config = {
    storage: join(place, 'storage'),
    uplinks: { upstream: { url: upstream, cache: false } },
    packages: {
      '@switchyard/*': open,
      switchyard: open,
      'create-switchyard': open,
      '**': { access: '$all', proxy: 'upstream' },
    },
    // A few tarballs of native libraries and compilers are larger than its default limit.
    max_body_size: '100mb',
    log: { type: 'stdout', level: 'warn' },
  };
  // YAML has JSON in it.
  writeFileSync(join(place, 'config.yaml'), JSON.stringify(config));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  // Verdaccio lets anybody publish, but npm does not try without a token.
  writeFileSync(join(place, 'npmrc'), `registry=${url}\n//127.0.0.1:${port}/:_authToken=anybody\n`);
  const server = spawn(
    process.execPath,
    [verdaccio, '--config', join(place, 'config.yaml'), '--listen', `127.0.0.1:${port}`],
    { cwd: place, env: { ...process.env, ...(ca && { NODE_EXTRA_CA_CERTS: ca }) }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let printed = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
  }
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const close = async () => {
    server.kill('SIGKILL');
    await closed;
    rmSync(place, { recursive: true, force: true });
  };
  const env = { npm_config_userconfig: join(place, 'npmrc'), npm_config_update_notifier: 'false' };
  try {
    await until('the registry answers', async () => {
      if (server.exitCode !== null) throw new Error(`ended with ${server.exitCode}`);
      return (await fetch(new URL('-/ping', url))).ok || undefined;
    });
  } catch (error) {
    await close();
    throw new Error(`${String(error)}\n${printed}`);
  }
  return {
    url,
    env,
    close,
    async publish(out) {
      // A statement of provenance can only be signed where a hosted build runs.
      const args = [
        join(root, 'scripts', 'publish.mjs'),
        '--built',
        '--no-provenance',
        ...(out === undefined ? [] : ['--out', out]),
      ];
      const { status, stdout, stderr } = await run(process.execPath, args, env);
      if (status !== 0) throw new Error(`publish: ${stderr}`);
      return stdout;
    },
  };
}
