import { describe, expect, test } from 'vitest';
import { ACTIONS } from './actions.ts';
import { candidates, completed, parseCommand } from './command-line.ts';
import { createUi, FOUR, service } from './testing.ts';

const { model } = createUi({ services: [...FOUR, service('composer-2')] });

test.each([
  ['restart composer', { ok: true, action: 'restart', argument: 'composer' }],
  ['  rest   rollup ', { ok: true, action: 'restart', argument: 'rollup' }],
  ['stop', { ok: true, action: 'stop' }],
  ['rollup', { ok: true, action: 'go', argument: 'rollup' }],
  ['cond', { ok: true, action: 'go', argument: 'conductor' }],
  ['filter  warn|error ', { ok: true, action: 'filter', argument: 'warn|error' }],
  ['search a b', { ok: true, action: 'search', argument: 'a b' }],
  ['q', { ok: true, action: 'quit' }],
  ['go', { ok: false, reason: 'go: expected a service' }],
  ['restart com', { ok: false, reason: 'com: which service: composer, composer-2?' }],
  ['restart nowhere', { ok: false, reason: 'nowhere: no such service' }],
  ['co', { ok: false, reason: 'co: which action or service: copy-line, copy, composer, conductor, composer-2?' }],
  ['restrat', { ok: false, reason: 'restrat: no such action or service; did you mean "restart"?' }],
  ['quit now', { ok: false, reason: 'quit: takes no argument, got now' }],
] as const)('%j', (line, command) => expect(parseCommand(model, line)).toEqual(command));

test('every action but the line itself has its word there', () => {
  for (const { name } of ACTIONS) {
    if (name === 'command') continue;
    const command = parseCommand(model, name === 'go' ? 'go rollup' : name);
    expect(command).toMatchObject({ ok: true, action: name });
  }
});

test('completion offers what may stand there, and types as much as is certain', () => {
  expect(candidates(model, 're')).toEqual(['restart']);
  expect(candidates(model, 'restart ')).toEqual(['sequencer', 'composer', 'rollup', 'conductor', 'composer-2']);
  expect(candidates(model, 'filter wa')).toEqual([]);
  expect(candidates(model, 'wrap ')).toEqual([]);
  expect(['re', 'restart com', 'restart comp', 'wr', 'zz', 'restart s'].map((line) => completed(model, line))).toEqual([
    'restart ',
    'restart composer',
    'restart composer',
    'wrap',
    'zz',
    'restart sequencer',
  ]);
});

describe('typed', () => {
  test(': takes a command with Tab and Enter, from any view', () => {
    const ui = createUi().press('t', ':', 're', 'tab', 'comp', 'tab', 'enter');
    expect(ui.effects).toEqual([{ kind: 'restart', service: 'composer' }]);
    expect(ui.press(':', 'transactions', 'enter').model.screen).toBe('main');
    expect(ui.press(':', 'open rollup', 'enter').model).toMatchObject({ screen: 'full', selected: 2 });
    expect(ui.press(':', 'conductor', 'enter').model).toMatchObject({ screen: 'main', selected: 3 });
    ui.lines('conductor', 30).press(':', 'filter 9$', 'enter');
    expect(ui.model.views.conductor?.filter?.text).toBe('9$');
    expect(ui.press(':', 'quit', 'enter').effects.at(-1)).toEqual({ kind: 'quit', why: ':quit' });
  });

  test('a line that cannot be used is explained, and can be corrected', () => {
    const ui = createUi().press(':', 'restart nowhere', 'enter');
    expect(ui.text()).toContain('nowhere: no such service');
    expect(ui.effects).toEqual([]);
    expect(ui.press('escape').model.prompt).toBeUndefined();
    expect(ui.press(':', 'enter').model.prompt).toBeUndefined();
  });

  test('the candidates stand below what is typed', () => {
    expect(createUi().press(':', 'restart ').rows().at(-1)).toBe('Tab  sequencer  composer  rollup  conductor');
    expect(createUi().press(':').text()).toContain('Tab completes');
  });

  test('a service is named where none is seen to be selected', () => {
    const ui = createUi().press('l', ':', 'stop', 'enter');
    expect(ui.effects).toEqual([]);
    expect(ui.text()).toContain('stop: expected a service, such as :stop sequencer');
    expect(ui.press('q', ':', 'stop', 'enter').effects).toEqual([{ kind: 'stop', service: 'sequencer' }]);
  });

  test('its length is bounded', () => {
    const ui = createUi().press(':', 'x'.repeat(3_000));
    expect(ui.model.prompt?.text).toHaveLength(1_000);
  });
});
