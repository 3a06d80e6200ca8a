import { expect, test } from 'vitest';
import { findOpener } from './open-page.ts';

const url = 'http://127.0.0.1:3000';

test('a page is opened by the program of the platform, where there is a display', () => {
  const linux = (env: NodeJS.ProcessEnv) => findOpener(url, 'linux', env)?.command;
  expect([linux({ DISPLAY: ':0' }), linux({ WAYLAND_DISPLAY: 'wayland-0' })]).toEqual(['xdg-open', 'xdg-open']);
  expect(findOpener(url, 'darwin', {})).toEqual({ command: 'open', args: [url] });
  expect([linux({}), linux({ DISPLAY: '' }), linux({ DISPLAY: ':0', SSH_CONNECTION: 'a b' })]).toEqual(Array(3));
  expect(findOpener(url, 'darwin', { CI: 'true' })).toBeUndefined();
});
