import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { notFound } from '../../http/problems.ts';
import { checksummed } from '../address.ts';
import { parseAbi } from '../decode/abi.ts';
import { decodeValues } from '../decode/values.ts';
import { compilerVersionText } from '../verify/compiler-version.ts';
import { type ContractRecord, inputOf } from '../verify/records.ts';
import type { StandardInput } from '../verify/standard-input.ts';
import { type EvmContext, evmRollup } from './context.ts';
import {
  compilersSchema,
  contractItemSchema,
  contractSchema,
  jobSchema,
  jobStateSchema,
  networkSchema,
  verifyBody,
} from './contract-schemas.ts';
import { listRoute } from './list-route.ts';
import { addressParameter, rollupParameter, TAG } from './schemas.ts';
import { number, text, time } from './shown.ts';

const ITEM_COLUMNS = 'address, name, kind, compiler, time';

/** Verified contracts, and the verification of others. */
export function evmContractRoutes(context: EvmContext): readonly AnyRoute[] {
  const { verified, verifier, compilers, store } = context.contracts;

  const list = listRoute(context, {
    store,
    url: '/contracts',
    id: 'listEvmContracts',
    summary: 'Verified contracts, newest first',
    name: 'EvmContractPage',
    item: contractItemSchema,
    by: { time: 'number', address: 'address' },
    sql: ({ id }, page) => ({
      sql: `SELECT ${ITEM_COLUMNS} FROM contracts WHERE rollup = ? AND ${page.sql} ${page.order}`,
      params: [id, ...page.params],
    }),
    show: (rows) =>
      rows.map((row) => ({
        address: checksummed(text(row.address)),
        name: text(row.name),
        match: row.kind === 'full' ? ('full' as const) : ('partial' as const),
        compiler: text(row.compiler),
        verifiedAt: time(number(row.time)),
      })),
  });

  const one = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/contracts/{address}',
    id: 'getEvmContract',
    tag: TAG,
    summary: 'Sources, ABI and proxy of a contract',
    path: { rollup: rollupParameter, address: addressParameter },
    answers: { 200: contractSchema },
    errors: { 404: 'No such EVM rollup is followed', 503: 'The node of the rollup does not answer' },
    async handle({ path }) {
      const { record, proxy } = await verified.find(evmRollup(context, path.rollup), path.address);
      const body = {
        address: checksummed(path.address),
        proxy: proxy === undefined ? null : { ...proxy, implementation: checksummed(proxy.implementation.slice(2)) },
        verification: record === undefined ? null : verificationJson(record, await inputOf(store, record)),
      };
      return { status: 200, body };
    },
  });

  const verify = route({
    method: 'post',
    url: '/v1/rollups/{rollup}/evm/contracts/{address}/verify',
    id: 'verifyEvmContract',
    tag: TAG,
    summary: 'Verify the sources of a contract',
    description: 'The sources are compiled and compared with the code on the chain. The answer names a job.',
    path: { rollup: rollupParameter, address: addressParameter },
    body: verifyBody,
    answers: { 202: jobSchema },
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

  const job = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/contracts/verify/{job}',
    id: 'getEvmVerification',
    tag: TAG,
    summary: 'The state of a verification',
    path: { rollup: rollupParameter, job: schema.text('Its id', { maxLength: 64 }) },
    answers: { 200: jobStateSchema },
    errors: { 404: 'No such verification is remembered' },
    handle({ path }) {
      const state = verifier.state(path.job);
      if (state === undefined) throw notFound('no such verification is remembered; ask for the contract');
      const match = state.state === 'verified' ? state.match : null;
      return {
        status: 200,
        body: { state: state.state, match, reason: state.state === 'failed' ? state.reason : null },
      };
    },
  });

  const offered = route({
    method: 'get',
    url: '/v1/evm/compilers',
    id: 'listEvmCompilers',
    tag: TAG,
    summary: 'Compilers that contracts can be verified with',
    answers: { 200: compilersSchema },
    handle: () => ({ status: 200, body: { items: compilers.list().map(compilerVersionText) } }),
  });

  const network = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/network',
    id: 'getEvmNetwork',
    tag: TAG,
    summary: 'What a wallet needs to know of the rollup',
    path: { rollup: rollupParameter },
    answers: { 200: networkSchema },
    errors: { 404: 'No such EVM rollup is followed' },
    handle({ path }) {
      const { name, chainId, walletUrl } = evmRollup(context, path.rollup);
      const currency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
      return { status: 200, body: { chainId: Number(chainId), name, url: walletUrl, currency } };
    },
  });
  // The job's path would else be that of a contract.
  return [list, job, one, verify, offered, network];
}

function verificationJson(record: ContractRecord, input: StandardInput) {
  const encoded = record.constructorArguments;
  const { evmVersion } = input.settings;
  const sources = Object.entries(input.sources).map(([path, { content }]) => [path, content] as const);
  const { constructorInputs } = parseAbi(record.abi);
  return {
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
    abi: record.abi,
    verifiedAt: time(record.time),
    standardInput: input,
  };
}
