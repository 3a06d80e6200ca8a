import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpApp, pageRoutes, serveHttp } from '@switchyard/service';
import { root } from './network.ts';
import type { Pictured } from './pictures.ts';

const PAGES = {
  network: 'local',
  pages: [
    { kind: 'start', title: 'Start', url: 'http://127.0.0.1:3000' },
    { kind: 'chat', title: 'Chat', url: 'http://127.0.0.1:3030' },
    { kind: 'faucet', title: 'Faucet', url: 'http://127.0.0.1:3031' },
  ],
} as const;

/** Builds the page of all components, and serves it as processes serve their pages. */
export async function serveComponents(): Promise<{ readonly page: Pictured; close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-components-'));
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const mode = ['--logLevel', 'warn', '--mode', 'testing/components'];
  const args = [vite, 'build', ...mode, '--outDir', directory, '--emptyOutDir'];
  execFileSync(process.execPath, args, { cwd: join(root, 'packages', 'web') });
  const app = httpApp();
  pageRoutes(app, directory, { pages: PAGES });
  const http = await serveHttp({ listen: { host: '127.0.0.1', port: 0 }, name: 'components', app });
  return {
    page: { name: 'components', url: http.url, shows: /block 1,234[\s\S]*(?:Menu|Faucet)[\s\S]*The same as JSON/ },
    async close() {
      await http.close();
      rmSync(directory, { recursive: true });
    },
  };
}
