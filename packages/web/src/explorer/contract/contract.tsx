import './contract.css';
import { Input } from '@switchyard/client/http-api';
import { evm, type Contract as Facts, type Verification } from '@switchyard/explorer/contract';
import { showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import { lazy, type ReactNode, Suspense } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { FactList } from '../../ui/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { shown } from '../../ui/shown.ts';
import { When } from '../../ui/when.tsx';
import { explorerOf } from '../../wallets.ts';
import { ask, BASE } from '../api.ts';
import { Answer, Problem, useAsked } from '../parts/answer.tsx';
import { Id, Long } from '../parts/cells.tsx';
import { Hint } from '../parts/hint.tsx';
import { Card } from '../parts/layout.tsx';
import { TabPanels } from '../parts/tab-panels.tsx';
import { word } from '../word.ts';
import { Sources, SourceText } from './sources.tsx';
import { verifyCommand } from './verify.ts';

/** Forms need the library that encodes calls, which nothing else of the page does. */
const Functions = lazy(() => import('./functions.tsx'));

interface ContractProps {
  readonly rollup: string;
  readonly address: string;
}

interface TabsProps extends ContractProps {
  /** Path of the contract, and the tab that is open. */
  readonly base: string;
  readonly tab: string;
}

/** Sources, settings and ABI of a contract if known, and forms to read and write. */
export const Contract = (props: TabsProps) => (
  <Answer
    route={evm.getEvmContract}
    params={{ rollup: props.rollup, address: props.address }}
    isOnce
    show={(contract) =>
      contract.proxy === null ? (
        <Known {...props} contract={contract} callable={contract.verification} />
      ) : (
        <Answer
          route={evm.getEvmContract}
          params={{ rollup: props.rollup, address: contract.proxy.implementation }}
          isOnce
          show={({ verification }) => <Known {...props} contract={contract} callable={verification} />}
        />
      )
    }
  />
);

interface KnownProps extends TabsProps {
  readonly contract: Facts;
  /** Facts of the code that runs: those of the implementation behind a proxy. */
  readonly callable: Verification | null;
}

function Known({ contract, callable, base, tab, ...target }: KnownProps) {
  const forms = (part: 'read' | 'write') => () =>
    callable !== null && <Forms key={part} {...target} part={part} verification={callable} />;
  return (
    <TabPanels
      base={base}
      current={tab}
      label="Contract"
      tabs={[
        { name: 'Code', part: '', show: () => <Code rollup={target.rollup} contract={contract} /> },
        ...(callable === null
          ? []
          : [
              { name: 'Read', part: 'read', show: forms('read') },
              { name: 'Write', part: 'write', show: forms('write') },
            ]),
      ]}
    />
  );
}

function Code({ rollup, contract }: { readonly rollup: string; readonly contract: Facts }) {
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
      {verification === null ? (
        <Unverified rollup={rollup} address={contract.address} />
      ) : (
        <Verified verification={verification} />
      )}
    </>
  );
}

interface FormsProps extends ContractProps {
  readonly part: 'read' | 'write';
  readonly verification: Verification;
}

/** Forms of a contract whose ABI is known. */
function Forms({ rollup, address, part, verification }: FormsProps) {
  const { value, error } = useAsked(`network ${rollup}`, () => ask(evm.getEvmNetwork, { rollup }));
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined) return <Loading />;
  const abi = new Input(verification.abi, 'abi').list().map((each) => each.value);
  return (
    <Suspense fallback={<Loading />}>
      <Functions
        part={part}
        rollup={rollup}
        address={address}
        abi={abi}
        network={{ ...value, chainId: BigInt(value.chainId), explorerUrl: explorerOf(BASE, value.name) }}
      />
    </Suspense>
  );
}

function Unverified({ rollup, address }: ContractProps) {
  return (
    <Card title="Sources">
      <Hint command={verifyCommand(address, explorerOf(BASE, rollup))}>
        This contract is not verified. Once its source is known, it can be read and written here. Verify it from the
        directory of its project:
      </Hint>
    </Card>
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
