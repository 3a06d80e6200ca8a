import { Input } from '@switchyard/client/http-api';
import { expect, test } from 'vitest';
import { firstRows, toCsv } from './csv.ts';

// Defect: CSV of events had `event.value.` before the names of their fields
test('rows become lines with the names of their members, those of members too', () => {
  const rows = [
    {
      hash: 'aa',
      sequencer: { height: 5, time: null },
      kinds: ['transfer', 'ibc'],
      fees: [{ asset: 'x', amount: 1n }],
    },
    { hash: 'bb', size: 2, event: new Input({ kind: 'listed', item: { id: '7' } }, 'event') },
  ];
  expect(toCsv(rows)).toBe(
    '\ufeffhash,sequencer.height,sequencer.time,kinds,fees,size,event.kind,event.item.id\r\n' +
      'aa,5,,transfer ibc,"[{""asset"":""x"",""amount"":""1""}]",,,\r\n' +
      'bb,,,,,2,listed,7\r\n',
  );
  expect(toCsv([])).toBe('\ufeff\r\n');
});

// Defect: A cell became a formula where a spreadsheet divides cells at semicolons
test.each([
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['y;=1+1;z', "y;'=1+1;z"],
  ['two\n@lines', '"two\n\'@lines"'],
  ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ['1-1', '1-1'],
])('a cell is quoted, and no formula: %s', (text, cell) => {
  expect(toCsv([{ text }])).toBe(`\ufefftext\r\n${cell}\r\n`);
  expect(toCsv([{ [text]: 1 }])).toBe(`\ufeff${cell}\r\n1\r\n`);
});

test('a list is read page by page up to a bound', async () => {
  const pages = [
    { items: [1, 2], next: 'b' },
    { items: [3, 4], next: 'c' },
    { items: [5], next: null },
  ];
  const wanted: string[] = [];
  const load = async (cursor: string) => {
    wanted.push(cursor);
    return pages[['', 'b', 'c'].indexOf(cursor)] ?? expect.fail(cursor);
  };
  expect(await firstRows(load)).toEqual({ rows: [1, 2, 3, 4, 5], isCut: false });
  expect(await firstRows(load, 3)).toEqual({ rows: [1, 2, 3], isCut: true });
  expect(await firstRows(load, 5)).toEqual({ rows: [1, 2, 3, 4, 5], isCut: false });
  expect(wanted).toEqual(['', 'b', 'c', '', 'b', '', 'b', 'c']);
});
