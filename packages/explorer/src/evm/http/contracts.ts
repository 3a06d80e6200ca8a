import { checksummed } from '@switchyard/protocol/ethereum';
import { ETHER } from '@switchyard/protocol/values';
import { toJson } from '@switchyard/service';
import { type AnyRoute, Rendered, route, serve } from '@switchyard/service/api';
import { evm } from '../../contract/evm.ts';
import { contractItem, verificationJob } from '../../contract/evm-contracts.ts';
import * as parameter from '../../contract/parameters.ts';
import { answer } from '../../http/answer.ts';
import { time } from '../../http/cells.ts';
import { listRoute } from '../../http/list-route.ts';
import { notFound } from '../../http/problems.ts';
import { view } from '../../http/view.ts';
import type { Abi } from '../decode/abi.ts';
import { decodeValues } from '../decode/values.ts';
import { compilerVersionText } from '../verify/compiler-version.ts';
import { type ContractRecord, getInput } from '../verify/records.ts';
import type { StandardInput } from '../verify/standard-input.ts';
import { type EvmContext, evmRollup } from './context.ts';
import { verifyBody } from './verify-body.ts';

const ITEMS = view(contractItem, 'contracts c', { match: 'c.kind', verifiedAt: 'c.time' });

/** Verified contracts, and the verification of others. */
export function evmContractRoutes(context: EvmContext): readonly AnyRoute[] {
  const { verified, verifier, compilers, store } = context.contracts;

  const list = listRoute({ store }, evm.listEvmContracts, {
    view: ITEMS,
    by: { 'c.time': 'number', 'c.address': 'address' },
    where: ({ rollup }) => ['c.rollup = ?', evmRollup(context, rollup).id],
  });

  const one = serve(evm.getEvmContract, async ({ path }) => {
    const { record, proxy } = await verified.find(evmRollup(context, path.rollup), path.address);
    const head = {
      address: checksummed(path.address),
      proxy: proxy === undefined ? null : { ...proxy, implementation: checksummed(proxy.implementation.slice(2)) },
    };
    if (record === undefined) return { status: 200, body: { ...head, verification: null } };
    const verification = verificationJson(record, verified.getAbi(record), await getInput(store, record));
    return { status: 200, body: new Rendered(`${toJson(head).slice(0, -1)},"verification":${verification}}`) };
  });

  const verify = route({
    method: 'post',
    url: '/v1/rollups/{rollup}/evm/contracts/{address}/verify',
    id: 'verifyEvmContract',
    tag: 'EVM',
    summary: 'Verify the sources of a contract',
    description: 'The sources are compiled and compared with the code on the chain. The answer names a job.',
    path: { rollup: parameter.rollup, address: parameter.evmAddress },
    body: verifyBody,
    answers: { 202: verificationJob },
    errors: {
      404: 'No such EVM rollup, or no code at the address',
      409: 'It is verified already',
      422: 'The compiler is not installed',
      503: 'The node of the rollup does not answer',
    },
    async handle({ path, body, client }) {
      const rollup = evmRollup(context, path.rollup);
      const claimed = body.constructorArguments?.replace(/^0x/i, '');
      const request = { ...body, rollup, address: path.address, constructorArguments: claimed };
      return { status: 202, body: { job: await verifier.submit(request, client) } };
    },
  });

  const job = answer(evm.getEvmVerification, ({ path }) => {
    const state = verifier.state(path.job);
    if (state === undefined) throw notFound('no such verification is remembered; ask for the contract');
    const match = state.state === 'verified' ? state.match : null;
    return { state: state.state, match, reason: state.state === 'failed' ? state.reason : null };
  });

  const offered = answer(evm.listEvmCompilers, () => ({ items: compilers.list().map(compilerVersionText) }));

  const network = answer(evm.getEvmNetwork, ({ path }) => {
    const { name, chainId, walletUrl } = evmRollup(context, path.rollup);
    return { chainId, name, url: walletUrl, currency: ETHER };
  });
  // The job's path would else be that of a contract.
  return [list, job, one, verify, offered, network];
}

/** @param inputText JSON, which is passed on as stored, as is that of the ABI. */
function verificationJson(record: ContractRecord, { constructorInputs }: Abi, inputText: string): string {
  const input = JSON.parse(inputText) as StandardInput;
  const encoded = record.constructorArguments;
  const { evmVersion } = input.settings;
  const sources = Object.entries(input.sources).map(([path, { content }]) => [path, content] as const);
  const shown = {
    match: record.kind,
    path: record.path,
    name: record.name,
    compiler: record.compiler,
    settings: input.settings,
    evmVersion: typeof evmVersion === 'string' ? evmVersion : null,
    constructorArguments: encoded === undefined ? null : `0x${encoded}`,
    constructorValues: encoded === undefined ? null : (decodeValues(constructorInputs, `0x${encoded}`) ?? null),
    libraries: record.libraries,
    sources: Object.fromEntries(sources),
    verifiedAt: time(record.time),
  };
  return `${toJson(shown).slice(0, -1)},"abi":${record.abi},"standardInput":${inputText}}`;
}
