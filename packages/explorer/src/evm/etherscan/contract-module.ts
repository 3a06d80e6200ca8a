import { checksummed } from '@switchyard/protocol/ethereum';
import { HttpError } from '@switchyard/service';
import type { Contracts } from '../open-contracts.ts';
import { getCreation } from '../verify/creation.ts';
import type { ContractRecord } from '../verify/records.ts';
import { getInput } from '../verify/records.ts';
import { parseStandardInput, type StandardInput, singleSource } from '../verify/standard-input.ts';
import type { VerificationState } from '../verify/verifier.ts';
import type { EtherscanModule, EtherscanRequest } from './dispatch.ts';
import { NotOk } from './not-ok.ts';
import type { Parameters } from './parameters.ts';

const NOT_VERIFIED = 'Contract source code not verified';
const MAX_ADDRESSES = 5;
const MAX_LIBRARIES = 10;

/** Verification, and facts about verified contracts. */
export function contractModule(contracts: Contracts): EtherscanModule {
  const { verified, verifier, store, signal } = contracts;

  const recordOf = async ({ rollup, parameters }: EtherscanRequest) =>
    (await verified.find(rollup, parameters.address())).record;

  return {
    async getabi(request) {
      const record = await recordOf(request);
      if (record === undefined) throw new NotOk(NOT_VERIFIED);
      return record.abi;
    },

    async getsourcecode({ rollup, parameters }) {
      const { record, proxy } = await verified.find(rollup, parameters.address());
      const target = { Proxy: proxy ? '1' : '0', Implementation: proxy?.implementation ?? '' };
      if (record === undefined) return [{ ...UNKNOWN, ...target }];
      return [{ ...sourceJson(record, await getInput(store, record)), ...target }];
    },

    async getcontractcreation({ rollup, parameters }) {
      const addresses = parameters.text('contractaddresses').split(',').slice(0, MAX_ADDRESSES);
      const found = await Promise.all(
        addresses.map(async (text) => {
          if (!/^0x[0-9a-f]{40}$/i.test(text)) throw new NotOk('Error! Invalid address format');
          const creation = await getCreation(rollup.node, text.toLowerCase(), signal);
          if (creation === undefined) return [];
          const code = creation.code === undefined ? '' : `0x${creation.code}`;
          const contractAddress = text.toLowerCase();
          const { transaction: txHash, creator: contractCreator } = creation;
          return [{ contractAddress, contractCreator, txHash, creationBytecode: code }];
        }),
      );
      if (found.flat().length === 0) throw new NotOk('No data found', [], 'No data found');
      return found.flat();
    },

    async verifysourcecode({ rollup, parameters, client }) {
      const address = parameters.address('contractaddress');
      const claimed = parameters.optional('constructorarguements') ?? parameters.optional('constructorarguments');
      const request = {
        ...{ rollup, address, input: inputIn(parameters), compiler: parameters.text('compilerversion') },
        contract: parameters.optional('contractname'),
        constructorArguments: claimed?.replace(/^0x/i, ''),
      };
      try {
        return await verifier.submit(request, client);
      } catch (error) {
        throw inTheirWords(error, address);
      }
    },

    async checkverifystatus({ rollup, parameters }) {
      const guid = parameters.text('guid');
      const state = verifier.state(guid) ?? (await remembered(contracts, rollup, guid));
      if (state === undefined) throw new NotOk('Unknown UID');
      if (state.state === 'verified') return 'Pass - Verified';
      if (state.state === 'queued') throw new NotOk('Pending in queue');
      // Clients compare the whole text, so the reason is where they only print it.
      throw new NotOk(state.reason, 'Fail - Unable to verify', state.reason);
    },

    async verifyproxycontract({ rollup, parameters }) {
      const address = parameters.address();
      const { proxy } = await verified.find(rollup, address);
      if (proxy === undefined)
        throw new NotOk('A corresponding implementation contract was unfortunately not detected');
      const expected = parameters.optional('expectedimplementation')?.toLowerCase();
      if (expected !== undefined && expected !== proxy.implementation)
        throw new NotOk(`implementation: expected ${expected}, got ${proxy.implementation}`);
      return address;
    },

    async checkproxyverification({ rollup, parameters }) {
      const guid = parameters.text('guid');
      const { proxy } = /^[0-9a-f]{40}$/.test(guid) ? await verified.find(rollup, guid) : { proxy: undefined };
      if (proxy === undefined)
        throw new NotOk('A corresponding implementation contract was unfortunately not detected');
      return `The proxy's (${checksummed(guid)}) implementation contract is found at ${proxy.implementation} and is successfully updated.`;
    },
  };
}

/** After a restart: the first part of the id is the address. */
async function remembered(
  { verified }: Contracts,
  rollup: EtherscanRequest['rollup'],
  guid: string,
): Promise<VerificationState | undefined> {
  const [, address] = /^([0-9a-f]{40})[0-9a-f]{24}$/.exec(guid) ?? [];
  const { record } = address === undefined ? { record: undefined } : await verified.find(rollup, address);
  return record && { state: 'verified', match: record.kind };
}

/** Gives an error the text by which clients recognize it. */
function inTheirWords(error: unknown, address: string): unknown {
  if (!(error instanceof HttpError)) return error;
  if (error.code === 'already-verified') return new NotOk('Contract source code already verified');
  if (error.code === 'no-contract') return new NotOk(`Unable to locate ContractCode at ${checksummed(address)}`);
  return error;
}

function inputIn(parameters: Parameters): StandardInput {
  const format = parameters.optional('codeformat') ?? 'solidity-single-file';
  const source = parameters.text('sourcecode');
  if (format === 'solidity-standard-json-input') return parseStandardInput(source);
  if (format !== 'solidity-single-file')
    throw new NotOk(`codeformat: expected solidity-standard-json-input or solidity-single-file, got ${format}`);
  const isOptimized = parameters.optional('optimizationused') === '1';
  const evmVersion = parameters.optional('evmversion');
  const libraries = Array.from({ length: MAX_LIBRARIES }, (_, index) => [
    parameters.optional(`libraryname${index + 1}`),
    parameters.optional(`libraryaddress${index + 1}`),
  ]).flatMap(([name, address]) => (name === undefined || address === undefined ? [] : [[name, address] as const]));
  return singleSource({
    content: source,
    optimizerRuns: isOptimized ? parameters.integer('runs', { max: 4_294_967_295, fallback: 200 }) : undefined,
    evmVersion: evmVersion?.toLowerCase() === 'default' ? undefined : evmVersion,
    libraries: Object.fromEntries(libraries),
  });
}

const UNKNOWN = {
  ...{ SourceCode: '', ABI: NOT_VERIFIED, ContractName: '', CompilerVersion: '', CompilerType: '' },
  ...{ OptimizationUsed: '', Runs: '', ConstructorArguments: '', EVMVersion: 'Default', Library: '' },
  ...{ ContractFileName: '', LicenseType: 'Unknown', SwarmSource: '', SimilarMatch: '' },
};

function sourceJson(record: ContractRecord, inputText: string) {
  const input = JSON.parse(inputText) as StandardInput;
  const optimizer = Object(input.settings.optimizer) as { readonly enabled?: unknown; readonly runs?: unknown };
  const { evmVersion } = input.settings;
  return {
    ...UNKNOWN,
    // Two braces tell standard JSON from one source.
    SourceCode: `{${inputText}}`,
    ABI: record.abi,
    ContractName: record.name,
    CompilerVersion: `v${record.compiler}`,
    CompilerType: 'solc',
    OptimizationUsed: optimizer.enabled === true ? '1' : '0',
    Runs: String(typeof optimizer.runs === 'number' ? optimizer.runs : 200),
    ConstructorArguments: record.constructorArguments ?? '',
    EVMVersion: typeof evmVersion === 'string' ? evmVersion : 'Default',
    Library: Object.entries(record.libraries)
      .map(([name, address]) => `${name}:${address}`)
      .join(';'),
    ContractFileName: record.path,
  };
}
