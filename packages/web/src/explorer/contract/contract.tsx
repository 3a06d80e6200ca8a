import './contract.css';
import type { Input } from '@switchyard/client/http-api';
import { lazy, type ReactNode, Suspense } from 'react';
import { ask, textOf, word } from '../api.ts';
import { Answer, Loading, Problem, useAsked } from '../parts/answer.tsx';
import { Id } from '../parts/id.tsx';
import { Badge, FactList } from '../parts/layout.tsx';
import { When } from '../parts/when.tsx';
import { Sources, SourceText } from './sources.tsx';
import type { Network } from './wallets.ts';

/** Forms need the library that encodes calls, which nothing else of the page does. */
const Functions = lazy(() => import('./functions.tsx'));

interface ContractProps {
  readonly rollup: string;
  readonly address: string;
}

const pathOf = ({ rollup, address }: ContractProps): string =>
  `/rollups/${encodeURIComponent(rollup)}/evm/contracts/${encodeURIComponent(address)}`;

/** What is known of a contract: sources, settings and ABI, and forms to read and write. */
export function Contract({ rollup, address }: ContractProps) {
  return (
    <Answer
      path={pathOf({ rollup, address })}
      show={(contract) => <Known rollup={rollup} address={address} contract={contract} />}
    />
  );
}

function Known({ rollup, address, contract }: ContractProps & { readonly contract: Input }) {
  const [verification, proxy] = [contract.at('verification'), contract.at('proxy')];
  const implementation = proxy.isPresent ? word(proxy.at('implementation')) : '';
  return (
    <>
      {proxy.isPresent && (
        <section className="card" aria-label="Proxy">
          <p>
            A proxy ({textOf(proxy, 'standard').toUpperCase()}) of{' '}
            <Id
              text={implementation}
              to={`/rollups/${encodeURIComponent(rollup)}/evm/addresses/${implementation}/contract`}
            />
            . Calls are run by the code of that contract.
          </p>
        </section>
      )}
      {verification.isPresent ? (
        <Verified verification={verification} />
      ) : (
        <Unverified address={word(contract.at('address'))} />
      )}
      {implementation === '' ? (
        verification.isPresent && <Forms rollup={rollup} address={address} abi={abiOf(verification)} />
      ) : (
        <Answer
          path={pathOf({ rollup, address: implementation })}
          show={(behind) =>
            behind.at('verification').isPresent && (
              <Forms rollup={rollup} address={address} abi={abiOf(behind.at('verification'))} />
            )
          }
        />
      )}
    </>
  );
}

function Forms({ rollup, address, abi }: ContractProps & { readonly abi: readonly unknown[] }) {
  const path = `/rollups/${encodeURIComponent(rollup)}/evm/network`;
  const { value, error } = useAsked(path, async () => readNetwork(await ask(path)));
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined) return <Loading />;
  return (
    <Suspense fallback={<Loading />}>
      <Functions rollup={rollup} address={address} abi={abi} network={value} />
    </Suspense>
  );
}

function Unverified({ address }: { readonly address: string }) {
  const url = new URL('api?', new URL('.', location.href)).href;
  const command = `forge verify-contract ${address} PATH:NAME --verifier blockscout --verifier-url ${url} --watch`;
  return (
    <section className="card" aria-label="Sources">
      <h2>Sources</h2>
      <p>They are not known. From the directory of the project:</p>
      <pre className="command">{command}</pre>
    </section>
  );
}

function Verified({ verification }: { readonly verification: Input }) {
  const isFull = word(verification.at('match')) === 'full';
  const values = verification.at('constructorValues');
  return (
    <>
      <FactList
        facts={[
          ['Name', textOf(verification, 'name')],
          [
            'Verified',
            <span key="match">
              <Badge tone={isFull ? 'good' : 'warn'}>{isFull ? 'full match' : 'partial match'}</Badge>{' '}
              <When at={verification.at('verifiedAt')} />
            </span>,
          ],
          ['Compiler', `solc ${textOf(verification, 'compiler')}`],
          ['EVM version', textOf(verification, 'evmVersion') || 'default of the compiler'],
          ['Constructor arguments', values.isPresent ? argumentList(values) : 'not known'],
        ]}
      />
      <Sources
        main={word(verification.at('path'))}
        sources={verification
          .at('sources')
          .members()
          .map(([path, content]) => [path, word(content)] as const)}
      />
      <section className="card" aria-label="Compiler settings and ABI">
        <Folded name="Compiler settings" value={verification.at('settings').value} />
        <Folded name="ABI" value={verification.at('abi').value} />
      </section>
    </>
  );
}

function Folded({ name, value }: { readonly name: string; readonly value: unknown }) {
  // The text of JSON has no hidden characters but line ends; others are in its strings, as they came from the compiler.
  return (
    <details>
      <summary>{name}</summary>
      <SourceText text={JSON.stringify(value, undefined, 2)} label={name} />
    </details>
  );
}

function argumentList(values: Input): ReactNode {
  const list = values.list();
  if (list.length === 0) return 'none';
  return list.map((each) => (
    <div key={word(each.at('name'))}>
      {textOf(each, 'name')} <span className="quiet">{textOf(each, 'type')}</span>{' '}
      <code>
        {typeof each.at('value').value === 'string' ? textOf(each, 'value') : JSON.stringify(each.at('value').value)}
      </code>
    </div>
  ));
}

const abiOf = (verification: Input): readonly unknown[] =>
  verification
    .at('abi')
    .list()
    .map(({ value }) => value);

function readNetwork(input: Input): Network {
  const currency = input.at('currency');
  return {
    chainId: input.at('chainId').integer(),
    name: input.at('name').text(),
    url: input.at('url').text(),
    currency: {
      name: currency.at('name').text(),
      symbol: currency.at('symbol').text(),
      decimals: currency.at('decimals').integer(),
    },
  };
}
