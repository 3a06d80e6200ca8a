import { expect, test } from 'vitest';
import { parseS3Url, pathOrS3Url, s3UrlText } from './s3-url.ts';

test.each([
  ['s3://my-bucket', { bucket: 'my-bucket', prefix: '' }],
  ['s3://my-bucket/', { bucket: 'my-bucket', prefix: '' }],
  ['s3://my.bucket.1/a/b_c.d/', { bucket: 'my.bucket.1', prefix: 'a/b_c.d' }],
])('%s is a place', (text, expected) => {
  expect(parseS3Url(text)).toEqual(expected);
  expect(parseS3Url(s3UrlText(expected))).toEqual(expected);
});

test.each([
  ...[
    's3://',
    's3:///a',
    's3://ab',
    's3://My-Bucket/a',
    's3://key:secret@bucket/a',
    's3://bucket//a',
    's3://bucket/../a',
  ],
  ...['s3://bucket/a/./b', 's3://bucket/a?b', 's3://bucket/a b', `s3://bucket/${'a'.repeat(513)}`, 'https://bucket/a'],
])('%s is none', (text) => {
  expect(parseS3Url(text)).toBeUndefined();
});

test('a setting takes a path or a place in S3', () => {
  expect(pathOrS3Url.fromText('$DATA/archive', { DATA: '/var/data' })).toBe('/var/data/archive');
  expect(pathOrS3Url.fromText('s3://bucket/archive/', {})).toBe('s3://bucket/archive');
  expect(pathOrS3Url.fromText('s3://Bucket/a', {})).toBeUndefined();
});
