import { Input } from '@switchyard/client/http-api';
import { expect, test } from 'vitest';
import { readNetwork } from './api.ts';
import { getRollup, isUnderWay, stages, stations, wayUrl } from './flow.ts';

const networkFromJson = (value: unknown) => readNetwork(new Input(value, 'network'));

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const LAST = { hash: '0x1', submission: 'aa', rollup: 'r', state: 'queued', queuedAt: AT };
const SEQUENCED = { sequenced: { at: AT + 400, height: 9 } };
const EXECUTED = { ...SEQUENCED, executed: { at: AT + 1_500, block: 8 } };
const network = (last: object | null = LAST, more: object = {}) =>
  networkFromJson({
    sequencer: { height: 1_209 },
    rollup: {},
    layer: { postedHeight: 1_207, height: 31, lag: 2 },
    flow: {
      queued: 3,
      rollups: [
        { id: 'r', name: 'messenger', height: 1_208, firm: 1_207, lag: 0 },
        { id: 'e', name: 'evm', lag: 4 },
      ],
      last,
    },
    ...more,
  });
const getStages = (last: object) => {
  const read = network({ ...LAST, ...last }).flow?.last;
  return read === undefined ? [] : stages(read).map(({ name, state, note }) => [name, state, note]);
};
const getPlace = (last: object | null, more: object = {}) =>
  stations(network(last && { ...LAST, ...last }, more)).flatMap(({ kind, hasLast }) => (hasLast ? [kind] : []));

test('each station has its heights, in the order of a transaction', () => {
  expect(stations(network()).map(({ kind, facts }) => [kind, ...facts.map(({ text }) => text)])).toEqual([
    ['composer', '3 waiting'],
    ['sequencer', 'block 1,209'],
    ['conductor', '4 behind'],
    ['rollups', 'messenger: block 1,208, firm 1,207', 'evm: does not answer'],
    ['layer', 'posted to block 1,207, 2 behind', 'layer height 31'],
  ]);
});

test('heights lead to their places in the explorer, if there is one', () => {
  const links = [{ kind: 'explorer', service: 'explorer', url: 'http://127.0.0.1:3033/' }];
  const urls = (more: object) =>
    stations(network(LAST, more)).flatMap(({ facts }) => facts.flatMap(({ url = [] }) => url));
  expect(urls({ links })).toEqual([
    'http://127.0.0.1:3033/#/',
    'http://127.0.0.1:3033/#/rollups/messenger',
    'http://127.0.0.1:3033/#/rollups/evm',
  ]);
  expect(urls({})).toEqual([]);
});

// Defect: A single rollup was to "execute them"
test('one rollup executes, several execute', () => {
  const rollup = { id: 'r', name: 'messenger', height: 1 };
  const jobs = (...rollups: object[]) =>
    stations(network(null, { flow: { rollups } })).flatMap(({ title, job }) =>
      /^Rollup/.test(title) ? [title, job] : [],
    );
  expect([jobs(rollup), jobs(rollup, rollup)]).toEqual([
    ['Rollup', 'executes them'],
    ['Rollups', 'execute them'],
  ]);
});

test('a network without a layer has no place for it, and what does not answer has no facts', () => {
  const facts = stations(networkFromJson({ sequencer: {}, rollup: {}, flow: { rollups: [] } })).map(
    ({ kind, facts }) => [kind, facts],
  );
  expect(facts).toEqual(['composer', 'sequencer', 'conductor', 'rollups'].map((kind) => [kind, []]));
});

test('the newest transaction is at one station', () => {
  expect(getPlace(null)).toEqual([]);
  expect(getPlace({ state: 'bundled' })).toEqual(['composer']);
  expect(getPlace({ state: 'sequenced', ...SEQUENCED })).toEqual(['sequencer']);
  expect(getPlace({ state: 'executed', ...EXECUTED })).toEqual(['rollups']);
  expect(getPlace({ state: 'firm', ...EXECUTED })).toEqual(['layer']);
  expect(getPlace({ state: 'firm', ...EXECUTED }, { layer: undefined })).toEqual(['rollups']);
  expect(getPlace({ state: 'refused', why: 'no' })).toEqual(['sequencer']);
});

test('its stages have the time that they took, and where it is', () => {
  const submitted = ['submitted', 'reached', new Date(AT).toLocaleTimeString()];
  expect(getStages({})).toEqual([
    submitted,
    ['sequenced', 'under way', 'under way'],
    ['executed', 'ahead', ''],
    ['firm', 'ahead', ''],
  ]);
  expect(getStages({ state: 'firm', ...EXECUTED, posted: { at: AT + 3_000, layerHeight: 31 } })).toEqual([
    submitted,
    ['sequenced', 'reached', 'after 400 ms, block 9'],
    ['executed', 'reached', 'after 1.5 s, block 8'],
    ['firm', 'reached', 'after 3 s, layer height 31'],
  ]);
  // Without a time if the execution was not observed.
  expect(getStages({ state: 'executed', ...SEQUENCED, executed: {} })[2]).toEqual(['executed', 'reached', '']);
});

test('one that failed stops there, with the reason', () => {
  expect(getStages({ state: 'refused', why: 'no funds' }).slice(1)).toEqual([
    ['sequenced', 'failed', 'refused: no funds'],
    ['executed', 'ahead', ''],
    ['firm', 'ahead', ''],
  ]);
  expect(getStages({ state: 'reverted', ...EXECUTED })[2]).toEqual(['executed', 'failed', 'reverted']);
});

test('the page asks sooner only while a transaction is on its way, and not for long', () => {
  const last = (state: string) => network({ ...LAST, state }).flow?.last;
  expect(
    ['queued', 'bundled', 'sequenced', 'executed', 'firm', 'refused'].map((state) => isUnderWay(last(state), AT)),
  ).toEqual([...[true, true, true, false, false, false]]);
  expect([isUnderWay(last('queued'), AT + 60_000), isUnderWay(undefined, AT)]).toEqual([false, false]);
});

test('it has the name of its rollup and a link to its way in the explorer', () => {
  const { flow } = network();
  const last = flow?.last;
  if (last === undefined) throw new Error('no transaction was read');
  expect(getRollup(last, network())).toBe('messenger');
  expect(getRollup({ ...last, rollup: 'x' }, network())).toBe('');
  expect(wayUrl(last, 'http://127.0.0.1')).toBe('http://127.0.0.1/#/rollups/r/transactions/aa');
  expect(wayUrl(last, undefined)).toBeUndefined();
});
