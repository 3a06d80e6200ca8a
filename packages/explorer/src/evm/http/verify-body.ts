import { type BodyForm, schema } from '@switchyard/service/api';
import { type Input, parseInput } from '@switchyard/service/input';
import * as column from '../../contract/column.ts';
import { readStandardInput, type StandardInput } from '../verify/standard-input.ts';

export interface VerifyBody {
  readonly compiler: string;
  readonly contract: string | undefined;
  readonly constructorArguments: string | undefined;
  readonly input: StandardInput;
}

const MAX_DEPTH = 33;
const verifyMembers = schema.object(
  {
    compiler: schema.text('One of those offered; the commit may be left out'),
    contract: schema.optional(schema.text('Name of the contract, also as `path:Name`; any that fits, if absent')),
    constructorArguments: schema.optional(column.hex('Compared with those of the creation transaction, if present')),
    input: schema.json('Standard JSON input of solc for Solidity, with the text of each source'),
  },
  { name: 'EvmVerificationRequest' },
);

export const verifyBody = {
  'application/json': {
    schema: verifyMembers.json,
    read(bytes): VerifyBody {
      const body: Input = parseInput(new TextDecoder().decode(bytes), '', MAX_DEPTH);
      const { compiler, contract, constructorArguments } = verifyMembers.read(body);
      return { compiler, contract, constructorArguments, input: readStandardInput(body.at('input')) };
    },
  } satisfies BodyForm<VerifyBody>,
};
