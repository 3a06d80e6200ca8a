import { join } from 'node:path';

const FORMS = join(import.meta.dirname, 'node');

/** Modules of Node and libraries over them, each with its form for a page in `node`. */
const FORM_OF: Readonly<Record<string, string>> = {
  ...{ 'node:fs': 'fs', 'node:fs/promises': 'fs', 'node:path': 'path', 'node:crypto': 'crypto', 'node:zlib': 'zlib' },
  ...{ 'node:http': 'servers', 'node:http2': 'servers', 'node:net': 'servers', ws: 'servers', pino: 'log' },
};

/** Programs, libraries and parts that no network of a page uses. */
const LEFT_OUT = new RegExp(
  [
    '^node:|^(lmdb|prom-client|@connectrpc/connect-node|@hono/node-server)$',
    '^@switchyard/(messenger|evm|da|relayer|withdrawer|faucet|explorer)(/process|/client)?$',
    '(comet/engine|evm/followers|comet/snapshots|/reflection|firm/reader|admin/routes|processes/(evm|da|relayer|withdrawer|faucet|explorer))\\.[jt]s$',
  ].join('|'),
);

/** Lets a network of this process be bundled for a page. */
export const pageModules = {
  name: 'page-modules',
  enforce: 'pre' as const,
  resolveId(id: string, importer = ''): string | undefined {
    // Its node executes blocks, and edited definitions are checked: it has both as a process has them.
    const [, defined = ''] = /^#(rows|definitions)$/.exec(id) ?? [];
    if (defined !== '') return importer.replace(/(packages.rollup.\w+).*(\.[jt]s)$/, `$1/define/${defined}.node$2`);
    // Services are collected from their registrations, and served by no protocol.
    const isRouter = id === './router.js' && importer.includes('@connectrpc/connect/');
    const form = FORM_OF[id] ?? (isRouter || LEFT_OUT.test(id) ? 'absent' : undefined);
    return form === undefined ? undefined : join(FORMS, `${form}.ts`);
  },
  /** Addresses of threads and files alongside a module are no assets. */
  transform(code: string, id: string): string | undefined {
    const isOurs = /packages.\w+.(dist|src)/.test(id) && code.includes('new URL(');
    return isOurs ? code.replaceAll('new URL(', 'new globalThis.URL(') : undefined;
  },
};
