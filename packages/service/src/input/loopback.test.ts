import { expect, test } from 'vitest';
import { isLoopbackHost } from './loopback.ts';

test.each(['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '[::ffff:7f00:1]'])('%s is this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

test.each(['127.example.com', 'a.localhost', '0.0.0.0', '10.0.0.1', '[::2]', 'localhost.example.com', ''])(
  '%s may be another one',
  (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  },
);
