import './contract.css';
import { Input } from '@switchyard/client/http-api';
import { evm, type Contract as Facts, type Verification } from '@switchyard/explorer/contract';
import { showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import { lazy, type ReactNode, Suspense } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { shown } from '../../ui/shown.ts';
import { When } from '../../ui/when.tsx';
import { ask, word } from '../api.ts';
import { Answer, Loading, Problem, useAsked } from '../parts/answer.tsx';
import { Id } from '../parts/id.tsx';
import { FactList } from '../parts/layout.tsx';
import { Long } from '../parts/long.tsx';
import { Sources, SourceText } from './sources.tsx';

/** Forms need the library that encodes calls, which nothing else of the page does. */
const Functions = lazy(() => import('./functions.tsx'));

interface ContractProps {
  readonly rollup: string;
  readonly address: string;
}

/** Sources, settings and ABI of a contract as far as they are known, and forms to read and write. */
export const Contract = ({ rollup, address }: ContractProps) => (
  <Answer
    route={evm.getEvmContract}
    params={{ rollup, address }}
    show={(contract) => <Known rollup={rollup} address={address} contract={contract} />}
  />
);

function Known({ rollup, address, contract }: ContractProps & { readonly contract: Facts }) {
  const { verification, proxy } = contract;
  return (
    <>
      {proxy !== null && (
        <section className="card" aria-label="Proxy">
          <p>
            A proxy ({proxy.standard.toUpperCase()}) of{' '}
            <Id
              text={proxy.implementation}
              to={`/rollups/${encodeURIComponent(rollup)}/evm/addresses/${proxy.implementation}/contract`}
            />
            . Calls are run by the code of that contract.
          </p>
        </section>
      )}
      {verification === null ? <Unverified address={contract.address} /> : <Verified verification={verification} />}
      {proxy === null ? (
        verification !== null && <Forms rollup={rollup} address={address} verification={verification} />
      ) : (
        <Answer
          route={evm.getEvmContract}
          params={{ rollup, address: proxy.implementation }}
          show={({ verification: behind }) =>
            behind !== null && <Forms rollup={rollup} address={address} verification={behind} />
          }
        />
      )}
    </>
  );
}

/** Forms of a contract whose ABI is known. */
function Forms({ rollup, address, verification }: ContractProps & { readonly verification: Verification }) {
  const { value, error } = useAsked(`network ${rollup}`, () => ask(evm.getEvmNetwork, { rollup }));
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined) return <Loading />;
  const abi = new Input(verification.abi, 'abi').list().map((each) => each.value);
  return (
    <Suspense fallback={<Loading />}>
      <Functions rollup={rollup} address={address} abi={abi} network={{ ...value, chainId: BigInt(value.chainId) }} />
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

function Verified({ verification }: { readonly verification: Verification }) {
  const isFull = verification.match === 'full';
  const { constructorValues, sources } = verification;
  return (
    <>
      <FactList
        facts={[
          ['Name', shown(verification.name)],
          [
            'Verified',
            <span key="match">
              <Badge tone={isFull ? 'good' : 'warn'}>{isFull ? 'full match' : 'partial match'}</Badge>{' '}
              <When at={verification.verifiedAt} />
            </span>,
          ],
          ['Compiler', `solc ${shown(verification.compiler)}`],
          ['EVM version', shown(verification.evmVersion) || 'default of the compiler'],
          [
            'Constructor arguments',
            constructorValues === null ? 'not known' : argumentList(new Input(constructorValues, 'values').list()),
          ],
        ]}
      />
      <Sources main={verification.path} sources={Object.entries(sources)} />
      <section className="card" aria-label="Compiler settings and ABI">
        <Folded name="Compiler settings" value={verification.settings} />
        <Folded name="ABI" value={verification.abi} />
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

function argumentList(list: readonly Input[]): ReactNode {
  if (list.length === 0) return 'none';
  return list.map((each) => (
    <div key={word(each.at('name'))}>
      {shown(word(each.at('name')))} <span className="quiet">{shown(word(each.at('type')))}</span>{' '}
      <code>
        <Long>
          {typeof each.at('value').value === 'string'
            ? shown(word(each.at('value')))
            : showHiddenInJson(JSON.stringify(each.at('value').value))}
        </Long>
      </code>
    </div>
  ));
}
