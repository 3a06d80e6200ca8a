import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { ownComposer } from '@switchyard/protocol/gen';
import { expect, test } from 'vitest';
import { createReflection } from './reflection.ts';

const ask = createReflection([ownComposer.SubmissionService]);
type Question = Parameters<typeof ask>[0];

function filesFor(question: Question): string[] {
  const answer = ask(question);
  if (answer.case !== 'fileDescriptorResponse') throw new Error(`got ${answer.case}`);
  return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
}

const SUBMISSION = 'switchyard/composer/v1/submission.proto';
const TYPES = 'astria/primitive/v1/types.proto';

test.each([
  'switchyard.composer.v1.SubmissionService',
  'switchyard.composer.v1.SubmissionService.SubmitBatch',
  'switchyard.composer.v1.SubmitBatchRequest',
  'switchyard.composer.v1.SubmitBatchRequest.data',
  'switchyard.composer.v1.SubmitBatchResponse.Refusal',
  '.switchyard.composer.v1.GetSubmissionResponse.state',
])('finds the file of %s, with what it imports', (value) => {
  expect(filesFor({ case: 'fileContainingSymbol', value })).toEqual([SUBMISSION, TYPES]);
});

test('finds a file by its name', () => {
  expect(filesFor({ case: 'fileByFilename', value: TYPES })).toEqual([TYPES]);
});

test.each<Question>([
  { case: 'fileContainingSymbol', value: 'no.Such' },
  { case: 'fileContainingSymbol', value: 'constructor' },
  { case: 'fileByFilename', value: '../../etc/passwd' },
  { case: 'allExtensionNumbersOfType', value: 'no.Such' },
])('answers NOT_FOUND to $case $value', (question) => {
  expect(ask(question)).toMatchObject({ case: 'errorResponse', value: { errorCode: 5 } });
});

test('answers INVALID_ARGUMENT to no question', () => {
  expect(ask({ case: undefined })).toMatchObject({ value: { errorCode: 3 } });
});

test('a message without extensions has none', () => {
  const value = 'switchyard.composer.v1.SubmitBatchRequest';
  expect(ask({ case: 'allExtensionNumbersOfType', value })).toEqual({
    case: 'allExtensionNumbersResponse',
    value: { baseTypeName: value, extensionNumber: [] },
  });
});
