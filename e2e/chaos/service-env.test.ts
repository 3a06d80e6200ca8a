import { expect, test } from 'vitest';
import { withServiceEnv } from './service-env.ts';

const where = { network: 'local', service: 'composer' };

test('a service without variables gets a table at the end', () => {
  expect(withServiceEnv('[a]\nb = 1\n', where, { X: '1' })).toBe(
    '[a]\nb = 1\n\n[networks.local.services.composer.env]\nX = "1"\n',
  );
});

test('in a table that is there, names are replaced whatever their case, and the others stay', () => {
  const text = '[networks.local.services.composer.env]\nx = "0"\ny = "2"\n\n[next]\nx = "3"\n';
  expect(withServiceEnv(text, where, { X: '1' })).toBe(
    '[networks.local.services.composer.env]\nX = "1"\ny = "2"\n\n[next]\nx = "3"\n',
  );
});
