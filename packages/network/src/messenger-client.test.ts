import { messenger } from '@switchyard/messenger';
import { expect, test } from 'vitest';
import { messengerClient } from './messenger-client.ts';

/** The API of a node that takes everything, and has executed it in block 2. */
function node() {
  const wanted: URL[] = [];
  const fetch = async (url: string) => {
    const { pathname } = new URL(url);
    const [, , kind, hash = '00'.repeat(32)] = pathname.split('/');
    if (kind === 'definition') return Response.json({ chainId: 'chat-1', fingerprint: messenger.fingerprint });
    if (kind === 'nonces') return Response.json({ nonce: 0, block: 1, chainId: 'chat-1' });
    wanted.push(new URL(url));
    return Response.json({ hash, state: 'executed', block: 2 });
  };
  const client = messengerClient({ url: 'http://node', fetch, failed: () => new AbortController().signal });
  return { client, lastAsked: () => wanted.at(-1)?.searchParams.get('lastBlock') };
}

// Defect: The client of a messenger in a local network kept an entry for each submission for ever
test('remembers the last blocks of a bounded number of submissions', async () => {
  const { client, lastAsked } = node();
  const { hash: first } = await client.submitText('0');
  await client.waitFor(first);
  expect(lastAsked()).toBe('65');
  const hashes: string[] = [];
  for (let count = 1; count <= 1_024; count += 1) hashes.push((await client.submitText(`${count}`)).hash);
  await client.waitFor(first);
  expect(lastAsked()).toBe(null);
  await client.waitFor(hashes[0] ?? '');
  expect(lastAsked()).toBe('65');
});
