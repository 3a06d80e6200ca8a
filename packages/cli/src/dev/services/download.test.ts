import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, Header } from 'tar';
import { afterEach, expect, test } from 'vitest';
import { fetchProgram } from './download.ts';
import type { Download } from './program.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serving(answer: Buffer | RequestListener): Promise<string> {
  const server = createServer(typeof answer === 'function' ? answer : (_, response) => response.end(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/tool.tar.gz`;
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** A download of these bytes, not yet there. */
async function getDownload(answer: Buffer | RequestListener, more: Partial<Download> = {}) {
  const bin = join(mkdtempSync(join(tmpdir(), 'switchyard-download-')), 'bin');
  const download: Download = {
    url: await serving(answer),
    sha256: typeof answer === 'function' ? 'b'.repeat(64) : sha(answer),
    directory: join(bin, 'tool-v1'),
    inside: '',
    names: ['tool'],
    command: '',
    where: 'services.tool',
    ...more,
  };
  const notices: string[] = [];
  const fetched = (options = {}) => fetchProgram(download, { say: (line) => notices.push(line), ...options });
  return { download, bin, notices, fetched };
}

/** A `tar.gz` of these files; those under `bin/` are programs. */
async function archive(files: Readonly<Record<string, string>>, gzip = true): Promise<Buffer> {
  const cwd = mkdtempSync(join(tmpdir(), 'switchyard-archive-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(cwd, name));
    else writeFileSync(join(cwd, name), text, { mode: name.includes('bin/') ? 0o755 : 0o644 });
  }
  const file = join(cwd, '.archive');
  await create({ gzip, file, cwd, portable: true }, Object.keys(files));
  return readFileSync(file);
}

/** An archive of one entry, with a name that no tool would write. */
function hostile(path: string, size = 0): Buffer {
  const block = Buffer.alloc(512);
  new Header({ path, size, type: 'File', mode: 0o644, mtime: new Date(0) }).encode(block);
  return Buffer.concat([block, Buffer.alloc(Math.ceil(size / 512) * 512), Buffer.alloc(1024)]);
}

test.each([true, false])(
  'unpacks an archive (gzip: %s), finds the program in it, and fetches it once',
  async (gzip) => {
    const bytes = await archive({ 'a/README': 'text', 'a/bin/tool': '#!/bin/sh\necho hi\n' }, gzip);
    let wanted = 0;
    const { download, bin, notices, fetched } = await getDownload(
      (_, response) => {
        wanted += 1;
        response.setHeader('content-length', bytes.length);
        response.end(bytes);
      },
      { sha256: sha(bytes) },
    );
    const program = await fetched();
    expect(program).toBe(join(download.directory, 'a/bin/tool'));
    expect(await fetched()).toBe(program);
    expect([wanted, readdirSync(bin)]).toEqual([1, ['tool-v1']]);
    expect(notices).toEqual([
      `downloading tool.tar.gz of 0.0 MB from ${new URL(download.url).host}`,
      'downloaded tool.tar.gz, 0.0 MB, and its sha256 is right',
    ]);
  },
);

test('a file that is no archive is the program itself', async () => {
  const { download, fetched } = await getDownload(Buffer.from('#!/bin/sh\n'));
  const program = await fetched();
  expect([program, statSync(program).mode & 0o777]).toEqual([join(download.directory, 'tool'), 0o755]);
});

test('a file without a stated hash is taken, and its hash is shown', async () => {
  const { download, notices, fetched } = await getDownload(Buffer.from('#!/bin/sh\n'), { sha256: '' });
  expect(await fetched()).toBe(join(download.directory, 'tool'));
  expect(notices.at(-1)).toBe(
    `downloaded tool.tar.gz, 0.0 MB, unchecked: services.tool has no sha256; this file has ${sha(Buffer.from('#!/bin/sh\n'))}`,
  );
});

test('of several programs the one of the given path counts, or of the service’s name', async () => {
  const files = { 'bin/tool': 'x', 'bin/other': 'y' };
  const named = await getDownload(await archive(files));
  expect(await named.fetched()).toBe(join(named.download.directory, 'bin/tool'));
  const given = await getDownload(await archive(files), { inside: 'bin/other' });
  expect(await given.fetched()).toBe(join(given.download.directory, 'bin/other'));
  const neither = await getDownload(await archive(files), { names: ['x'] });
  await expect(neither.fetched()).rejects.toThrow(
    'has 2 programs (bin/other, bin/tool): give the path of the right one',
  );
  const absent = await getDownload(await archive(files), { inside: 'sbin/tool' });
  await expect(absent.fetched()).rejects.toThrow(/no file sbin\/tool in .*; it has bin\/other, bin\/tool/);
  expect([neither, absent].map(({ bin }) => readdirSync(bin))).toEqual([[], []]);
});

test('another file than the expected is thrown away before it is unpacked', async () => {
  const { bin, fetched } = await getDownload(Buffer.from('evil'), { sha256: 'c'.repeat(64) });
  await expect(fetched()).rejects.toThrow(
    new RegExp(
      `^services\\.tool\\.sha256: expected c{64}, but http.* gave 0\\.0 MB with ${sha(Buffer.from('evil'))}; it was thrown away$`,
    ),
  );
  expect(readdirSync(bin)).toEqual([]);
});

test.each([
  ['../evil', 'leads out of its directory: ../evil'],
  ['/etc/evil', 'leads out of its directory: /etc/evil'],
  ['a/../../evil', 'leads out of its directory: a/../../evil'],
])('an entry %s is refused, and nothing is written', async (path, message) => {
  const { bin, fetched } = await getDownload(hostile(path));
  await expect(fetched()).rejects.toThrow(message);
  expect([readdirSync(bin), existsSync(join(bin, '..', 'evil'))]).toEqual([[], false]);
});

test('a link out of the directory is refused, one inside is kept', async () => {
  const out = await getDownload(await archive({ 'bin/tool': 'x', 'a/link': '-> ../../../etc' }));
  await expect(out.fetched()).rejects.toThrow('has a link that leads out of its directory: a/link -> ../../../etc');
  const inside = await getDownload(await archive({ 'bin/tool': 'x', 'a/link': '-> ../bin' }));
  expect(await inside.fetched()).toBe(join(inside.download.directory, 'bin/tool'));
});

test('neither the file nor what is in it may be too large', async () => {
  const big = await getDownload(Buffer.alloc(2_000));
  await expect(big.fetched({ maxBytes: 1_000 })).rejects.toThrow('is 0.0 MB, the most is 0.0 MB');
  const endless = await getDownload((_, response) => {
    const timer = setInterval(() => response.write(Buffer.alloc(10_000)), 1);
    response.on('close', () => clearInterval(timer));
  });
  await expect(endless.fetched({ maxBytes: 100_000 })).rejects.toThrow('is more than 0.1 MB');
  const packed = await getDownload(await archive({ 'bin/tool': 'x'.repeat(100_000) }));
  await expect(packed.fetched({ maxBytes: 10_000 })).rejects.toThrow('would unpack to more than is allowed');
});

test.each([
  [
    'a status that is none',
    (_: unknown, response: { writeHead(code: number): { end(): void } }) => response.writeHead(404).end(),
    'the server answers 404 Not Found',
  ],
  [
    'a connection that breaks',
    (request: { destroy(): void }) => request.destroy(),
    'Without a network, fetch it by other means and name the program in local_path',
  ],
])('%s is reported, and nothing is left', async (_, answer, message) => {
  const { bin, fetched } = await getDownload(answer);
  await expect(fetched()).rejects.toThrow(message);
  expect(readdirSync(bin)).toEqual([]);
});

test('a server that falls silent is given up, and Ctrl+C ends it at once', async () => {
  const silent = await getDownload((_, response) => response.write('x'));
  await expect(silent.fetched({ idleMs: 100 })).rejects.toThrow('nothing came for 0.1 s');
  const wanted = new AbortController();
  const ended = await getDownload((_, response) => {
    response.write('x');
    wanted.abort(new Error('SIGINT'));
  });
  await expect(ended.fetched({ signal: wanted.signal })).rejects.toThrow('SIGINT');
});

test('a broken archive and a zip file are reported as such', async () => {
  const broken = await getDownload(Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from('garbage')]));
  await expect(broken.fetched()).rejects.toThrow('cannot be unpacked: ');
  const zip = await getDownload(Buffer.from('PK\u0003\u0004 and more'));
  await expect(zip.fetched()).rejects.toThrow('is a zip file: expected tar.gz, tar, or the program itself');
});
