import { expect, test } from 'vitest';
import { openerOf } from './open-page.ts';

const url = 'http://127.0.0.1:3000';

test('a page is opened by the program of the platform, where there is a display', () => {
  const linux = (env: NodeJS.ProcessEnv) => openerOf(url, 'linux', env)?.command;
  expect([linux({ DISPLAY: ':0' }), linux({ WAYLAND_DISPLAY: 'wayland-0' })]).toEqual(['xdg-open', 'xdg-open']);
  expect(openerOf(url, 'darwin', {})).toEqual({ command: 'open', args: [url] });
  expect([linux({}), linux({ DISPLAY: '' }), linux({ DISPLAY: ':0', SSH_CONNECTION: 'a b' })]).toEqual(Array(3));
  expect(openerOf(url, 'darwin', { CI: 'true' })).toBeUndefined();
});
