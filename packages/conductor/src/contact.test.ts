import { memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { Contact } from './contact.ts';

test('logs once that a peer is away, and once that it answers again', () => {
  const { log, lines } = memoryLogger();
  const contact = new Contact('rollup', 'http://x', log);
  expect(contact.trouble).toBe('the rollup at http://x has not answered yet');
  contact.answered();
  expect(contact.trouble).toBeUndefined();
  for (let attempt = 0; attempt < 5; attempt++) contact.lost(new Error('connection refused'));
  expect(contact.trouble).toBe('the rollup at http://x is away: connection refused');
  contact.answered();
  contact.answered();
  const loud = lines.filter(({ level }) => level !== 'debug' && level !== 20);
  expect(loud.map(({ msg }) => msg)).toEqual(['waiting for the rollup', 'connected to the rollup']);
});
